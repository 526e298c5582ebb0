// SPDX-License-Identifier: Apache-2.0
// Text -> eBPF instructions. The kernel's notation, LLVM's and bpf_conformance's are all read, also
// mixed in one text, since a line says by itself which one it is in:
//
//   loop:                               a label; `exit` means the first exit if nobody defines it
//   0: (b7) r0 = 1                      the kernel's: pc and opcode are optional, but must be right
//       0:  b7 00 ... 00   r0 = 0x1     llvm-objdump's output, with or without the raw bytes
//   if w1 s> 5 goto loop                LLVM's
//   jsgt32 %r1, 5, loop                 bpf_conformance's and uBPF's; the % is optional
//   call local f / call f / call 5      calls of functions of the text, of helpers
//
// One instruction a line; `#`, `;`, `//` start a comment; directives that emit nothing (.text,
// .globl) are skipped. What a program means is not checked here (isa/ebpf_check.h).
// Tested by ebpf_assembler_test.cc, ebpf_roundtrip_test.cc
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "asm/ebpf_disassembler.h"
#include "isa/ebpf.h"
#include "support/diagnostic.h"
#include "support/result.h"

namespace skep::assembler::ebpf {

struct AssembleOptions {
  /// Helpers that `call bpf_name` (or `call name`) may name; `call name#5` and `call 5` need none.
  std::span<const HelperName> helpers = {};
};

/// The instructions of text, one an 8-byte slot. Errors: Syntax with line and column (BadJump for a
/// label that is too far away, TooLong above isa::ebpf::kMaxInsns); the first one is returned, and
/// up to Diagnostics::kLimit of them are added to all when it is given.
Result<std::vector<isa::ebpf::Insn>> assemble(std::string_view text,
                                              const AssembleOptions& options = {},
                                              Diagnostics* all = nullptr);

}  // namespace skep::assembler::ebpf
