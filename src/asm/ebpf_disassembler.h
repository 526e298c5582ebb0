// SPDX-License-Identifier: Apache-2.0
// eBPF instructions as text, in three notations. What is printed in one of them, the assembler
// (ebpf_assembler.h) reads back to the same instructions.
//
//   Llvm      w1 += -0x5      if r1 == 0x5 goto +0x3     r1 = 0x5 ll        as llvm-objdump 19
//   Kernel    (04) w1 += -5   (15) if r1 == 0x5 goto pc+3    (18) r1 = 0x5  as the verifier's log
//   Mnemonic  add32 %r1, -5   jeq %r1, 5, +3             lddw %r1, 0x5      as bpf_conformance
//
// Where the original notation loses something, ours says it: LLVM prints all three sorts of call
// alike (ours: `call 0x5`, `call pc+0x5`, `call kfunc#5`), drops the high half of loader constants,
// and drops the offset of an indirect packet load (`skb[r2 + 0x4]`).
// Tested by ebpf_disassembler_test.cc, ebpf_roundtrip_test.cc
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "isa/ebpf.h"

namespace skep::assembler::ebpf {

enum class Notation : u8 { Llvm, Kernel, Mnemonic };

/// A helper function's number and its name with the "bpf_" in front.
struct HelperName {
  s32 number = 0;
  std::string_view name = {};
};

struct DisassembleOptions {
  bool indexes = false;                      ///< the pc in front of each line
  std::span<const HelperName> helpers = {};  ///< names for the kernel's notation
};

/// One instruction, without the end of the line; "" for the second slot of a 64-bit constant.
std::string to_text(const isa::ebpf::Insn& insn, Notation notation,
                    std::span<const HelperName> helpers = {});

/// A program, one line an instruction. Any list of instructions has a text; whether jumps make
/// sense is not looked at.
std::string disassemble(std::span<const isa::ebpf::Insn> program, Notation notation,
                        const DisassembleOptions& options = {});

}  // namespace skep::assembler::ebpf
