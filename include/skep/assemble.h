// SPDX-License-Identifier: Apache-2.0
// Text to extended BPF bytecode and back.
// Tested by src/api/assemble_test.cc
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skep/expected.h"
#include "skep/export.h"

namespace skep {

/// The ways in which instructions are written.
enum class Notation : std::uint8_t {
  Llvm,      ///< r0 = 1; if r1 != 0 goto +3     (llvm-objdump)
  Kernel,    ///< r0 = 1; if r1 != 0x0 goto pc+3  (verifier log, bpftool)
  Mnemonic,  ///< mov %r0, 1; jne %r1, 0, +3      (uBPF, bpf_conformance)
};

/// Bytecode of a program in the host's byte order; the text may use any notation, labels and
/// comments. Where jumps go is looked at when a program is loaded. Errors, with line and column:
/// Syntax, BadJump (a distance that its field cannot hold).
SKEP_API Expected<std::vector<std::uint8_t>> assemble(std::string_view text);

/// One instruction a line, in the given notation; no instructions are no text. Errors: Truncated,
/// BadInsn.
SKEP_API Expected<std::string> disassemble(std::span<const std::uint8_t> bytecode,
                                           Notation notation = Notation::Llvm);

}  // namespace skep
