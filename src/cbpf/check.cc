// SPDX-License-Identifier: Apache-2.0
// The checker, one function a rule: opcodes and operands (by instruction), jumps, the scratch
// memory rule (one pass forward, which suffices as Linux's jumps only go forward).
// Tested by check_test.cc
#include "cbpf/check.h"

#include <new>
#include <string>

#include "cbpf/packet.h"

namespace skep::cbpf {
namespace {

using isa::cbpf::Kind;
using isa::cbpf::OpInfo;

constexpr u32 kAlignment = 4;  // of seccomp's loads

bool uses_scratch(Op op) {
  return op == Op::LdMem || op == Op::LdxMem || op == Op::St || op == Op::Stx;
}

std::string hex(u32 x) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  do text.insert(text.begin(), kDigits[x % 16]);
  while ((x /= 16) != 0);
  return "0x" + text;
}

Result<Insn> decode(const RawInsn& raw, u32 pc, Rules rules) {
  std::optional<Insn> insn = isa::cbpf::decode(raw);
  if (!insn) return error_at_pc(Code::BadInsn, pc, "unknown opcode " + hex(raw.code));
  // libpcap knows no ancillary loads: their offsets are just out of range.
  if (rules == Rules::Libpcap && info(insn->op).kind == Kind::Anc) {
    constexpr Op kBySize[] = {Op::LdAbsW, Op::LdAbsH, Op::LdAbsB};
    *insn = Insn{kBySize[insn->size / 8], 0, raw.jt, raw.jf, raw.k};
  }
  return *insn;
}

Status check_operands(const Insn& insn, u32 pc, Rules rules) {
  const u32 k = insn.k;
  if ((insn.op == Op::DivK || insn.op == Op::ModK) && k == 0)
    return error_at_pc(Code::Rejected, pc, "division by constant zero");
  if (uses_scratch(insn.op) && k >= isa::cbpf::kMemWords)
    return error_at_pc(Code::Rejected, pc,
                       "scratch memory has words 0 to 15, not " + std::to_string(k));
  if (rules == Rules::Libpcap) return {};
  if ((insn.op == Op::LshK || insn.op == Op::RshK) && k >= 32)
    return error_at_pc(Code::Rejected, pc, "shift by " + std::to_string(k) + ", more than 31");
  const bool absolute = info(insn.op).operand == isa::cbpf::Operand::Abs;
  if (absolute && k >= isa::cbpf::kAncBase)
    return error_at_pc(Code::Rejected, pc, "unknown ancillary load at offset " + hex(k));
  return {};
}

// An operation as bpf_asm's listings write it: "ldh [k]", "mod x", "ld xor_x".
std::string written(const OpInfo& row) {
  using isa::cbpf::Operand;
  std::string mnemonic(row.mnemonic);
  switch (row.operand) {
    case Operand::Anc: return "ld " + std::string(row.listing);
    case Operand::Abs: return mnemonic + " [k]";
    case Operand::Ind: return mnemonic + " [x + k]";
    case Operand::Msh: return mnemonic + " 4*([k]&0xf)";
    case Operand::X: return mnemonic + " x";
    default: return mnemonic;
  }
}

Status check_seccomp(const Insn& insn, u32 pc) {
  const OpInfo& row = info(insn.op);
  if (insn.op == Op::LdAbsW) {
    if (insn.k >= kSeccompDataSize)
      return error_at_pc(
          Code::Rejected, pc,
          "load at " + std::to_string(insn.k) + " is outside of struct seccomp_data (64 bytes)");
    if (insn.k % kAlignment != 0)
      return error_at_pc(Code::Rejected, pc,
                         "load at " + std::to_string(insn.k) + " is not aligned to 4 bytes");
    return {};
  }
  using isa::cbpf::Operand;
  const bool packet = row.operand == Operand::Abs || row.operand == Operand::Ind ||
                      row.operand == Operand::Msh || row.operand == Operand::Anc;
  if (packet || insn.op == Op::ModK || insn.op == Op::ModX)
    return error_at_pc(Code::Rejected, pc,
                       "seccomp does not allow " + written(row) +
                           (packet ? ", only 32-bit loads at constant offsets" : ""));
  return {};
}

Status check_jump(const Insn& insn, u32 pc, u32 size, Rules rules) {
  const u64 next = u64{pc} + 1;
  if (isa::cbpf::is_jump(insn.op) && (next + insn.jt >= size || next + insn.jf >= size))
    return error_at_pc(Code::BadJump, pc,
                       "jump to insn " + std::to_string(next + std::max(insn.jt, insn.jf)) +
                           ", the program has " + std::to_string(size));
  if (insn.op != Op::Ja) return {};
  const bool inside = rules == Rules::Libpcap ? ja_target(pc, insn.k) < size : next + insn.k < size;
  if (inside) return {};
  return error_at_pc(Code::BadJump, pc,
                     "jump by " + std::to_string(static_cast<s32>(insn.k)) +
                         (rules != Rules::Libpcap && ja_target(pc, insn.k) < size
                              ? " goes back, which only libpcap's rules allow"
                              : " leaves the program"));
}

// Kernel: a word of scratch memory may be loaded if every path to the load stores it before. Code
// that nothing jumps to counts as having stored all.
Status check_scratch(std::span<const Insn> insns) {
  std::unique_ptr<u16[]> stored(new (std::nothrow) u16[insns.size()]);
  if (!stored) return Error{Code::OutOfMemory, "no memory for the scratch memory check"};
  constexpr u16 kAll = 0xffff;
  std::fill_n(stored.get(), insns.size(), kAll);
  u16 now = 0;
  auto flows_to = [&](std::size_t pc) { stored[pc] = static_cast<u16>(stored[pc] & now); };
  for (std::size_t pc = 0; pc < insns.size(); ++pc) {
    const Insn& insn = insns[pc];
    now = static_cast<u16>(now & stored[pc]);
    if (insn.op == Op::St || insn.op == Op::Stx) {
      now = static_cast<u16>(now | 1u << insn.k);
    } else if ((insn.op == Op::LdMem || insn.op == Op::LdxMem) && (now >> insn.k & 1) == 0) {
      return error_at_pc(
          Code::Rejected, static_cast<u32>(pc),
          "M[" + std::to_string(insn.k) + "] is loaded but not stored on every path before");
    } else if (insn.op == Op::Ja) {
      flows_to(pc + 1 + insn.k);
      now = kAll;
    } else if (isa::cbpf::is_jump(insn.op)) {
      flows_to(pc + 1 + insn.jt);
      flows_to(pc + 1 + insn.jf);
      now = kAll;
    }
  }
  return {};
}

void note_facts(const Insn& insn, Facts& facts) {
  using isa::cbpf::Operand;
  const Operand operand = info(insn.op).operand;
  facts.packet_loads |=
      operand == Operand::Abs || operand == Operand::Ind || operand == Operand::Msh;
  facts.ancillary |= operand == Operand::Anc;
  facts.scratch_loads |= insn.op == Op::LdMem || insn.op == Op::LdxMem;
  facts.backward_jumps |= insn.op == Op::Ja && static_cast<s32>(insn.k) < 0;
}

}  // namespace

Result<Program> check(std::span<const RawInsn> raw, Rules rules, u64 budget) {
  if (raw.empty()) return Error{Code::Rejected, "the program is empty"};
  const bool unlimited = rules == Rules::Libpcap;
  if (raw.size() > (unlimited ? kMaxInput : kMaxLinuxInsns))
    return Error{Code::TooLong, "the program has " + std::to_string(raw.size()) +
                                    " instructions, more than " +
                                    std::to_string(unlimited ? kMaxInput : kMaxLinuxInsns)};
  Program program;
  program.size_ = static_cast<u32>(raw.size());
  program.rules_ = rules;
  program.budget_ = budget;
  program.insns_.reset(new (std::nothrow) Insn[raw.size()]);
  if (!program.insns_) return Error{Code::OutOfMemory, "no memory for the decoded program"};

  for (u32 pc = 0; pc < program.size_; ++pc) {
    SKEP_TRY(const Insn insn, decode(raw[pc], pc, rules));
    SKEP_TRY_DO(check_operands(insn, pc, rules));
    if (rules == Rules::Seccomp) SKEP_TRY_DO(check_seccomp(insn, pc));
    SKEP_TRY_DO(check_jump(insn, pc, program.size_, rules));
    note_facts(insn, program.facts_);
    program.insns_[pc] = insn;
  }
  if (!isa::cbpf::is_return(program.insns_[program.size_ - 1].op))
    return error_at_pc(Code::Rejected, program.size_ - 1, "the last instruction is not a return");
  if (rules != Rules::Libpcap) SKEP_TRY_DO(check_scratch(program.insns()));
  return program;
}

}  // namespace skep::cbpf
