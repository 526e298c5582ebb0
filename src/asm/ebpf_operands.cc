// SPDX-License-Identifier: Apache-2.0
// Operands. Ranges are checked against the field that the number goes to.
// Tested by ebpf_assembler_test.cc
#include "asm/ebpf_operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "asm/ebpf_names.h"

namespace skep::assembler::ebpf {
namespace {

using isa::ebpf::kRegisterCount;

constexpr s64 kMin16 = std::numeric_limits<s16>::min();
constexpr s64 kMax16 = std::numeric_limits<s16>::max();
constexpr s64 kMin32 = std::numeric_limits<s32>::min();
constexpr s64 kMax32 = std::numeric_limits<s32>::max();
constexpr s64 kMaxU32 = std::numeric_limits<u32>::max();

bool is_register_word(const Token& token) {
  const std::string_view text = token.text;
  return token.kind == TokenKind::Word && text.size() > 1 && text.size() < 5 &&
         (text[0] == 'r' || text[0] == 'w') &&
         std::all_of(text.begin() + 1, text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

struct Signed {
  bool negative = false;
  u64 magnitude = 0;
  Token token = {};  ///< the first one, for errors
};

Result<Signed> parse_signed(Cursor& in, std::string_view what) {
  Signed number;
  number.token = in.peek();
  if (in.accept("-")) {
    number.negative = true;
  } else {
    in.accept("+");
  }
  if (in.peek().kind != TokenKind::Number) return in.expected(what);
  number.magnitude = in.take().number;
  return number;
}

/// magnitude with its sign, where the value is known to fit.
s64 apply_sign(const Signed& number) {
  return static_cast<s64>(number.negative ? 0 - number.magnitude : number.magnitude);
}

/// low is not above 0, high not below.
bool in_range(const Signed& number, s64 low, s64 high) {
  const u64 limit = number.negative ? 0 - static_cast<u64>(low) : static_cast<u64>(high);
  return number.magnitude <= limit;
}

}  // namespace

bool at_register(const Cursor& in, std::size_t ahead) {
  return is_register_word(in.peek(ahead).is("%") ? in.peek(ahead + 1) : in.peek(ahead));
}

Result<Register> parse_register(Cursor& in) {
  if (!at_register(in)) return in.expected("a register");
  in.accept("%");
  const Token& token = in.take();
  unsigned number = 0;
  for (char c : token.text.substr(1)) number = number * 10 + static_cast<unsigned>(c - '0');
  const bool padded = token.text.size() > 2 && token.text[1] == '0';
  if (number >= kRegisterCount || padded) {
    return in.error_at(token, fmt::format("there is no register {}", token.text));
  }
  return Register{.number = static_cast<u8>(number),
                  .width = static_cast<u8>(token.text[0] == 'w' ? 32 : 64),
                  .token = token};
}

Result<Register> parse_wide_register(Cursor& in) {
  SKEP_TRY(const Register reg, parse_register(in));
  if (reg.width == 64) return reg;
  return in.error_at(reg.token, fmt::format("this takes a 64-bit register: r{}", reg.number));
}

Result<s64> parse_number(Cursor& in, s64 low, s64 high, std::string_view what) {
  SKEP_TRY(const Signed number, parse_signed(in, what));
  if (in_range(number, low, high)) return apply_sign(number);
  return in.error_at(number.token, fmt::format("{} is from {} to {}", what, low, high));
}

Result<s64> parse_imm32(Cursor& in, std::string_view what) {
  SKEP_TRY(const s64 value, parse_number(in, kMin32, kMaxU32, what));
  return s64{static_cast<s32>(value)};
}

Result<s64> parse_imm64(Cursor& in) {
  SKEP_TRY(const Signed number, parse_signed(in, "a number"));
  if (!number.negative || in_range(number, std::numeric_limits<s64>::min(), 0)) {
    return apply_sign(number);
  }
  return in.error_at(number.token, "the number does not fit in 64 bits");
}

Result<Address> parse_address(Cursor& in) {
  SKEP_TRY(const Register base, parse_wide_register(in));
  Address address{.base = base.number, .off = 0};
  if (in.peek().is("+") || in.peek().is("-")) {
    SKEP_TRY(const s64 off, parse_number(in, kMin16, kMax16, "an offset"));
    address.off = static_cast<s16>(off);
  }
  return address;
}

Status parse_target(Cursor& in, Statement& statement) {
  const bool pc = in.peek().is("pc") && (in.peek(1).is("+") || in.peek(1).is("-"));
  if (pc) in.take();
  const Token& first = in.peek();
  if (first.is("+") || first.is("-")) {
    SKEP_TRY(const s64 slots, parse_number(in, kMin32, kMax32, "a distance"));
    if (in.peek().is("<")) in.skip_rest();  // llvm-objdump adds what stands there: <f+0x8>
    return set_distance(statement.insn, slots, first, in.line());
  }
  if (first.kind != TokenKind::Word) {
    return in.expected("a label or a distance such as +3");
  }
  statement.label = in.take();
  return {};
}

Status check_width(const Cursor& in, const Register& reg, const OpInfo& op) {
  if (reg.width == 64 || register_letter(op) == 'w') return {};
  return in.error_at(reg.token, fmt::format("this takes a 64-bit register: r{}", reg.number));
}

Status check_same(const Cursor& in, const Register& reg, const Register& as) {
  if (reg.number == as.number && reg.width == as.width) return {};
  return in.error_at(reg.token, fmt::format("this has to be {}", as.token.text));
}

Status check_same_width(const Cursor& in, const Register& dst, const Register& src) {
  if (dst.width == src.width) return {};
  return in.error_at(
      src.token, fmt::format("{} and {} are of different width", dst.token.text, src.token.text));
}

Statement made(Op op, u8 dst, u8 src, s16 off, s64 imm) {
  return Statement{.insn = Insn{.op = op, .dst = dst, .src = src, .off = off, .imm = imm}};
}

Status set_distance(Insn& insn, s64 slots, const Token& token, u32 line) {
  const bool wide = insn.op == Op::Ja32 || insn.op == Op::CallLocal;
  if (slots < (wide ? kMin32 : kMin16) || slots > (wide ? kMax32 : kMax16)) {
    return error_at_line(
        Code::BadJump, line, token.column,
        fmt::format("the distance {} does not fit in {} bits{}", slots, wide ? 32 : 16,
                    insn.op == Op::Ja ? ": gotol (ja32) reaches further" : ""));
  }
  if (wide) {
    insn.imm = slots;
  } else {
    insn.off = static_cast<s16>(slots);
  }
  return {};
}

}  // namespace skep::assembler::ebpf
