// SPDX-License-Identifier: Apache-2.0
// Bob Jenkins' lookup3 hash (2006, "hashlittle") of 64 keys of 64 bytes, combined: 32-bit
// subtractions, exclusive-ors and rotations, which BPF has to write as shifts and or.
#pragma once

#include "types.h"

#define JENKINS_BYTES 4096
#define JENKINS_KEY_BYTES 64

/// hashlittle of n 32-bit words (n * 4 bytes), n > 0, aligned to 4.
PROGRAM_INLINE u32 jenkins_hash(const u8* key, u32 n, u32 seed) {
  u32 a = 0xdeadbeef + 4 * n + seed, b = a, c = a;
  u32 i = 0;
  for (; i + 3 < n; i += 3) {
    a += load32(key + 4 * i);
    b += load32(key + 4 * i + 4);
    c += load32(key + 4 * i + 8);
    a -= c, a ^= rotate_left32(c, 4), c += b;
    b -= a, b ^= rotate_left32(a, 6), a += c;
    c -= b, c ^= rotate_left32(b, 8), b += a;
    a -= c, a ^= rotate_left32(c, 16), c += b;
    b -= a, b ^= rotate_left32(a, 19), a += c;
    c -= b, c ^= rotate_left32(b, 4), b += a;
  }
  a += load32(key + 4 * i);
  if (i + 1 < n) b += load32(key + 4 * i + 4);
  if (i + 2 < n) c += load32(key + 4 * i + 8);
  c ^= b, c -= rotate_left32(b, 14);
  a ^= c, a -= rotate_left32(c, 11);
  b ^= a, b -= rotate_left32(a, 25);
  c ^= b, c -= rotate_left32(b, 16);
  a ^= c, a -= rotate_left32(c, 4);
  b ^= a, b -= rotate_left32(a, 14);
  c ^= b, c -= rotate_left32(b, 24);
  return c;
}

PROGRAM_INLINE u64 jenkins(const u8* mem, u32 len) {
  if (len < JENKINS_BYTES) return 0;
  u64 sum = 0;
  for (u32 i = 0; i < JENKINS_BYTES; i += JENKINS_KEY_BYTES)
    sum = sum * 31 + jenkins_hash(mem + i, JENKINS_KEY_BYTES / 4, i);
  return sum;
}
