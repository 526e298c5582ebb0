// SPDX-License-Identifier: Apache-2.0
// The walk as it happens, in the layout of Linux's log: level 1 shows the path that is refused,
// level 2 all paths, with the states where they start and what becomes precise.
// Source: kernel/bpf/verifier.c (print_insn_state, do_check).  Tested by trace_test.cc
#pragma once

#include "verify/walk.h"

namespace skep::verify {

/// Before a step: what the last one changed, the source line if it is a new one, the instruction.
void trace_step(Walk& walk);
/// After a branch: what is known on the way that falls through.
void trace_state(Walk& walk);
/// Another path starts here, or ends because a remembered state covers it.
void trace_covered(Walk& walk, bool starts_path);
/// A call went to a function of the program, or came back from one.
void trace_call(Walk& walk, const Frame& caller, const Frame& callee);
void trace_return(Walk& walk, const Frame& caller, const Frame& callee);
/// Going back for precision.
void trace_back_range(Walk& walk, u32 last, u32 first);
void trace_back_insn(Walk& walk, u32 pc, u32 regs, u64 slots);
void trace_back_parent(Walk& walk, const Frame& frame, bool is_new, u32 regs, u64 slots);

}  // namespace skep::verify
