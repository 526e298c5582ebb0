// SPDX-License-Identifier: Apache-2.0
// What an operation is called and which operands it has, derived from the table (ebpf.def): the one
// place that both the reader and the writer of a notation ask. No names are listed here.
// Tested by ebpf_roundtrip_test.cc
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "isa/ebpf.h"

namespace skep::assembler::ebpf {

using isa::ebpf::Insn;
using isa::ebpf::Kind;
using isa::ebpf::kOpCount;
using isa::ebpf::kOpInfo;
using isa::ebpf::Op;
using isa::ebpf::OpInfo;
using isa::ebpf::Source;

/// The first operation whose facts satisfy the predicate, if any.
template <class Predicate>
std::optional<Op> find_op(Predicate&& satisfies) {
  for (std::size_t i = 0; i < kOpCount; ++i) {
    if (satisfies(kOpInfo[i])) return static_cast<Op>(i);
  }
  return std::nullopt;
}

/// The operation in the mnemonic notation: "add32", "movsx864", "lock fetch add", "call local".
std::string mnemonic(const OpInfo& op);

/// The operands in the mnemonic notation, in order, a letter each:
///   d s   register dst, src          D S   memory at dst + off, at src + off
///   i     32-bit number              I     64-bit number
///   t     distance or label          h     helper's number
///   k     number of a kernel function, and `off=` its module
std::string_view operands(const OpInfo& op);

/// "u8" to "u64", "s8" to "s32": the C type of the memory that the operation accesses.
std::string type_name(const OpInfo& op);

/// The letter of the registers that hold the operation's values where the notation tells 32-bit
/// ones apart: 'w' or 'r'.
char register_letter(const OpInfo& op);

}  // namespace skep::assembler::ebpf
