// SPDX-License-Identifier: Apache-2.0
// The order of the stages. What is found first is what is reported, so it is Linux's order.
// Tested by tests/verify, tests/kernel
#include "verify/cfg.h"
#include "verify/resolve.h"
#include "verify/subprog.h"
#include "verify/walk.h"

namespace skep::verify {
namespace {

constexpr std::size_t kMaxInsnsUnprivileged = 4096;
constexpr std::size_t kMaxInsns = 1'000'000;

Check check_size(Walk& walk) {
  const std::size_t limit = walk.rights.bpf ? kMaxInsns : kMaxInsnsUnprivileged;
  if (walk.insns.empty() || walk.insns.size() > limit) {
    return walk.fail<Msg::ProgramSize>(walk.insns.size(), limit);
  }
  return {};
}

Check walk_functions(Walk& walk) {
  for (u32 i = 1; i < walk.subprogs.size(); ++i) {
    const FuncDecl* const declaration = walk.declaration(i);
    if (declaration != nullptr && declaration->global) SKEP_TRY_DO(walk_subprog(walk, i));
  }
  return walk_subprog(walk, 0);
}

// The engine guards tail calls of programs without rights by the map's size: by one map's.
Check check_tail_calls(Walk& walk) {
  if (walk.rights.bypass_spectre_v1) return {};
  for (walk.pc = 0; walk.pc < walk.insns.size(); ++walk.pc) {
    const isa::ebpf::Insn& insn = walk.insn();
    if (insn.op != isa::ebpf::Op::Call || insn.imm != helper::kTailCall) continue;
    if (walk.notes[walk.pc].call_map == kSeveral) return walk.fail<Msg::TailCallAbuse>();
  }
  return {};
}

// The loader leaves calls of functions that do not exist as calls of nothing, in dead code.
Check check_missing_functions(Walk& walk) {
  for (walk.pc = 0; walk.pc < walk.insns.size(); ++walk.pc) {
    if (walk.insn().op == isa::ebpf::Op::CallKfunc && walk.facts[walk.pc].reachable) {
      return walk.fail<Msg::KfuncNotEliminated>();
    }
  }
  return {};
}

}  // namespace

Check check_program(Walk& walk) {
  SKEP_TRY_DO(check_size(walk));
  SKEP_TRY_DO(find_subprogs(walk));
  SKEP_TRY_DO(check_subprogs(walk));
  SKEP_TRY_DO(check_declarations(walk));
  SKEP_TRY_DO(check_constants(walk));
  SKEP_TRY_DO(check_cfg(walk));
  SKEP_TRY_DO(walk_functions(walk));
  SKEP_TRY_DO(check_stack_depth(walk));
  SKEP_TRY_DO(check_tail_calls(walk));
  return check_missing_functions(walk);
}

}  // namespace skep::verify
