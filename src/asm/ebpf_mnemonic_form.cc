// SPDX-License-Identifier: Apache-2.0
// The notation of bpf_conformance and uBPF: a mnemonic, then operands as ebpf_names.h lists them.
//
//   add32 %r0, 1      ldxw %r1, [%r2+4]      jeq32 %r1, 0, +2      lock fetch add [%r1], %r2
//
// Calls look alike in all notations and are read here too.
// Tested by ebpf_assembler_test.cc, ebpf_roundtrip_test.cc
#include <fmt/format.h>

#include <limits>

#include "asm/ebpf_names.h"
#include "asm/ebpf_operands.h"
#include "asm/ebpf_statement.h"

namespace skep::assembler::ebpf {
namespace {

using isa::ebpf::info;

/// The name that the words here make: "add32", "lock fetch add32". Leaves in at the operands.
std::string take_name(Cursor& in) {
  std::string name(in.take().text);
  if (name != "lock") return name;
  if (in.accept("fetch")) name += " fetch";
  std::string_view operation = in.peek().text;
  if (in.peek().kind != TokenKind::Word) return name;
  in.take();
  // `lock fetch_add32` is `lock fetch add32`.
  constexpr std::string_view kFetch = "fetch_";
  if (operation.starts_with(kFetch)) {
    name += " fetch";
    operation.remove_prefix(kFetch.size());
  }
  return name + " " + std::string(operation);
}

/// Whether the second operand, behind the first comma, is a register.
bool second_is_register(const Cursor& in) {
  std::size_t ahead = 0;
  while (in.peek(ahead).kind != TokenKind::End && !in.peek(ahead).is(",")) ++ahead;
  return at_register(in, ahead + 1);
}

Status parse_memory(Cursor& in, u8& base, s16& off) {
  SKEP_TRY_DO(in.expect("["));
  SKEP_TRY(const Address address, parse_address(in));
  base = address.base;
  off = address.off;
  return in.expect("]");
}

/// A kernel function's number, and `off=3` for its module where that is not 0.
Status parse_kfunc(Cursor& in, Insn& insn) {
  SKEP_TRY(insn.imm, parse_imm32(in));
  if (!in.accept("off")) return {};
  SKEP_TRY_DO(in.expect("="));
  SKEP_TRY(const s64 module, parse_number(in, std::numeric_limits<s16>::min(),
                                          std::numeric_limits<s16>::max(), "a module's index"));
  insn.off = static_cast<s16>(module);
  return {};
}

Status parse_operand(char letter, Cursor& in, Statement& statement) {
  Insn& insn = statement.insn;
  switch (letter) {
    case 'd':
    case 's': {
      SKEP_TRY(const Register reg, parse_wide_register(in));
      (letter == 'd' ? insn.dst : insn.src) = reg.number;
      return {};
    }
    case 'D': return parse_memory(in, insn.dst, insn.off);
    case 'S': return parse_memory(in, insn.src, insn.off);
    case 'i': {
      SKEP_TRY(insn.imm, parse_imm32(in));
      return {};
    }
    case 'I': {
      SKEP_TRY(insn.imm, parse_imm64(in));
      return {};
    }
    case 'k': return parse_kfunc(in, insn);
    default: return parse_target(in, statement);  // 't'
  }
}

}  // namespace

Mnemonics make_mnemonics() {
  Mnemonics names;
  for (std::size_t i = 0; i < kOpCount; ++i) {
    const OpInfo& op = kOpInfo[i];
    if (op.kind == Kind::LddwHigh) continue;
    const auto add = [&names, i](std::string name) {
      names[std::move(name)].push_back(static_cast<Op>(i));
    };
    add(mnemonic(op));
    // Others spell the width always, and swap16 as bswap16.
    const bool computes = op.kind == Kind::Alu || op.kind == Kind::Neg || op.kind == Kind::Jmp;
    if (computes && op.width == 64) add(mnemonic(op) + "64");
    if (op.kind == Kind::End && op.symbol != op.mnemonic) add(std::string(op.symbol));
  }
  return names;
}

Result<Statement> parse_mnemonic_form(Cursor& in, const Mnemonics& mnemonics) {
  const Token& first = in.peek();
  const std::string name = take_name(in);
  const auto found = mnemonics.find(name);
  if (found == mnemonics.end()) {
    return in.error_at(first, fmt::format("there is no instruction '{}'", name));
  }
  Op op = found->second.front();
  const bool wants_x = second_is_register(in);
  for (Op candidate : found->second) {
    if ((info(candidate).source == Source::X) == wants_x) op = candidate;
  }
  Statement statement{.insn = Insn{.op = op}};
  bool separate = false;
  for (char letter : operands(info(op))) {
    if (separate) SKEP_TRY_DO(in.expect(","));
    SKEP_TRY_DO(parse_operand(letter, in, statement));
    separate = true;
  }
  return statement;
}

//   call 5 · call helper 5 · call bpf_name#5 · call name   a helper, or a function of the text
//   call local f · call local +5 · call pc+5               a function of the text
//   call runtime 5 · call kfunc#5 · ... off=3              a function of the kernel
Result<Statement> parse_call(Cursor& in) {
  Statement statement{.insn = Insn{.op = Op::Call}};
  Insn& insn = statement.insn;
  if (in.peek().kind == TokenKind::Number) {
    SKEP_TRY(insn.imm, parse_imm32(in));
    return statement;
  }
  if (in.peek().is("+") || in.peek().is("-")) {
    // llvm-objdump prints `call -0x1` where a relocation names the function, so this is no answer.
    return in.error_at(in.peek(), "a distance is written `call pc+5` or `call local +5`");
  }
  if (in.peek().kind != TokenKind::Word) return in.expected("a helper's number or a function");
  const bool more = in.peek(1).kind != TokenKind::End;
  const bool distance = in.peek().is("pc") && more;
  if (distance || (in.peek().is("local") && more)) {
    if (!distance) in.take();
    insn.op = Op::CallLocal;
    SKEP_TRY_DO(parse_target(in, statement));
    return statement;
  }
  if (in.peek().is("helper") && more) {
    in.take();
    SKEP_TRY(insn.imm, parse_imm32(in));
    return statement;
  }
  if (in.peek().is("runtime") && more) {
    in.take();
    insn.op = Op::CallKfunc;
    SKEP_TRY_DO(parse_kfunc(in, insn));
    return statement;
  }
  const Token& name = in.take();
  if (in.accept("#")) {
    if (name.is("kfunc")) {
      insn.op = Op::CallKfunc;
      SKEP_TRY_DO(parse_kfunc(in, insn));
    } else {
      SKEP_TRY(insn.imm, parse_imm32(in));
    }
    return statement;
  }
  statement.label = name;
  statement.may_name_helper = true;
  return statement;
}

}  // namespace skep::assembler::ebpf
