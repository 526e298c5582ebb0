// SPDX-License-Identifier: Apache-2.0
// Registers in stack slots. Tested by tests/verify, tests/kernel
#pragma once

#include "verify/state.h"

namespace skep::verify {

/// Whether a pointer of this kind can be stored and loaded again. Numbers are another matter.
bool is_spillable(const Reg& reg);
/// Keeps the low size bytes of reg, with all that is known, at the slot's lowest address.
void spill(Slot& slot, const Reg& reg, u32 size);
/// How many bytes of the slot, from its lowest address, are a spilled register.
u32 spilled_bytes(const Slot& slot);

}  // namespace skep::verify
