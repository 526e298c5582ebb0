// SPDX-License-Identifier: Apache-2.0
// What a mispredicting CPU may do with a program of somebody without rights (Spectre, variants 1
// and 2 of bounds checks): both ways of a decided branch are walked, speculatively, and pointer
// arithmetic is limited so that an engine can mask it. Nothing here applies to privileged loads.
// Source: kernel/bpf/verifier.c (sanitize_*).  Tested by tests/verify, tests/kernel
#pragma once

#include "verify/walk.h"

namespace skep::verify {

/// The limit of one pointer operation, while it is checked.
struct PointerMask {
  u8 kind = 0;
  u32 limit = 0;
  bool to_left = false;  ///< the operation moves towards the object's start
};

/// Puts aside the way that walk.insn(), a conditional jump, will not take: its operands are
/// unknown there. False: too many states.
bool walk_mispredicted(Walk& walk, u32 to);

/// Addition and subtraction of numbers: the instruction must not be used on pointers too.
Check mask_number_arithmetic(Walk& walk);
/// Before the pointer moved.
Check mask_pointer_arithmetic(Walk& walk, const Reg& pointer, const Reg& offset, PointerMask& mask);
/// After it moved, dst being the result.
Check commit_pointer_mask(Walk& walk, const Reg& dst, const Reg& offset, PointerMask& mask);
/// The moved pointer has to be inside of its object.
Check check_moved_pointer(Walk& walk, const Reg& dst);

}  // namespace skep::verify
