// SPDX-License-Identifier: Apache-2.0
// Loads from and stores to the stack, direct and by helpers. A store of a whole register, or of the
// low part of a known number, keeps what is known of it (a spill); other stores leave bytes of some
// data or of zeros. Variable offsets touch every slot in their range.
// Source: kernel/bpf/verifier.c (check_stack_*).  Tested by tests/verify, tests/kernel
#pragma once

#include "verify/walk.h"

namespace skep::verify {

constexpr s32 kNoReg = -1;

/// What a helper may leave in memory without reading it first.
struct RawMemory {
  bool wanted = false;  ///< the argument is filled by the helper
  u32 reg = 0;          ///< where that memory is, once known
  u32 bytes = 0;
};

/// Who accesses memory: an instruction itself, or a helper on its behalf.
enum class By : u8 { Insn, Helper };

/// Whether size bytes at register `number` + off are within the frame's stack; makes room.
Check stack_in_bounds(Walk& walk, u32 number, s32 off, s32 size, By by, Access access);

/// Loads into register `target` (kNoReg: only looks). In bounds already.
Check stack_load(Walk& walk, u32 number, s32 off, u32 size, s32 target);

/// Stores register `value` (kNoReg: the instruction's constant, or unknown data of a helper).
Check stack_store(Walk& walk, u32 number, s32 off, u32 size, s32 value);

/// Whether size bytes may be read by an instruction with a variable offset, or by a helper, which
/// may also write them. raw: set where the helper needs no initialised memory.
Check stack_initialised(Walk& walk, u32 number, s32 off, s32 size, bool zero_size_ok, By by,
                        RawMemory* raw);

}  // namespace skep::verify
