// SPDX-License-Identifier: Apache-2.0
// Structural checks of a decoded program, in one walk over its instructions.
// Tested by ebpf_check_test.cc
#include "isa/ebpf_check.h"

#include <fmt/format.h>

#include "support/assert.h"

namespace skep::isa::ebpf {
namespace {

bool jumps(Kind kind) {
  return kind == Kind::Jmp || kind == Kind::Ja || kind == Kind::CallLocal || kind == Kind::MayGoto;
}

Status check_target(std::span<const Insn> program, u32 pc) {
  const s64 target = s64{pc} + 1 + jump_distance(program[pc]);
  if (target < 0 || target >= static_cast<s64>(program.size())) {
    return error_at_pc(
        Code::BadJump, pc,
        fmt::format("jump to {}, outside of the program's 0 to {}", target, program.size() - 1));
  }
  if (program[static_cast<std::size_t>(target)].op == Op::LddwHigh) {
    return error_at_pc(Code::BadJump, pc,
                       fmt::format("jump to {}, the middle of a 64-bit constant", target));
  }
  return {};
}

/// Whether control may go on to the slot after insn.
bool falls_through(const Insn& insn) {
  const Kind kind = info(insn.op).kind;
  return kind != Kind::Exit && kind != Kind::Ja;
}

}  // namespace

bool writes_dst(const Insn& insn) {
  switch (info(insn.op).kind) {
    case Kind::Alu:
    case Kind::MovSx:
    case Kind::Neg:
    case Kind::End:
    case Kind::Ldx:
    case Kind::LdxSx:
    case Kind::LoadAcquire:
    case Kind::Lddw: return true;
    case Kind::Jmp:
    case Kind::St:
    case Kind::Stx:
    case Kind::Atomic:
    case Kind::StoreRelease:
    case Kind::LdAbs:
    case Kind::LdInd:
    case Kind::LddwHigh:
    case Kind::Ja:
    case Kind::Call:
    case Kind::CallLocal:
    case Kind::CallKfunc:
    case Kind::Exit:
    case Kind::MayGoto: return false;
  }
  unreachable();
}

Status check_structure(std::span<const Insn> program) {
  if (program.empty()) return Error{Code::BadInsn, "the program has no instructions"};
  if (program.size() > kMaxInsns) {
    return Error{Code::TooLong, fmt::format("the program has {} instructions, more than {}",
                                            program.size(), kMaxInsns)};
  }
  for (u32 pc = 0; pc < program.size(); ++pc) {
    const Insn& insn = program[pc];
    const OpInfo& facts = info(insn.op);
    if (jumps(facts.kind)) SKEP_TRY_DO(check_target(program, pc));
    const bool fetches_into_fp =
        facts.fetch && facts.atomic != AtomicOp::CmpXchg && insn.src == kFramePointer;
    if ((writes_dst(insn) && insn.dst == kFramePointer) || fetches_into_fp) {
      return error_at_pc(Code::BadInsn, pc, "r10, the frame pointer, cannot be written");
    }
  }
  const u32 last = static_cast<u32>(program.size() - 1);
  if (falls_through(program[last])) {
    return error_at_pc(Code::BadInsn, last,
                       "control runs past the end: the last instruction is "
                       "neither exit nor an unconditional jump");
  }
  return {};
}

}  // namespace skep::isa::ebpf
