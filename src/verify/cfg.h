// SPDX-License-Identifier: Apache-2.0
// The shape of the program before anything is known of its data: every instruction is reachable,
// there are no loops for those who may not have them; marks the points where paths meet.
// Source: kernel/bpf/verifier.c (check_cfg).  Tested by tests/verify, tests/kernel
#pragma once

#include "verify/walk.h"

namespace skep::verify {

/// Walks all edges, depth first. Sets InsnNotes::prune_point and jump_point.
Check check_cfg(Walk& walk);

}  // namespace skep::verify
