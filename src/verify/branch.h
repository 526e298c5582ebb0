// SPDX-License-Identifier: Apache-2.0
// Conditional jumps. Where the outcome is certain the walk goes one way only; else the other way is
// put aside, and on each way everything that the comparison says is noted: ranges of numbers (and
// of their copies), pointers that are null or not, how far the packet reaches.
// Source: kernel/bpf/verifier.c (check_cond_jmp_op).  Tested by tests/verify, tests/kernel
#pragma once

#include "verify/walk.h"

namespace skep::verify {

/// Jmp instructions; moves walk.pc to the way taken.
Check check_branch(Walk& walk);

/// What a comparison of packet pointers says; null state: that way is not walked. False if the
/// instruction is no such comparison.
bool learn_packet_range(const isa::ebpf::Insn& insn, State& fallen, State& taken);
/// The outcome of comparing a packet pointer with the end, if it was compared before.
std::optional<bool> decide_packet(isa::ebpf::JmpOp op, const Reg& dst, const Reg& src);

/// All copies of the pointer in register `number`, compared with 0, are null or not.
void mark_null(Walk& walk, State& state, u32 number, bool is_null);
/// The pointer is not null: what it points to, from then on.
void mark_not_null(const Walk& walk, Reg& reg);

}  // namespace skep::verify
