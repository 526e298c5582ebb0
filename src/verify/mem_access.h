// SPDX-License-Identifier: Apache-2.0
// Loads, stores and atomic operations through a register: which kinds of pointers allow it, and
// what a load gives.
// Source: kernel/bpf/verifier.c (check_mem_access, check_atomic).  Tested by tests/verify,
// tests/kernel
#pragma once

#include "verify/stack.h"
#include "verify/walk.h"

namespace skep::verify {

struct MemAccess {
  u32 pointer = 0;  ///< register that holds the address
  s32 off = 0;      ///< the instruction's offset
  u32 size = 0;     ///< bytes
  Access access = Access::Read;
  s32 value = kNoReg;   ///< register loaded or stored; kNoReg: a constant, or only a check
  bool strict = false;  ///< alignment is demanded
};

/// Checks the access and gives the loaded register its new contents.
Check access_memory(Walk& walk, const MemAccess& access);

/// Ldx, LdxSx, LoadAcquire instructions.
Check check_load(Walk& walk);
/// St, Stx, StoreRelease instructions.
Check check_store(Walk& walk);
/// Atomic instructions.
Check check_atomic(Walk& walk);

}  // namespace skep::verify
