// SPDX-License-Identifier: Apache-2.0
// A small stack machine: memory holds 128 instructions of two bytes (operation, operand), run for
// 256 steps. One switch with 16 arms decides each step; clang gives BPF a tree of compares and
// the host a jump table. The machine's stack has 16 words and wraps around. It starts from values
// that no compiler or verifier knows, so that a verifier can merge the arms' states.
#pragma once

#include "types.h"

#define BYTECODE_BYTES 256

PROGRAM_INLINE u64 bytecode(const u8* mem, u32 len) {
  if (len < BYTECODE_BYTES) return 0;
  u64 stack[16];
  u64 top = load64(mem);
  for (u32 i = 0; i < 16; i++) stack[i] = top + i;
  u32 pc = mem[0] & 127, depth = mem[1] & 15;
  for (u32 step = 0; step < 256; step++) {
    const u32 operand = mem[2 * pc + 1];
    u32 next = pc + 1;
    switch (mem[2 * pc] & 15) {
      case 0: top += operand; break;
      case 1: top -= operand; break;
      case 2: top *= operand | 1; break;
      case 3: top ^= (u64)operand << 17; break;
      case 4:
        depth++;
        stack[depth & 15] = top;
        break;
      case 5:
        top += stack[depth & 15];
        depth--;
        break;
      case 6: top = rotate_left64(top, 11); break;
      case 7: next += operand & (u32)top; break;
      case 8: next += operand & 3; break;
      case 9: top = ~top; break;
      case 10: top >>= operand & 7; break;
      case 11: stack[operand & 15] ^= top; break;
      case 12: next += (top > stack[depth & 15]); break;
      case 13: top = top * 10 + operand; break;
      case 14: top |= (u64)operand << 32; break;
      case 15: next = operand; break;
    }
    pc = next & 127;
    depth &= 15;
  }
  u64 result = top;
  for (u32 i = 0; i < 16; i++) result = rotate_left64(result, 5) ^ stack[i];
  return result;
}
