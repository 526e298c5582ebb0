// SPDX-License-Identifier: Apache-2.0
// Which helpers work on which types of maps.
// Source: kernel/bpf/verifier.c (check_map_func_compatibility).  Tested by tests/verify,
// tests/kernel
#pragma once

#include "verify/world.h"

namespace skep::verify {

/// Whether the helper may be called with a map of this type by programs with these traits.
bool helper_accepts_map(u32 helper_number, u32 type, const Traits& traits);
/// Whether bpf_for_each_map_elem() can visit the elements of a map of this type.
bool map_can_be_iterated(u32 type);

}  // namespace skep::verify
