// SPDX-License-Identifier: Apache-2.0
// Collects facts during the walk: each adds to what is known of the instruction at walk.pc.
// Speculative paths add nothing. Tested by tests/verify, tests/kernel
#pragma once

#include "verify/walk.h"

namespace skep::verify {

/// The instruction is executed.
void record_reached(Walk& walk);
/// Its jump is taken, or not.
void record_branch(Walk& walk, bool jumps, bool falls_through);
/// It accesses size bytes at pointer + off.
void record_access(Walk& walk, const Reg& pointer, s32 off, u32 size);
/// That access is of this field of the context.
void record_context(Walk& walk, u32 field);
/// It calls a helper on this map (a number as in registers).
void record_call_map(Walk& walk, u32 map);
/// It is a tail call with this index, or with one that is not known.
void record_tail_index(Walk& walk, std::optional<u32> index);

}  // namespace skep::verify
