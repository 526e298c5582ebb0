// SPDX-License-Identifier: Apache-2.0
// Between the two halves of the threaded machine: threaded_vm.cc decodes and does what is rare,
// threaded_execute.cc is the hot function. That one calls nothing, so that the compiler keeps its
// state in registers without saving any: what needs a call leaves it, is done outside, and enters
// again at the next cell.
// Tested by threaded_vm_test.cc
#pragma once

#include "cbpf/packet.h"
#include "cbpf/threaded_vm.h"

namespace skep::cbpf {

/// The labels of execute().
enum class Handler : u8 {
#define OP(name, ...) name,
#define ALU(name, ...) name##K, name##X,
#define JMP(name, ...) name##K, name##X,
#define ANC(name, ...) name,
#include "isa/cbpf.def"
#define HANDLER(name) name,
#define LOAD_JMP(load, type, jump) load##jump,
#include "cbpf/threaded_handlers.def"
};

/// What a run keeps outside of registers.
struct State {
  const Cell* cell = nullptr;  ///< where it left
  const Metadata* metadata = nullptr;
  u64 budget = 0;
  u32 wire_length = 0;
  u32 a = 0;  ///< the registers, on entry and where it left
  u32 x = 0;
  u32 scratch[isa::cbpf::kMemWords];
};

/// In execute()'s result: the program has not ended; the instruction at state.cell is to be done
/// outside. Else the low 32 bits are what the program returned.
constexpr u64 kLeft = u64{1} << 32;

/// Runs from state.cell on.
u64 execute(const u8* data, u32 size, State& state) noexcept;

/// The address of a handler, for Cell::handler.
const void* address_of(Handler handler) noexcept;

}  // namespace skep::cbpf
