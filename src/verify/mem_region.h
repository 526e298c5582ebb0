// SPDX-License-Identifier: Apache-2.0
// Bounds of the regions that pointers point into. off is the fixed offset from the pointer's base,
// the variable part is in the register.
// Source: kernel/bpf/verifier.c (check_mem_region_access and its kin).  Tested by tests/verify,
// tests/kernel
#pragma once

#include "verify/stack.h"
#include "verify/walk.h"

namespace skep::verify {

/// [off, off + size) of a region of region_bytes, wherever the variable part may be.
Check region_in_bounds(Walk& walk, u32 number, s32 off, s32 size, u32 region_bytes,
                       bool zero_size_ok);
/// The same for a map value, with the parts of it that programs may not touch.
Check map_value_in_bounds(Walk& walk, u32 number, s32 off, s32 size, bool zero_size_ok, By by);
/// Whether programs may read or write the map's values.
Check map_access_allowed(Walk& walk, u32 number, s32 off, s32 size, Access access);
/// Within the part of the packet that is known to exist.
Check packet_in_bounds(Walk& walk, u32 number, s32 off, s32 size, bool zero_size_ok);
/// A buffer whose length is checked elsewhere: no variable offset, no negative one.
Check buffer_in_bounds(Walk& walk, u32 number, s32 off, s32 size, std::string_view what);
/// Neither moved by a constant (unless fixed_ok) nor by anything unknown.
Check not_moved(Walk& walk, const Reg& reg, u32 number, bool fixed_ok);
/// Alignment, where the machine or the kind of memory asks for it.
Check is_aligned(Walk& walk, const Reg& reg, s32 off, u32 size, bool strict);
/// Whether packet pointers may be used for this; helper_accepts is empty for direct accesses.
bool packet_access_allowed(const Walk& walk, std::optional<bool> helper_accepts, Access access);

}  // namespace skep::verify
