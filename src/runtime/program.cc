// SPDX-License-Identifier: Apache-2.0
// Checks that isa leaves to whoever binds a program, and the binding of helper calls.
// Tested by program_test.cc
#include "runtime/program.h"

#include <fmt/format.h>

#include <limits>

#include "isa/ebpf_check.h"

namespace skep::runtime {
namespace {

using isa::ebpf::Insn;
using isa::ebpf::Kind;
using isa::ebpf::Op;

// decode() never makes these; a program that was assembled in memory may have them.
Status check_fields(std::span<const Insn> code) {
  for (u32 pc = 0; pc < code.size(); ++pc) {
    const Insn& insn = code[pc];
    if (static_cast<std::size_t>(insn.op) >= isa::ebpf::kOpCount ||
        insn.dst >= isa::ebpf::kRegisterCount || insn.src >= isa::ebpf::kRegisterCount) {
      return error_at_pc(Code::BadInsn, pc, "no such operation or register");
    }
    const bool first_half = pc > 0 && info(code[pc - 1].op).kind == Kind::Lddw;
    if (first_half != (insn.op == Op::LddwHigh)) {
      return error_at_pc(Code::BadInsn, pc, "half of a 64-bit constant");
    }
  }
  return {};
}

Status check_supported(const Insn& insn, u32 pc) {
  const Kind kind = info(insn.op).kind;
  if (kind == Kind::CallKfunc) {
    return error_at_pc(Code::Unsupported, pc, "calls of kernel functions are not available here");
  }
  if (kind == Kind::Lddw && insn.op != Op::Lddw) {
    return error_at_pc(Code::Unsupported, pc,
                       fmt::format("a constant of the kind {} needs a loader that resolves it",
                                   info(insn.op).mnemonic));
  }
  return {};
}

// The index of helper in helpers, which gets it if it is new.
std::size_t index_of(std::vector<Helper>& helpers, const Helper& helper) {
  std::size_t index = 0;
  while (index < helpers.size() && helpers[index].number != helper.number) ++index;
  if (index == helpers.size()) helpers.push_back(helper);
  return index;
}

}  // namespace

Result<Program> Program::make(std::vector<Insn> insns, const HelperTable& helpers) {
  SKEP_TRY_DO(check_fields(insns));
  SKEP_TRY_DO(isa::ebpf::check_structure(insns));
  Program program;
  program.code_ = std::move(insns);
  for (u32 pc = 0; pc < program.code_.size(); ++pc) {
    Insn& insn = program.code_[pc];
    SKEP_TRY_DO(check_supported(insn, pc));
    if (insn.op != Op::Call) continue;
    const Helper* helper = helpers.find(insn.imm);
    if (helper == nullptr) {
      return error_at_pc(Code::NotFound, pc, fmt::format("helper {} is not registered", insn.imm));
    }
    program.needs_state_ |= helper->wants_run_state || helper->tail_call;
    if (helper->tail_call) {
      return error_at_pc(Code::Unsupported, pc, "tail calls are not built");
    }
    const std::size_t index = index_of(program.helpers_, *helper);
    if (index > static_cast<std::size_t>(std::numeric_limits<s16>::max())) {
      return error_at_pc(Code::TooLong, pc, "the program calls more than 32768 helpers");
    }
    insn.off = static_cast<s16>(index);
  }
  return program;
}

}  // namespace skep::runtime
