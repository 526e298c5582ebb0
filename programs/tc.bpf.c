// SPDX-License-Identifier: Apache-2.0
// One sample program as a sched_cls program that a verifier accepts: its memory is the value of
// the array map "input", its result goes to the array map "output" (64 bits) and, cut to 32, is
// the return value. Compiled once a program, with PROGRAM and PROGRAM_BYTES set.
#include "all.h"

#define ARRAY_MAP(name, value_bytes) \
  struct {                           \
    int (*type)[2]; /* array */      \
    int (*max_entries)[1];           \
    int (*key_size)[4];              \
    int (*value_size)[value_bytes];  \
  } name __attribute__((section(".maps"), used))

ARRAY_MAP(input, (PROGRAM_BYTES + 7) & ~7);
ARRAY_MAP(output, 8);

char _license[] __attribute__((section("license"), used)) = "Dual BSD/GPL";

static void* (*const map_lookup_elem)(void* map, const void* key) = (void*)1;

__attribute__((section("tc"), used)) int program(void* ctx) {
  (void)ctx;
  const u32 zero = 0;
  const u8* mem = map_lookup_elem(&input, &zero);
  u64* result = map_lookup_elem(&output, &zero);
  if (!mem || !result) return -1;
  *result = PROGRAM(mem, PROGRAM_BYTES);
  return (int)*result;
}
