// SPDX-License-Identifier: Apache-2.0
// The structure that every eBPF program must have before any engine may run it, verified or not:
// it is not empty or too long, jumps and local calls land on instructions of the program, control
// cannot run past the end, and r10 is not written. What registers hold is the verifier's business.
// Source: RFC 9669; kernel/bpf/verifier.c check_subprogs.  Tested by ebpf_check_test.cc
#pragma once

#include <span>

#include "isa/ebpf.h"
#include "support/result.h"

namespace skep::isa::ebpf {

/// Most slots of a program (Linux: BPF_COMPLEXITY_LIMIT_INSNS for privileged loads).
constexpr std::size_t kMaxInsns = 1'000'000;

/// Whether insn changes the register named by its dst field.
bool writes_dst(const Insn& insn);

/// Checks the structure. Errors, all with the pc: BadJump, BadInsn (r10 written, control running
/// past the end, empty program), TooLong.
Status check_structure(std::span<const Insn> program);

}  // namespace skep::isa::ebpf
