// SPDX-License-Identifier: Apache-2.0
// A program that every engine may run: instructions whose structure has been checked, bound to the
// helpers that they call, and what a run of it is given.
//
//   bytes --isa decode--> Insn[] --Program::make--> Program --interp--> Outcome
//
// Tested by program_test.cc
#pragma once

#include <span>
#include <vector>

#include "isa/ebpf.h"
#include "runtime/access.h"
#include "runtime/helpers.h"
#include "runtime/run_state.h"
#include "support/bytes.h"
#include "support/result.h"

namespace skep::runtime {

/// In Program::code(), off of a Call that is a tail call.
constexpr s16 kTailCall = -1;

/// Instructions and helpers; immutable.
class Program {
 public:
  /// Checks and binds. Errors, with the pc: those of isa check_structure; BadInsn (register above
  /// r10, half of a 64-bit constant); NotFound (helper that the table lacks); Unsupported (kernel
  /// functions, constants that name a map or another object of a loader).
  static Result<Program> make(std::vector<isa::ebpf::Insn> insns, const HelperTable& helpers = {});

  /// The instructions, one a slot. In a Call, off is the index of its helper in helpers(), or
  /// kTailCall.
  std::span<const isa::ebpf::Insn> code() const { return code_; }
  /// The helpers that the program calls.
  std::span<const Helper> helpers() const { return helpers_; }
  /// Whether runs need RunInput::state.
  bool needs_state() const { return needs_state_; }

 private:
  std::vector<isa::ebpf::Insn> code_;
  std::vector<Helper> helpers_;
  bool needs_state_ = false;
};

/// May_goto: a frame's loops may pass it so often before it jumps. Kernel: BPF_MAX_LOOPS.
constexpr u32 kMayGotoLoops = 8 * 1024 * 1024;

/// What a run is given. A raw program gets memory and packet; one that was loaded for a hook gets a
/// state, whose context is in r1, and memory, packet, network_offset and budget are not looked at.
struct RunInput {
  std::span<u8> memory =
      {};                  ///< r1 = its address (0 when empty), r2 = its length in bytes; writable
  Bytes packet = {};       ///< what legacy packet loads read; r6 is not looked at
  u32 network_offset = 0;  ///< bytes from the packet's start to its network header
  u64 budget = kDefaultBudget;  ///< instructions; kept by the checked interpreter only
  bool zeroed_stack = false;  ///< checked interpreter: unwritten stack reads as 0 instead of a trap
  RunState* state = nullptr;  ///< the run's; for helpers, tail calls and callbacks

  /// r1 as the program starts.
  u64 first_argument() const noexcept {
    if (state != nullptr) return to_address(state->context);
    return memory.empty() ? 0 : to_address(memory.data());
  }
  /// What the helper's function gets besides r1..r5.
  void* helper_user(const Helper& helper) const noexcept {
    return helper.wants_run_state ? state : helper.user;
  }
};

}  // namespace skep::runtime
