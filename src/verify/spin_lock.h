// SPDX-License-Identifier: Apache-2.0
// Spin locks in map values: one at a time, given back before the program ends.
// Source: kernel/bpf/verifier.c (process_spin_lock).  Tested by tests/verify, tests/kernel
#pragma once

#include "verify/walk.h"

namespace skep::verify {

/// The argument of bpf_spin_lock() or bpf_spin_unlock(), whose helper number is given.
Check check_spin_lock(Walk& walk, u32 number, u32 helper_number);

}  // namespace skep::verify
