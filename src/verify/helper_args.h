// SPDX-License-Identifier: Apache-2.0
// Arguments of helpers against their prototypes.
// Source: kernel/bpf/verifier.c (check_func_arg and below).  Tested by tests/verify, tests/kernel
#pragma once

#include "verify/stack.h"
#include "verify/walk.h"

namespace skep::verify {

/// What the arguments of one call have in common.
struct CallNotes {
  const Proto* proto = nullptr;
  u32 map = 0;         ///< the map argument, as in registers
  u32 map_origin = 0;  ///< Reg::extra of that argument
  RawMemory raw;
  u32 release_reg = 0;  ///< register of what is given back, 0: nothing
  u32 ref = 0;          ///< reference that an argument carries
  u32 subprog = 0;      ///< the callback
  u64 alloc_bytes = 0;
  u64 max_size = 0;  ///< greatest value of the size argument
};

/// Argument `index` (0..4) of the call.
Check check_helper_arg(Walk& walk, u32 index, CallNotes& call);

/// Offsets that a pointer argument may have. arg: what the callee wants of it.
Check check_pointer_offset(Walk& walk, u32 number, const Arg& arg);
/// A pointer to at least `bytes` bytes to be read and written, or null.
Check check_memory_argument(Walk& walk, u32 number, u32 bytes);

}  // namespace skep::verify
