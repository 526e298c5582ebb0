// SPDX-License-Identifier: Apache-2.0
// One sample program as raw BPF: r1 = memory, r2 = its length, r0 = the result. Compiled once a
// program, with PROGRAM set to its name; the whole of section "raw" is the program.
#include "all.h"

__attribute__((section("raw"))) u64 program(const u8* mem, u32 len) {
  return PROGRAM(mem, len);
}
