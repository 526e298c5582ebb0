// SPDX-License-Identifier: Apache-2.0
// 64-bit constants that name maps, and instructions that the rule book does not have.
// Source: kernel/bpf/verifier.c (resolve_pseudo_ldimm64).  Tested by tests/verify, tests/kernel
#pragma once

#include "verify/walk.h"

namespace skep::verify {

/// Every map exists, suits the program, and is used as its type allows.
Check check_constants(Walk& walk);

}  // namespace skep::verify
