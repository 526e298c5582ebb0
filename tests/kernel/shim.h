// SPDX-License-Identifier: Apache-2.0
// What the kernel's table of BPF tests needs from the kernel, in user space: its integer names,
// limits, allocation and division helpers, and the pseudo-random generator that fills one test.
// Included by dump.c before the slices of kernel source that extract.py cuts out.
#pragma once

#include <errno.h>
#include <limits.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The kernel defines it on big-endian machines only; the C library, everywhere.
#undef __BIG_ENDIAN

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

// clang-format off
#define S16_MIN  SHRT_MIN
#define S16_MAX  SHRT_MAX
#define S32_MIN  INT_MIN
#define S32_MAX  INT_MAX
#define U32_MAX  UINT_MAX
#define S64_MIN  INT64_MIN
#define S64_MAX  INT64_MAX
#define U64_MAX  UINT64_MAX
#define ENOTSUPP 524
#define BITS_PER_LONG 64
#define PAGE_SIZE     4096
#define MAX_BPF_STACK 512
#define GFP_KERNEL    0

#define __read_mostly
#define __maybe_unused  __attribute__((unused))
#define __always_inline inline __attribute__((always_inline))
#define BIT(n)          (1UL << (n))
#define BIT_ULL(n)      (1ULL << (n))
#define ARRAY_SIZE(a)   (sizeof(a) / sizeof((a)[0]))
#define min(a, b)       ((a) < (b) ? (a) : (b))
#define max(a, b)       ((a) > (b) ? (a) : (b))
#define BUG()           abort()
#define BUG_ON(c)       do { if (c) abort(); } while (0)
#define pr_err(...)     fprintf(stderr, __VA_ARGS__)
#define pr_info(...)    fprintf(stderr, __VA_ARGS__)

#define kmalloc_array(n, size, flags) calloc(n, size)
#define kmalloc(size, flags)          calloc(1, size)
#define kzalloc(size, flags)          calloc(1, size)
#define vmalloc(size)                 calloc(1, size)
#define kfree                         free

#define lower_32_bits(x) ((u32)(x))
#define upper_32_bits(x) ((u32)((u64)(x) >> 32))
#define cpu_to_le16(x)   (x)
#define cpu_to_le32(x)   (x)
#define cpu_to_le64(x)   (x)
#define cpu_to_be16(x)   __builtin_bswap16(x)
#define cpu_to_be32(x)   __builtin_bswap32(x)
#define cpu_to_be64(x)   __builtin_bswap64(x)

#define div64_u64(a, b) ((u64)(a) / (u64)(b))
#define do_div(n, b)    divide_in_place(&(n), b)
// clang-format on

static inline u64 div64_u64_rem(u64 a, u64 b, u64* rest) {
  *rest = a % b;
  return a / b;
}
static inline s64 div64_s64(s64 a, s64 b) {
  return a / b;
}
static inline u32 divide_in_place(u64* n, u32 b) {
  const u32 rest = (u32)(*n % b);
  *n /= b;
  return rest;
}

// The combined generator LFSR113 of Pierre L'Ecuyer, "Tables of maximally equidistributed combined
// LFSR generators", Mathematics of Computation 68 (1999). Four shift-register sequences with
// characteristic polynomials x^k + x^q + 1 advance by s bits a step; the output is the exclusive
// or of the four words. Only the top k bits of a word are state, so it must not be below 2^(32-k).
struct lfsr {
  int k, q, s;
};
static const struct lfsr kLfsr113[4] = {{31, 6, 18}, {29, 2, 2}, {28, 13, 7}, {25, 3, 13}};

struct rnd_state {
  u32 word[4];
};

static u32 prandom_u32_state(struct rnd_state* state) {
  u32 out = 0;
  for (int i = 0; i < 4; i++) {
    const struct lfsr g = kLfsr113[i];
    const u32 z = state->word[i];
    const u32 top_bits = z & (~0u << (32 - g.k));
    const u32 fresh = ((z << g.q) ^ z) >> (g.k - g.s);
    state->word[i] = (top_bits << g.s) ^ fresh;
    out ^= state->word[i];
  }
  return out;
}

// Kernel: the 64-bit seed is folded to 32 bits and given to all four words, moved up to each
// word's smallest allowed value.
static void prandom_seed_state(struct rnd_state* state, u64 seed) {
  const u32 folded = (u32)((seed >> 32) ^ (seed << 10) ^ seed);
  for (int i = 0; i < 4; i++) {
    const u32 least = 1u << (32 - kLfsr113[i].k);
    state->word[i] = folded < least ? folded + least : folded;
  }
}

// The address of the tests' only kernel function never matters: its call is made relative.
static u64 __bpf_call_base(u64 a, u64 b, u64 c, u64 d, u64 e) {
  return a ^ a ^ b ^ b ^ c ^ c ^ d ^ d ^ e ^ e;
}
