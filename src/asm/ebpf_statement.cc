// SPDX-License-Identifier: Apache-2.0
// The C-like notations of the kernel and of LLVM. Both write the same sentences with other numbers,
// so one grammar reads both: what the statement starts with decides, then the table is asked for
// the operation with the symbol, type and width that were read.
// Tested by ebpf_assembler_test.cc, ebpf_roundtrip_test.cc
#include "asm/ebpf_statement.h"

#include <fmt/format.h>

#include <limits>

#include "asm/ebpf_names.h"
#include "asm/ebpf_operands.h"

namespace skep::assembler::ebpf {
namespace {

using isa::ebpf::AtomicOp;
using isa::ebpf::info;

Statement made(Op op, u8 dst, u8 src = 0, s16 off = 0, s64 imm = 0) {
  return Statement{.insn = Insn{.op = op, .dst = dst, .src = src, .off = off, .imm = imm}};
}

/// 32-bit names are for operations on 32 bits; the kernel uses 64-bit names for those as well.
Status check_width(const Cursor& in, const Register& reg, const OpInfo& op) {
  if (reg.width == 64 || register_letter(op) == 'w') return {};
  return in.error_at(reg.token, fmt::format("this takes a 64-bit register: r{}", reg.number));
}

Status check_same(const Cursor& in, const Register& reg, const Register& as) {
  if (reg.number == as.number && reg.width == as.width) return {};
  return in.error_at(reg.token, fmt::format("this has to be {}", as.token.text));
}

/// `(u32 *)(r1 + 4)`
struct Typed {
  Token type = {};
  Address address = {};
};

Result<Token> parse_type(Cursor& in) {
  SKEP_TRY_DO(in.expect("("));
  if (in.peek().kind != TokenKind::Word) return in.expected("a type such as u32");
  const Token type = in.take();
  SKEP_TRY_DO(in.expect("*"));
  SKEP_TRY_DO(in.expect(")"));
  return type;
}

Result<Address> parse_parenthesised(Cursor& in) {
  SKEP_TRY_DO(in.expect("("));
  SKEP_TRY(const Address address, parse_address(in));
  SKEP_TRY_DO(in.expect(")"));
  return address;
}

Result<Typed> parse_typed(Cursor& in) {
  Typed typed;
  SKEP_TRY(typed.type, parse_type(in));
  SKEP_TRY(typed.address, parse_parenthesised(in));
  return typed;
}

Error no_such_access(const Cursor& in, const Token& type) {
  return in.error_at(type, fmt::format("there is no such access to memory of type {}", type.text));
}

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
  if (src.width != dst.width) {
    return in.error_at(
        src.token, fmt::format("{} and {} are of different width", dst.token.text, src.token.text));
  }
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

/// `skb[4]`, `skb[r2 + 4]` behind its type.
Result<Statement> parse_packet_load(Cursor& in, const Register& dst, const Token& type) {
  in.take();
  SKEP_TRY_DO(in.expect("["));
  const Kind kind = at_register(in) ? Kind::LdInd : Kind::LdAbs;
  Statement statement = made(Op::Exit, 0);
  if (kind == Kind::LdInd) {
    SKEP_TRY(const Register src, parse_wide_register(in));
    statement.insn.src = src.number;
    in.accept("+");  // the kernel prints `r2 + -4`
  }
  if (kind == Kind::LdAbs || !in.peek().is("]")) {
    SKEP_TRY(statement.insn.imm, parse_imm32(in));
  }
  SKEP_TRY_DO(in.expect("]"));
  const auto op =
      find_op([&](const OpInfo& o) { return o.kind == kind && type_name(o) == type.text; });
  if (!op) return no_such_access(in, type);
  if (dst.number != 0) return in.error_at(dst.token, "packet loads go to r0");
  statement.insn.op = *op;
  return statement;
}

/// `*(u32 *)(r1 + 4)`, `*(u8 *)skb[4]`
Result<Statement> parse_load(Cursor& in, const Register& dst) {
  SKEP_TRY_DO(in.expect("*"));
  SKEP_TRY(const Token type, parse_type(in));
  if (in.peek().is("skb")) return parse_packet_load(in, dst, type);
  SKEP_TRY(const Address address, parse_parenthesised(in));
  const auto op = find_op([&](const OpInfo& o) {
    return (o.kind == Kind::Ldx || o.kind == Kind::LdxSx) && type_name(o) == type.text;
  });
  if (!op) return no_such_access(in, type);
  SKEP_TRY_DO(check_width(in, dst, info(*op)));
  return made(*op, dst.number, address.base, address.off);
}

/// What the name of an atomic operation with a result says, in either notation:
///   atomic_fetch_add, atomic64_fetch_add, xchg_64, cmpxchg32_32
struct AtomicName {
  std::string_view stem = {};
  u8 width = 0;  ///< 0: the type says it
};

AtomicName split_atomic_name(std::string_view name) {
  const auto strip_prefix = [&name](std::string_view prefix) {
    if (!name.starts_with(prefix)) return false;
    name.remove_prefix(prefix.size());
    return true;
  };
  const auto strip_suffix = [&name](std::string_view suffix) {
    if (!name.ends_with(suffix)) return false;
    name.remove_suffix(suffix.size());
    return true;
  };
  u8 width = 0;
  if (strip_prefix("atomic64_") || strip_suffix("_64")) {
    width = 64;
  } else if (strip_suffix("32_32")) {
    width = 32;
  } else if (!strip_prefix("atomic_")) {
    return {};
  }
  return {.stem = name, .width = width};
}

/// NAME(memory, [r0,] src), whose old value goes to dst.
Result<Statement> parse_fetch(Cursor& in, const Register& dst) {
  const Token word = in.take();
  const AtomicName name = split_atomic_name(word.text);
  SKEP_TRY_DO(in.expect("("));
  Typed place;
  if (in.peek().is("(")) {
    SKEP_TRY(place, parse_typed(in));
  } else {
    SKEP_TRY(place.address, parse_address(in));
  }
  SKEP_TRY_DO(in.expect(","));
  const auto op = find_op([&](const OpInfo& o) {
    return o.kind == Kind::Atomic && o.fetch && o.mnemonic == name.stem &&
           (name.width == 0 || o.width == name.width) &&
           (place.type.kind == TokenKind::End ? name.width != 0 : type_name(o) == place.type.text);
  });
  if (!op) return in.error_at(word, "there is no such atomic operation on memory of this type");
  const bool compare = info(*op).atomic == AtomicOp::CmpXchg;
  if (compare) {
    if (dst.number != 0) return in.error_at(dst.token, "the old value goes to r0");
    SKEP_TRY(const Register expected, parse_register(in));
    SKEP_TRY_DO(check_same(in, expected, dst));
    SKEP_TRY_DO(in.expect(","));
  }
  SKEP_TRY(const Register src, parse_register(in));
  SKEP_TRY_DO(in.expect(")"));
  SKEP_TRY_DO(check_width(in, dst, info(*op)));
  SKEP_TRY_DO(check_width(in, src, info(*op)));
  if (!compare) SKEP_TRY_DO(check_same(in, src, dst));
  return made(*op, place.address.base, src.number, place.address.off);
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
  if (src.width != dst.width) {
    return in.error_at(
        src.token, fmt::format("{} and {} are of different width", dst.token.text, src.token.text));
  }
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
  const auto acquire = find_op(
      [&](const OpInfo& o) { return o.kind == Kind::LoadAcquire && o.symbol == first.text; });
  if (acquire) {
    in.take();
    SKEP_TRY_DO(in.expect("("));
    SKEP_TRY(const Typed place, parse_typed(in));
    SKEP_TRY_DO(in.expect(")"));
    const auto op = find_op([&](const OpInfo& o) {
      return o.kind == Kind::LoadAcquire && type_name(o) == place.type.text;
    });
    if (!op) return no_such_access(in, place.type);
    SKEP_TRY_DO(check_width(in, dst, info(*op)));
    return made(*op, dst.number, place.address.base, place.address.off);
  }
  if (!split_atomic_name(first.text).stem.empty()) return parse_fetch(in, dst);
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

/// `*(u32 *)(r1 + 4) = w2` or `= 5`
Result<Statement> parse_store(Cursor& in) {
  SKEP_TRY_DO(in.expect("*"));
  SKEP_TRY(const Typed place, parse_typed(in));
  SKEP_TRY_DO(in.expect("="));
  const Kind kind = at_register(in) ? Kind::Stx : Kind::St;
  const auto op =
      find_op([&](const OpInfo& o) { return o.kind == kind && type_name(o) == place.type.text; });
  if (!op) return no_such_access(in, place.type);
  if (kind == Kind::St) {
    SKEP_TRY(const s64 imm, parse_imm32(in));
    return made(*op, place.address.base, 0, place.address.off, imm);
  }
  SKEP_TRY(const Register src, parse_register(in));
  SKEP_TRY_DO(check_width(in, src, info(*op)));
  return made(*op, place.address.base, src.number, place.address.off);
}

/// `lock *(u32 *)(r1 + 4) += w2`
Result<Statement> parse_locked(Cursor& in) {
  SKEP_TRY_DO(in.expect("lock"));
  SKEP_TRY_DO(in.expect("*"));
  SKEP_TRY(const Typed place, parse_typed(in));
  const Token symbol = in.take();
  const auto op = find_op([&](const OpInfo& o) {
    return o.kind == Kind::Atomic && !o.fetch && o.symbol == symbol.text &&
           type_name(o) == place.type.text;
  });
  if (!op) return in.error_at(symbol, "there is no such atomic operation on memory of this type");
  SKEP_TRY(const Register src, parse_register(in));
  SKEP_TRY_DO(check_width(in, src, info(*op)));
  return made(*op, place.address.base, src.number, place.address.off);
}

/// `store_release((u32 *)(r1 + 4), w2)`
Result<Statement> parse_release(Cursor& in) {
  in.take();
  SKEP_TRY_DO(in.expect("("));
  SKEP_TRY(const Typed place, parse_typed(in));
  SKEP_TRY_DO(in.expect(","));
  SKEP_TRY(const Register src, parse_register(in));
  SKEP_TRY_DO(in.expect(")"));
  const auto op = find_op([&](const OpInfo& o) {
    return o.kind == Kind::StoreRelease && type_name(o) == place.type.text;
  });
  if (!op) return no_such_access(in, place.type);
  SKEP_TRY_DO(check_width(in, src, info(*op)));
  return made(*op, place.address.base, src.number, place.address.off);
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
    if (src.width != dst.width) {
      return in.error_at(src.token, fmt::format("{} and {} are of different width", dst.token.text,
                                                src.token.text));
    }
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
  if (in.peek(1).is("(") && first.is(info(Op::StoreRelW).symbol)) return parse_release(in);
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
