// SPDX-License-Identifier: Apache-2.0
// Calls of helpers: the arguments, what the call does to the state, what it returns.
// Source: kernel/bpf/verifier.c (check_helper_call).  Tested by tests/verify, tests/kernel
#pragma once

#include "verify/walk.h"

namespace skep::verify {

/// Call instructions.
Check check_helper_call(Walk& walk);

}  // namespace skep::verify
