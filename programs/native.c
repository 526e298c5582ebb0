// SPDX-License-Identifier: Apache-2.0
// The sample programs as native functions, native_NAME: what an engine's time is divided by. Built
// by clang -O2 without the vectorizers, so that it is the same scalar work.
#include "all.h"

#define PROGRAM(name, bytes, expected)        \
  u64 native_##name(const u8* mem, u32 len) { \
    return name(mem, len);                    \
  }
#include "programs.def"
