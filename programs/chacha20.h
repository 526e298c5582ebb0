// SPDX-License-Identifier: Apache-2.0
// ChaCha20 (RFC 8439): memory holds the key (32 bytes), counter (4), nonce (12) and 256 bytes of
// text; four blocks are encrypted and the cipher text is folded into one number. Sixteen words of
// state do not fit BPF's ten registers: clang spills them to the stack.
#pragma once

#include "types.h"

#define CHACHA20_BYTES 304

#define CHACHA_QUARTER(a, b, c, d)                                                     \
  (a += b, d = rotate_left32(d ^ a, 16), c += d, b = rotate_left32(b ^ c, 12), a += b, \
   d = rotate_left32(d ^ a, 8), c += d, b = rotate_left32(b ^ c, 7))

/// The 16 words of key stream of one block; key is 32 bytes of key, 4 of counter, 12 of nonce.
PROGRAM_INLINE void chacha20_block(const u8* key, u32 counter, u32 out[16]) {
  const u32 k0 = 0x61707865, k1 = 0x3320646e, k2 = 0x79622d32, k3 = 0x6b206574;
  u32 x0 = k0, x1 = k1, x2 = k2, x3 = k3;
  u32 x4 = load32(key), x5 = load32(key + 4), x6 = load32(key + 8), x7 = load32(key + 12);
  u32 x8 = load32(key + 16), x9 = load32(key + 20), x10 = load32(key + 24), x11 = load32(key + 28);
  u32 x12 = counter, x13 = load32(key + 36), x14 = load32(key + 40), x15 = load32(key + 44);
  for (u32 i = 0; i < 10; i++) {
    CHACHA_QUARTER(x0, x4, x8, x12);
    CHACHA_QUARTER(x1, x5, x9, x13);
    CHACHA_QUARTER(x2, x6, x10, x14);
    CHACHA_QUARTER(x3, x7, x11, x15);
    CHACHA_QUARTER(x0, x5, x10, x15);
    CHACHA_QUARTER(x1, x6, x11, x12);
    CHACHA_QUARTER(x2, x7, x8, x13);
    CHACHA_QUARTER(x3, x4, x9, x14);
  }
  out[0] = x0 + k0, out[1] = x1 + k1, out[2] = x2 + k2, out[3] = x3 + k3;
  out[4] = x4 + load32(key), out[5] = x5 + load32(key + 4);
  out[6] = x6 + load32(key + 8), out[7] = x7 + load32(key + 12);
  out[8] = x8 + load32(key + 16), out[9] = x9 + load32(key + 20);
  out[10] = x10 + load32(key + 24), out[11] = x11 + load32(key + 28);
  out[12] = x12 + counter, out[13] = x13 + load32(key + 36);
  out[14] = x14 + load32(key + 40), out[15] = x15 + load32(key + 44);
}

PROGRAM_INLINE u64 chacha20(const u8* mem, u32 len) {
  if (len < CHACHA20_BYTES) return 0;
  u64 sum = 0;
  for (u32 block = 0; block < 4; block++) {
    u32 stream[16];
    chacha20_block(mem, load32(mem + 32) + block, stream);
    for (u32 i = 0; i < 16; i++)
      sum = rotate_left64(sum, 9) + (load32(mem + 48 + 64 * block + 4 * i) ^ stream[i]);
  }
  return sum;
}
