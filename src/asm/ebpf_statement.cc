// SPDX-License-Identifier: Apache-2.0
// The C-like notations of the kernel and of LLVM. Both write the same sentences with other numbers,
// so one grammar reads both: what the statement starts with decides, then the table is asked for
// the operation with the symbol, type and width that were read.
// Tested by ebpf_assembler_test.cc, ebpf_roundtrip_test.cc
#include "asm/ebpf_statement.h"

#include <fmt/format.h>

#include <limits>

#include "asm/ebpf_memory_form.h"
#include "asm/ebpf_names.h"
#include "asm/ebpf_operands.h"

namespace skep::assembler::ebpf {
namespace {

using isa::ebpf::info;

/// dst SYMBOL register-or-number, with SYMBOL taken already; `=` is one of them.
Result<Statement> parse_alu(Cursor& in, const Register& dst, const Token& symbol) {
  const Source source = at_register(in) ? Source::X : Source::K;
  const auto op = find_op([&](const OpInfo& o) {
    return o.kind == Kind::Alu && o.symbol == symbol.text && o.width == dst.width &&
           o.source == source;
  });
  if (!op) return in.error_at(symbol, fmt::format("there is no operation '{}'", symbol.text));
  if (source == Source::K) {
    SKEP_TRY(const s64 imm, parse_imm32(in));
    return made(*op, dst.number, 0, 0, imm);
  }
  SKEP_TRY(const Register src, parse_register(in));
  SKEP_TRY_DO(check_same_width(in, dst, src));
  return made(*op, dst.number, src.number);
}

/// `5`, `-5 ll`; behind the kernel's (18) a number has 64 bits without saying so.
Result<Statement> parse_constant(Cursor& in, const Register& dst, const Token& symbol,
                                 std::optional<u8> opcode) {
  const bool has_sign = in.peek().kind == TokenKind::Symbol;
  const bool says_ll = in.peek(has_sign ? 2 : 1).is("ll");
  if (says_ll || opcode == info(Op::Lddw).code) {
    SKEP_TRY_DO(check_width(in, dst, info(Op::Lddw)));
    SKEP_TRY(const s64 imm, parse_imm64(in));
    in.accept("ll");
    return made(Op::Lddw, dst.number, 0, 0, imm);
  }
  const auto mov = find_op([&](const OpInfo& o) {
    return o.kind == Kind::Alu && o.symbol == symbol.text && o.width == dst.width &&
           o.source == Source::K;
  });
  SKEP_TRY(const s64 imm, parse_imm32(in, "a number without `ll`"));
  return made(*mov, dst.number, 0, 0, imm);
}

/// `map[fd:5]`, `map[fd:5][0]+8`, `subprog[3]`: rebuilt as the table spells it, % for the number.
Result<Statement> parse_loader_constant(Cursor& in, const Register& dst) {
  const Token word = in.take();
  std::string pattern(word.text);
  SKEP_TRY_DO(in.expect("["));
  pattern += "[";
  if (in.peek().kind == TokenKind::Word) {
    pattern += in.take().text;
    SKEP_TRY_DO(in.expect(":"));
    pattern += ":";
  }
  SKEP_TRY(const s64 low, parse_imm32(in));
  SKEP_TRY_DO(in.expect("]"));
  pattern += "%]";
  if (in.accept("[")) {
    SKEP_TRY_DO(parse_number(in, 0, 0, "the index of a map's value"));
    SKEP_TRY_DO(in.expect("]"));
    pattern += "[0]";
  }
  s64 high = 0;
  if (in.peek().is("+")) {
    SKEP_TRY(high, parse_number(in, 0, std::numeric_limits<u32>::max(), "an offset"));
  }
  const auto op =
      find_op([&](const OpInfo& o) { return o.kind == Kind::Lddw && o.symbol == pattern; });
  if (!op) return in.error_at(word, fmt::format("there is no constant of the form {}", pattern));
  SKEP_TRY_DO(check_width(in, dst, info(*op)));
  const u64 bits = static_cast<u64>(high) << 32 | static_cast<u32>(low);
  return made(*op, dst.number, 0, 0, static_cast<s64>(bits));
}

Result<Statement> parse_sign_extension(Cursor& in, const Register& dst) {
  in.take();
  const Token type = in.take();
  SKEP_TRY_DO(in.expect(")"));
  SKEP_TRY(const Register src, parse_register(in));
  const auto op = find_op([&](const OpInfo& o) {
    return o.kind == Kind::MovSx && o.width == dst.width &&
           fmt::format("s{}", o.from_bits) == type.text;
  });
  if (!op) {
    return in.error_at(type,
                       fmt::format("{} cannot take a value of type {}", dst.token.text, type.text));
  }
  SKEP_TRY_DO(check_same_width(in, dst, src));
  return made(*op, dst.number, src.number);
}

/// `-r1`, `be16 r1`: the operand has to be dst.
Result<Statement> parse_unary(Cursor& in, const Register& dst, Op op) {
  in.take();
  SKEP_TRY_DO(check_width(in, dst, info(op)));
  SKEP_TRY(const Register operand, parse_register(in));
  SKEP_TRY_DO(check_same(in, operand, dst));
  return made(op, dst.number);
}

/// What stands behind `dst =`.
Result<Statement> parse_value(Cursor& in, const Register& dst, const Token& symbol,
                              std::optional<u8> opcode) {
  const Token& first = in.peek();
  if (at_register(in)) return parse_alu(in, dst, symbol);
  if (first.is("-") && at_register(in, 1)) {
    const auto neg =
        find_op([&](const OpInfo& o) { return o.kind == Kind::Neg && o.width == dst.width; });
    return parse_unary(in, dst, *neg);
  }
  if (first.kind == TokenKind::Number || first.is("-") || first.is("+")) {
    return parse_constant(in, dst, symbol, opcode);
  }
  if (first.is("*")) return parse_load(in, dst);
  if (first.is("(")) return parse_sign_extension(in, dst);
  if (first.kind != TokenKind::Word) return in.expected("a register, a number or memory");
  const auto end =
      find_op([&](const OpInfo& o) { return o.kind == Kind::End && o.symbol == first.text; });
  if (end) return parse_unary(in, dst, *end);
  if (in.peek(1).is("[")) return parse_loader_constant(in, dst);
  if (is_acquire(first)) return parse_acquire(in, dst);
  if (is_fetch(first)) return parse_fetch(in, dst);
  if (in.peek(1).is("ll")) {
    return in.error_at(first, "the address of a symbol is known only to a linker");
  }
  return in.expected("a register, a number or memory");
}

Result<Statement> parse_assignment(Cursor& in, std::optional<u8> opcode) {
  SKEP_TRY(const Register dst, parse_register(in));
  if (in.peek().kind != TokenKind::Symbol) return in.expected("an operator such as += or =");
  const Token symbol = in.take();
  if (symbol.is("=")) return parse_value(in, dst, symbol, opcode);
  return parse_alu(in, dst, symbol);
}

/// `if r1 s> 5 goto +3`
Result<Statement> parse_conditional(Cursor& in) {
  SKEP_TRY_DO(in.expect("if"));
  SKEP_TRY(const Register dst, parse_register(in));
  const Token symbol = in.take();
  const Source source = at_register(in) ? Source::X : Source::K;
  const auto op = find_op([&](const OpInfo& o) {
    return o.kind == Kind::Jmp && o.symbol == symbol.text && o.width == dst.width &&
           o.source == source;
  });
  if (!op) return in.error_at(symbol, "expected a comparison such as == or s>=");
  Statement statement = made(*op, dst.number);
  if (source == Source::X) {
    SKEP_TRY(const Register src, parse_register(in));
    SKEP_TRY_DO(check_same_width(in, dst, src));
    statement.insn.src = src.number;
  } else {
    SKEP_TRY(statement.insn.imm, parse_imm32(in));
  }
  SKEP_TRY_DO(in.expect("goto"));
  SKEP_TRY_DO(parse_target(in, statement));
  return statement;
}

/// LLVM's `ld_pseudo r1, 1, 5`: the loader's constants by the number in their src field.
Result<Statement> parse_ld_pseudo(Cursor& in) {
  in.take();
  SKEP_TRY(const Register dst, parse_wide_register(in));
  SKEP_TRY_DO(in.expect(","));
  const Token number = in.peek();
  SKEP_TRY(const s64 src, parse_number(in, 0, 15, "the number of a constant's sort"));
  SKEP_TRY_DO(in.expect(","));
  SKEP_TRY(const s64 imm, parse_imm64(in));
  const auto op =
      find_op([&](const OpInfo& o) { return o.kind == Kind::Lddw && o.selected == src; });
  if (!op) return in.error_at(number, fmt::format("there are no constants of sort {}", src));
  return made(*op, dst.number, 0, 0, imm);
}

Result<Statement> parse_any(Cursor& in, std::optional<u8> opcode, const Mnemonics& mnemonics) {
  const Token& first = in.peek();
  if (at_register(in)) return parse_assignment(in, opcode);
  if (first.is("*")) return parse_store(in);
  if (first.kind != TokenKind::Word) return in.expected("an instruction");
  if (first.is("if")) return parse_conditional(in);
  if (first.is("lock") && in.peek(1).is("*")) return parse_locked(in);
  if (first.is("ld_pseudo")) return parse_ld_pseudo(in);
  if (first.is("call")) {
    in.take();
    return parse_call(in);
  }
  if (in.peek(1).is("(") && is_release(first)) return parse_release(in);
  const auto jump = find_op([&](const OpInfo& o) {
    return (o.kind == Kind::Ja || o.kind == Kind::MayGoto) && o.symbol == first.text;
  });
  if (jump) {
    in.take();
    Statement statement = made(*jump, 0);
    SKEP_TRY_DO(parse_target(in, statement));
    return statement;
  }
  return parse_mnemonic_form(in, mnemonics);
}

}  // namespace

Result<Statement> parse_statement(Cursor& in, std::optional<u8> opcode,
                                  const Mnemonics& mnemonics) {
  const Token first = in.peek();
  SKEP_TRY(Statement statement, parse_any(in, opcode, mnemonics));
  if (!in.at_end()) return in.expected("the end of the line");
  const u8 code = info(statement.insn.op).code;
  if (opcode && *opcode != code) {
    return in.error_at(
        first, fmt::format("this instruction's opcode is ({:02x}), not ({:02x})", code, *opcode));
  }
  return statement;
}

}  // namespace skep::assembler::ebpf
