// SPDX-License-Identifier: Apache-2.0
// The operands that all notations share: registers, numbers, distances, memory.
// Tested by ebpf_assembler_test.cc
#pragma once

#include "asm/ebpf_lexer.h"
#include "asm/ebpf_statement.h"

namespace skep::assembler::ebpf {

struct Register {
  u8 number = 0;
  u8 width = 64;     ///< 32: written as w1
  Token token = {};  ///< for errors about it
};

/// Memory at base + off.
struct Address {
  u8 base = 0;
  s16 off = 0;
};

/// Whether the token ahead steps from here (or the one after a %) looks like a register.
bool at_register(const Cursor& in, std::size_t ahead = 0);
/// `r1`, `w1`, `%r1`; r11 and above do not exist.
Result<Register> parse_register(Cursor& in);
/// A register written as r (`w1` is an error).
Result<Register> parse_wide_register(Cursor& in);

/// A number from -2^31 to 2^32 - 1, as the 32 bits that it is stored in, sign-extended.
Result<s64> parse_imm32(Cursor& in, std::string_view what = "a 32-bit number");
/// A number from -2^63 to 2^64 - 1, as the 64 bits that it is stored in.
Result<s64> parse_imm64(Cursor& in);
/// A number from low to high; what says in errors what it is.
Result<s64> parse_number(Cursor& in, s64 low, s64 high, std::string_view what);

/// `r1`, `r1 + 4`, `r1 -4`.
Result<Address> parse_address(Cursor& in);

/// `+4`, `pc-4` or a label, put into statement. A label's place is filled in later.
Status parse_target(Cursor& in, Statement& statement);

/// 32-bit names are for operations on 32 bits (where the kernel uses 64-bit names as well).
Status check_width(const Cursor& in, const Register& reg, const isa::ebpf::OpInfo& op);
/// Both registers have to be the same.
Status check_same(const Cursor& in, const Register& reg, const Register& as);
/// Both registers have to be of the same width.
Status check_same_width(const Cursor& in, const Register& dst, const Register& src);

/// A statement without a label.
Statement made(isa::ebpf::Op op, u8 dst, u8 src = 0, s16 off = 0, s64 imm = 0);

/// Puts a distance into the field where the instruction has it. Errors: BadJump if it does not fit.
Status set_distance(isa::ebpf::Insn& insn, s64 slots, const Token& token, u32 line);

}  // namespace skep::assembler::ebpf
