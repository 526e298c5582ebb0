// SPDX-License-Identifier: Apache-2.0
// A 64-bit hash over 4 KiB in the manner of XXH64 (four lanes of multiply, rotate, multiply; the
// constants and the order of steps are those of its published specification, seed 0): 64-bit
// multiplications and rotations, almost no branches.
#pragma once

#include "types.h"

#define HASH64_BYTES 4096

#define HASH64_P1 0x9E3779B185EBCA87ULL
#define HASH64_P2 0xC2B2AE3D27D4EB4FULL
#define HASH64_P3 0x165667B19E3779F9ULL
#define HASH64_P4 0x85EBCA77C2B2AE63ULL

PROGRAM_INLINE u64 hash64_round(u64 lane, u64 input) {
  return rotate_left64(lane + input * HASH64_P2, 31) * HASH64_P1;
}

PROGRAM_INLINE u64 hash64_merge(u64 hash, u64 lane) {
  return (hash ^ hash64_round(0, lane)) * HASH64_P1 + HASH64_P4;
}

PROGRAM_INLINE u64 hash64(const u8* mem, u32 len) {
  if (len < HASH64_BYTES) return 0;
  u64 a = HASH64_P1 + HASH64_P2, b = HASH64_P2, c = 0, d = 0 - HASH64_P1;
  for (u32 i = 0; i < HASH64_BYTES; i += 32) {
    a = hash64_round(a, load64(mem + i));
    b = hash64_round(b, load64(mem + i + 8));
    c = hash64_round(c, load64(mem + i + 16));
    d = hash64_round(d, load64(mem + i + 24));
  }
  u64 hash =
      rotate_left64(a, 1) + rotate_left64(b, 7) + rotate_left64(c, 12) + rotate_left64(d, 18);
  hash = hash64_merge(hash, a);
  hash = hash64_merge(hash, b);
  hash = hash64_merge(hash, c);
  hash = hash64_merge(hash, d);
  hash += HASH64_BYTES;
  hash = (hash ^ (hash >> 33)) * HASH64_P2;
  hash = (hash ^ (hash >> 29)) * HASH64_P3;
  return hash ^ (hash >> 32);
}
