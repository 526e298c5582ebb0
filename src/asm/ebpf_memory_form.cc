// SPDX-License-Identifier: Apache-2.0
// The C-like notations of memory accesses. Loads and stores name their type, `*(u32 *)(r1 + 4)`;
// atomic operations do so in the kernel's notation, while LLVM's xchg and cmpxchg carry a width in
// their names.
// Tested by ebpf_assembler_test.cc, ebpf_roundtrip_test.cc
#include "asm/ebpf_memory_form.h"

#include <fmt/format.h>

#include "asm/ebpf_names.h"
#include "asm/ebpf_operands.h"

namespace skep::assembler::ebpf {
namespace {

using isa::ebpf::AtomicOp;
using isa::ebpf::info;

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

bool has_symbol(const Token& token, Kind kind) {
  return find_op([&](const OpInfo& o) { return o.kind == kind && token.is(o.symbol); }).has_value();
}

}  // namespace

bool is_acquire(const Token& token) {
  return has_symbol(token, Kind::LoadAcquire);
}

bool is_release(const Token& token) {
  return has_symbol(token, Kind::StoreRelease);
}

bool is_fetch(const Token& token) {
  return !split_atomic_name(token.text).stem.empty();
}

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

Result<Statement> parse_acquire(Cursor& in, const Register& dst) {
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

}  // namespace skep::assembler::ebpf
