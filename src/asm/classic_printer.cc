// SPDX-License-Identifier: Apache-2.0
// Tested by classic_printer_test.cc
#include "asm/classic_printer.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "support/assert.h"

namespace skep::assembler::classic {
namespace {

using isa::cbpf::Insn;
using isa::cbpf::Kind;
using isa::cbpf::Op;
using isa::cbpf::Operand;
using isa::cbpf::OpInfo;
using isa::cbpf::RawInsn;

std::string_view load_mnemonic(u8 size) {
  return size == 0 ? "ld" : size == 8 ? "ldh" : "ldb";
}

std::string_view mnemonic(const Insn& insn) {
  const OpInfo& row = info(insn.op);
  return row.kind == Kind::Anc ? load_mnemonic(insn.size) : row.mnemonic;
}

// libpcap prints all numbers but masks and constants to compare as signed.
std::string listing_operand(const Insn& insn, u32 pc) {
  const OpInfo& row = info(insn.op);
  const auto k = static_cast<s32>(insn.k);
  switch (row.operand) {
    case Operand::None:
    case Operand::A: return "";
    case Operand::Hex: return fmt::format("#0x{:x}", insn.k);
    case Operand::Dec: return fmt::format("#{}", k);
    case Operand::X: return "x";
    case Operand::Abs: return fmt::format("[{}]", k);
    case Operand::Ind: return fmt::format("[x + {}]", k);
    case Operand::Len: return "#pktlen";
    case Operand::Mem: return fmt::format("M[{}]", k);
    case Operand::Msh: return fmt::format("4*([{}]&0xf)", k);
    case Operand::Target: return fmt::format("{}", static_cast<s32>(pc + 1 + insn.k));
    case Operand::Anc: return fmt::format("[{}]", row.listing);
  }
  unreachable();
}

std::string asm_operand(const Insn& insn) {
  const OpInfo& row = info(insn.op);
  switch (row.operand) {
    case Operand::None: return "";
    case Operand::A: return "a";
    case Operand::Hex: return fmt::format("#0x{:x}", insn.k);
    case Operand::Dec: return fmt::format("#{}", insn.k);
    case Operand::X: return "x";
    case Operand::Abs:
      if (insn.k >= 0x8000'0000) return fmt::format("[0x{:x}]", insn.k);
      return fmt::format("[{}]", insn.k);
    case Operand::Ind:
      if (insn.k >= 0x8000'0000) return fmt::format("[x + 0x{:x}]", insn.k);
      return fmt::format("[x + {}]", insn.k);
    case Operand::Len: return "len";
    case Operand::Mem: return fmt::format("M[{}]", insn.k);
    case Operand::Msh: return fmt::format("4*([{}]&0xf)", insn.k);
    case Operand::Target: return "";
    case Operand::Anc:
      return row.mnemonic.empty() ? fmt::format("[0x{:x}]", row.offset) : std::string(row.mnemonic);
  }
  unreachable();
}

// The comparison that holds where this one does not, in bpf_asm's words.
std::optional<std::string_view> opposite(Op op) {
  switch (op) {
    case Op::JeqK:
    case Op::JeqX: return "jneq";
    case Op::JgtK:
    case Op::JgtX: return "jle";
    case Op::JgeK:
    case Op::JgeX: return "jlt";
    default: return std::nullopt;
  }
}

std::string asm_jump(const Insn& insn, u32 pc) {
  const std::string operand = asm_operand(insn);
  const u32 jt = pc + 1 + insn.jt;
  const u32 jf = pc + 1 + insn.jf;
  const std::optional<std::string_view> turned = opposite(insn.op);
  if (insn.jf == 0) return fmt::format("{} {}, l{}", mnemonic(insn), operand, jt);
  if (insn.jt == 0 && turned) return fmt::format("{} {}, l{}", *turned, operand, jf);
  return fmt::format("{} {}, l{}, l{}", mnemonic(insn), operand, jt, jf);
}

std::string asm_statement(const Insn& insn, u32 pc) {
  if (isa::cbpf::is_jump(insn.op)) return asm_jump(insn, pc);
  if (insn.op == Op::Ja) return fmt::format("jmp l{}", pc + 1 + insn.k);
  const std::string operand = asm_operand(insn);
  return fmt::format("{}{}{}", mnemonic(insn), operand.empty() ? "" : " ", operand);
}

// Where the instruction may go, besides the next one.
std::vector<u64> targets(const Insn& insn, u32 pc) {
  if (insn.op == Op::Ja) return {pc + 1 + insn.k};
  if (isa::cbpf::is_jump(insn.op)) return {u64{pc} + 1 + insn.jt, u64{pc} + 1 + insn.jf};
  return {};
}

}  // namespace

std::string listing_line(const RawInsn& raw, u32 pc) {
  std::optional<Insn> insn = isa::cbpf::decode(raw);
  // libpcap has no name for `ldx #pktlen`.
  if (insn && insn->op == Op::LdxLen) insn = std::nullopt;
  const std::string_view name = insn ? mnemonic(*insn) : "unimp";
  const std::string operand = insn ? listing_operand(*insn, pc) : fmt::format("0x{:x}", raw.code);
  // It prints both arms for whatever is in the class of jumps, known or not.
  constexpr u16 kClass = 0x07, kJump = 0x05, kOperation = 0xf0;
  if ((raw.code & kClass) != kJump || (raw.code & kOperation) == 0)
    return fmt::format("({:03}) {:<8} {}", pc, name, operand);
  return fmt::format("({:03}) {:<8} {:<16} jt {}\tjf {}", pc, name, operand, pc + 1 + raw.jt,
                     pc + 1 + raw.jf);
}

std::string print_listing(std::span<const RawInsn> program) {
  std::string out;
  for (u32 pc = 0; pc < program.size(); ++pc) out += listing_line(program[pc], pc) + "\n";
  return out;
}

std::string print_c(std::span<const RawInsn> program) {
  std::string out;
  for (const RawInsn& insn : program)
    out += fmt::format("{{ 0x{:x}, {}, {}, 0x{:08x} }},\n", insn.code, insn.jt, insn.jf, insn.k);
  return out;
}

std::string print_numbers(std::span<const RawInsn> program) {
  std::string out = fmt::format("{}\n", program.size());
  for (const RawInsn& insn : program)
    out += fmt::format("{} {} {} {}\n", insn.code, insn.jt, insn.jf, insn.k);
  return out;
}

Result<std::string> print_bpf_asm(std::span<const RawInsn> program) {
  std::vector<bool> labels(program.size());
  for (u32 pc = 0; pc < program.size(); ++pc) {
    const std::optional<Insn> insn = isa::cbpf::decode(program[pc]);
    if (!insn)
      return error_at_pc(Code::BadInsn, pc, fmt::format("unknown opcode 0x{:x}", program[pc].code));
    for (const u64 target : targets(*insn, pc)) {
      if (target >= program.size())
        return error_at_pc(
            Code::BadJump, pc,
            fmt::format("jump to insn {}, the program has {}", target, program.size()));
      labels[static_cast<std::size_t>(target)] = true;
    }
  }
  std::string out;
  for (u32 pc = 0; pc < program.size(); ++pc) {
    if (labels[pc]) out += fmt::format("l{}:\n", pc);
    out += "  " + asm_statement(*isa::cbpf::decode(program[pc]), pc) + "\n";
  }
  return out;
}

}  // namespace skep::assembler::classic
