// SPDX-License-Identifier: Apache-2.0
// Insertion sort of 64 words on the stack; the result is a polynomial in the sorted words. Each
// word is exchanged down to its place without leaving the loop early: an exit that data decides,
// inside an outer loop, makes Linux's verifier walk an exponential number of paths.
#pragma once

#include "types.h"

#define INSERTION_SORT_BYTES 256

PROGRAM_INLINE u64 insertion_sort(const u8* mem, u32 len) {
  if (len < INSERTION_SORT_BYTES) return 0;
  u32 words[64];
  for (u32 i = 0; i < 64; i++) {
    words[i] = load32(mem + 4 * i);
    for (u32 at = i; at > 0; at--) {
      const u32 before = words[at - 1], word = words[at];
      words[at - 1] = before < word ? before : word;
      words[at] = before < word ? word : before;
    }
  }
  u64 result = 0;
  for (u32 i = 0; i < 64; i++) result = result * 1000003 + words[i];
  return result;
}
