// SPDX-License-Identifier: Apache-2.0
// Four pairs of strings of at most 127 bytes in slots of 128: the first of a pair is copied to the
// stack in lower case, then compared with the second. Byte loads, stores and compares.
#pragma once

#include "types.h"

#define CASEFOLD_BYTES 1024
#define CASEFOLD_SLOT 128

PROGRAM_INLINE u64 casefold_pair(const u8* mixed, const u8* lower) {
  u8 copy[CASEFOLD_SLOT];
  for (u32 i = 0; i < CASEFOLD_SLOT; i++) {
    u8 c = mixed[i];
    if (c >= 'A' && c <= 'Z') c = (u8)(c + 32);
    copy[i] = c;
  }
  for (u32 i = 0; i < CASEFOLD_SLOT; i++) {
    if (copy[i] != lower[i]) return 256 * (i + 1) + (copy[i] < lower[i] ? 1 : 2);
    if (copy[i] == 0) return 256 * (i + 1);
  }
  return 3;
}

PROGRAM_INLINE u64 casefold(const u8* mem, u32 len) {
  if (len < CASEFOLD_BYTES) return 0;
  u64 sum = 0;
  for (u32 i = 0; i < CASEFOLD_BYTES; i += 2 * CASEFOLD_SLOT)
    sum = sum * 65599 + casefold_pair(mem + i, mem + i + CASEFOLD_SLOT);
  return sum;
}
