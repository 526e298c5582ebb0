// SPDX-License-Identifier: Apache-2.0
// Where paths meet: the state is compared with those remembered for the same instruction. One that
// is at least as general and was explored to its end without complaint makes the rest of this path
// unnecessary; an equal one that is still being explored means an endless loop.
// Source: kernel/bpf/verifier.c (is_state_visited, states_equal).  Tested by tests/verify,
// tests/kernel
#pragma once

#include "verify/walk.h"

namespace skep::verify {

/// Looks at the current state at walk.pc. covered: the path may end here. Otherwise the state may
/// have been remembered. Refusals: endless loops, out of memory.
Check meet_states(Walk& walk, bool& covered);

/// Records that the path came to walk.pc from walk.prev_pc, where that is a jump's target.
void record_jump(Walk& walk);

/// Whether everything that is safe from old is safe from current.
bool covers(const Walk& walk, const State& old, const State& current);

}  // namespace skep::verify
