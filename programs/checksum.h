// SPDX-License-Identifier: Apache-2.0
// The internet checksum (RFC 1071) of 1500 bytes, 16 bits at a time in the order of memory: narrow
// loads and additions, then two folds. Unrolled ten times, as such loops in BPF are.
#pragma once

#include "types.h"

#define CHECKSUM_BYTES 1500

PROGRAM_INLINE u64 checksum(const u8* mem, u32 len) {
  if (len < CHECKSUM_BYTES) return 0;
  u32 sum = 0;
  PROGRAM_UNROLL(10)
  for (u32 i = 0; i < CHECKSUM_BYTES; i += 2) sum += load16(mem + i);
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  return ~sum & 0xffff;
}
