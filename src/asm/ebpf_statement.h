// SPDX-License-Identifier: Apache-2.0
// One instruction's tokens -> one instruction, whose jump target may still be a label. The C-like
// notations (ebpf_statement.cc) and the mnemonic one (ebpf_mnemonic_form.cc) share the operands
// (ebpf_operands.h).
// Tested by ebpf_assembler_test.cc
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "asm/ebpf_lexer.h"
#include "isa/ebpf.h"

namespace skep::assembler::ebpf {

/// A parsed instruction. Where label is not empty, its place becomes the jump distance or, for a
/// `call` that may also name a helper, the helper's number.
struct Statement {
  isa::ebpf::Insn insn = {};
  Token label = {};              ///< a Word, or an End when there is no label
  bool may_name_helper = false;  ///< `call name`
};

/// The operations by the names of the mnemonic notation.
using Mnemonics = std::unordered_map<std::string, std::vector<isa::ebpf::Op>>;
Mnemonics make_mnemonics();

/// Reads one instruction. opcode is the kernel's `(b7)` in front of it, which decides between
/// `r1 = 5` in one slot or two, and has to be the instruction's in any case.
Result<Statement> parse_statement(Cursor& in, std::optional<u8> opcode, const Mnemonics& mnemonics);

/// Reads an instruction in the mnemonic notation, from its first word on.
Result<Statement> parse_mnemonic_form(Cursor& in, const Mnemonics& mnemonics);

/// Reads what follows `call`, in any notation.
Result<Statement> parse_call(Cursor& in);

}  // namespace skep::assembler::ebpf
