// SPDX-License-Identifier: Apache-2.0
// The functions of a program: where they start, what they may contain, how much stack a chain of
// calls needs, and how a function that is checked on its own starts.
// Source: kernel/bpf/verifier.c (add_subprog, check_subprogs, check_max_stack_depth).
// Tested by tests/verify, tests/kernel
#pragma once

#include "verify/walk.h"

namespace skep::verify {

/// Finds the subprograms: targets of local calls and functions whose address is taken.
Check find_subprogs(Walk& walk);
/// Jumps stay inside of their function; no function runs into the next one.
Check check_subprogs(Walk& walk);
/// What only functions with a declaration may do.
Check check_declarations(Walk& walk);
/// After the walk: no chain of calls is deeper than 8 frames or needs more than 512 bytes of stack.
Check check_stack_depth(Walk& walk);
/// The registers at the start of a function that nobody called.
Check set_arguments(Walk& walk, u32 subprog);

}  // namespace skep::verify
