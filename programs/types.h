// SPDX-License-Identifier: Apache-2.0
// What every sample program includes: integer names and aligned little-endian loads, in the C that
// the BPF compiler, the host's C compiler and a C++ test all read. A load through these types has
// the width's own alignment: the BPF target would split an unaligned one into bytes.
#pragma once

typedef __UINT8_TYPE__ u8;
typedef __UINT16_TYPE__ u16;
typedef __UINT32_TYPE__ u32;
typedef __UINT64_TYPE__ u64;

#define PROGRAM_INLINE static inline __attribute__((always_inline, unused))

#ifdef __clang__
#define PROGRAM_UNROLL(n) _Pragma(PROGRAM_TEXT(clang loop unroll_count(n)))
#define PROGRAM_TEXT(x) #x
#else
#define PROGRAM_UNROLL(n)
#endif

typedef u16 __attribute__((may_alias)) u16_in_memory;
typedef u32 __attribute__((may_alias)) u32_in_memory;
typedef u64 __attribute__((may_alias)) u64_in_memory;

PROGRAM_INLINE u16 load16(const u8* p) {
  return *(const u16_in_memory*)p;
}
PROGRAM_INLINE u32 load32(const u8* p) {
  return *(const u32_in_memory*)p;
}
PROGRAM_INLINE u64 load64(const u8* p) {
  return *(const u64_in_memory*)p;
}

/// x rotated left by n bits; n from 1 to width - 1.
PROGRAM_INLINE u32 rotate_left32(u32 x, u32 n) {
  return (x << n) | (x >> (32 - n));
}
PROGRAM_INLINE u64 rotate_left64(u64 x, u32 n) {
  return (x << n) | (x >> (64 - n));
}

/// x, of which the compiler may no longer assume anything. (It would otherwise count a loop from a
/// negative offset, and Linux's verifier refuses a negative offset from a map value.)
PROGRAM_INLINE u32 opaque(u32 x) {
  __asm__("" : "+r"(x));
  return x;
}
