// SPDX-License-Identifier: Apache-2.0
// Trial division: the smallest factor below 1000 of a 32-bit number, 1 when there is none. One
// division and one branch that is never taken, a thousand times.
#pragma once

#include "types.h"

#define TRIAL_DIVISION_BYTES 8

PROGRAM_INLINE u64 trial_division(const u8* mem, u32 len) {
  if (len < TRIAL_DIVISION_BYTES) return 0;
  const u32 n = load32(mem);
  for (u32 d = 2; d < 1000; d++) {
    if (n % d == 0) return d;
  }
  return 1;
}
