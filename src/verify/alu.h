// SPDX-License-Identifier: Apache-2.0
// Arithmetic on registers: numbers with numbers (scalar_alu.h), pointers with numbers (which move
// the pointer), pointers with pointers (whose difference is a number for those who may know it).
// Source: kernel/bpf/verifier.c (check_alu_op and below).  Tested by tests/verify, tests/kernel
#pragma once

#include "verify/walk.h"

namespace skep::verify {

/// Alu, MovSx, Neg and End instructions.
Check check_alu(Walk& walk);

/// walk.insn() adds the number offset to (or takes it from) the pointer; the result goes to the
/// instruction's destination. pointer may be that register itself.
Check move_pointer(Walk& walk, const Reg& pointer, const Reg& offset);

}  // namespace skep::verify
