// SPDX-License-Identifier: Apache-2.0
// Which numbers matter. A number is "precise" once its value decided something: a branch, an
// offset, a size. Then every number that it was computed from, back along the path and through the
// remembered states, matters as well; two states that differ in other numbers only are as good as
// equal. This keeps the walk from telling apart what makes no difference.
// Source: kernel/bpf/verifier.c (mark_chain_precision).  Tested by tests/verify, tests/kernel
#pragma once

#include "verify/walk.h"

namespace skep::verify {

/// The value of register `number` of the running function decided something.
Check mark_precise(Walk& walk, u32 number);
/// What decided something in old's continuation does so here: current is about to be cut short
/// because old covers it.
Check propagate_precision(Walk& walk, const State& old);
/// Before a state is remembered: its numbers have decided nothing yet.
void forget_precision(State& state);

/// Registers (bit n = rn) and slots (bit n = the n-th from the top) whose values are asked for.
struct Wanted {
  u32 regs = 0;
  u64 slots = 0;
  bool nothing() const { return regs == 0 && slots == 0; }
};

/// Whether going back over an instruction worked.
enum class Back : u8 { Ok, Unknown, Bug };

/// Changes `wanted` from after the instruction to before it. Unknown where that cannot be told
/// (calls, returns, stores through other pointers).
Back step_back(const isa::ebpf::Insn& insn, Wanted& wanted);

}  // namespace skep::verify
