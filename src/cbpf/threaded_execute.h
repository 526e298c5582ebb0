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
#define VALUE(kind, op) Test##kind, End##kind, Set##kind, EndSet##kind,
#define PAIR(first, second) Test##first##second, End##first##second,
#include "cbpf/threaded_handlers.def"
};

/// What a run keeps outside of registers.
struct State {
  const Cell* cell;  ///< where it left
  Packet packet;
  const Metadata* metadata;
  const u32* values;  ///< of all sets
  u64 budget;
  u32 wire_length;
  u32 a;  ///< the registers, on entry and where it left
  u32 x;
  u32 scratch[isa::cbpf::kMemWords];
};

/// In execute()'s result: the program has not ended; the instruction at state.cell is to be done
/// outside. Else the low 32 bits are what the program returned.
constexpr u64 kLeft = u64{1} << 32;

/// Runs from cell on.
u64 execute(const Cell* cell, const u8* data, u32 size, State& state) noexcept;

/// The address of a handler, for Cell::handler.
const void* address_of(Handler handler) noexcept;

}  // namespace skep::cbpf
