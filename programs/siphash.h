// SPDX-License-Identifier: Apache-2.0
// SipHash-2-4 (Aumasson and Bernstein, 2012): a 16-byte key, then 1024 bytes of message. 64-bit
// additions, exclusive-ors and rotations; four words of state.
#pragma once

#include "types.h"

#define SIPHASH_BYTES 1040

struct sip_state {
  u64 v0, v1, v2, v3;
};

PROGRAM_INLINE void sip_round(struct sip_state* s) {
  s->v0 += s->v1, s->v2 += s->v3;
  s->v1 = rotate_left64(s->v1, 13) ^ s->v0;
  s->v3 = rotate_left64(s->v3, 16) ^ s->v2;
  s->v0 = rotate_left64(s->v0, 32);
  s->v2 += s->v1, s->v0 += s->v3;
  s->v1 = rotate_left64(s->v1, 17) ^ s->v2;
  s->v3 = rotate_left64(s->v3, 21) ^ s->v0;
  s->v2 = rotate_left64(s->v2, 32);
}

PROGRAM_INLINE void sip_absorb(struct sip_state* s, u64 word) {
  s->v3 ^= word;
  sip_round(s);
  sip_round(s);
  s->v0 ^= word;
}

/// SipHash-2-4 of n whole words followed by the last, short one: its bytes, and the message's
/// length modulo 256 in the top byte.
PROGRAM_INLINE u64 siphash_words(const u8* key, const u8* words, u32 n, u64 last) {
  const u64 k0 = load64(key), k1 = load64(key + 8);
  struct sip_state s = {k0 ^ 0x736f6d6570736575ULL, k1 ^ 0x646f72616e646f6dULL,
                        k0 ^ 0x6c7967656e657261ULL, k1 ^ 0x7465646279746573ULL};
  for (u32 i = 0; i < n; i++) sip_absorb(&s, load64(words + 8 * i));
  sip_absorb(&s, last);
  s.v2 ^= 0xff;
  for (u32 i = 0; i < 4; i++) sip_round(&s);
  return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

PROGRAM_INLINE u64 siphash(const u8* mem, u32 len) {
  if (len < SIPHASH_BYTES) return 0;
  return siphash_words(mem, mem + 16, 128, 0);  // 1024 modulo 256 is 0
}
