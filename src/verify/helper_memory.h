// SPDX-License-Identifier: Apache-2.0
// Memory that a helper reads or fills, by the kind of pointer that it is given.
// Source: kernel/bpf/verifier.c (check_helper_mem_access, check_mem_size_reg).
// Tested by tests/verify, tests/kernel
#pragma once

#include "verify/helper_args.h"

namespace skep::verify {

/// The helper accesses bytes at register `number`. raw: see stack_initialised(); may be null.
Check helper_memory(Walk& walk, u32 number, s32 bytes, Access access, bool zero_size_ok,
                    RawMemory* raw);
/// Register `number` holds the size of the memory in the register before it.
Check helper_memory_size(Walk& walk, u32 number, Access access, bool zero_size_ok, CallNotes& call);

}  // namespace skep::verify
