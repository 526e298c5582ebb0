// SPDX-License-Identifier: Apache-2.0
// One instruction: dispatch by its kind, and the instructions that need no file of their own.
// Source: kernel/bpf/verifier.c (do_check, check_ld_imm, check_ld_abs).  Tested by tests/verify,
// tests/kernel
#include "support/assert.h"
#include "verify/alu.h"
#include "verify/branch.h"
#include "verify/calls.h"
#include "verify/helper_call.h"
#include "verify/mem_access.h"
#include "verify/mem_region.h"
#include "verify/reference.h"
#include "verify/return_value.h"
#include "verify/walk.h"

namespace skep::verify {
namespace {

using isa::ebpf::Insn;
using isa::ebpf::Kind;
using isa::ebpf::Op;

constexpr u32 kPacketContext = 6;  // the register that packet loads read through

Check load_map(Walk& walk, const Insn& insn, bool value) {
  const auto number = static_cast<u32>(insn.imm) + 1;
  Reg& reg = walk.reg(insn.dst);
  reg.set_pointer(value ? RegKind::MapValue : RegKind::MapPtr);
  reg.map = number;
  if (!value) return {};
  reg.off = static_cast<s32>(static_cast<u64>(insn.imm) >> 32);
  if (walk.map(number).spin_lock_off) reg.id = walk.new_id();
  return {};
}

Check load_function(Walk& walk, const Insn& insn) {
  const s64 target = s64{walk.pc} + 1 + static_cast<s32>(insn.imm);
  const std::optional<u32> subprog = walk.subprog_at(static_cast<u32>(target));
  if (!subprog) return walk.fail<Msg::BugNoSubprog>(target);
  const FuncDecl* const declaration = walk.declaration(*subprog);
  if (declaration == nullptr) return walk.fail<Msg::MissingFuncInfo>();
  if (declaration->global) return walk.fail<Msg::CallbackNotStatic>();
  if (*subprog == 0) return walk.fail<Msg::CallbackIsMain>();
  Reg& reg = walk.reg(insn.dst);
  reg.set_pointer(RegKind::Func);
  reg.extra = *subprog;
  return {};
}

Check check_constant(Walk& walk) {
  const Insn& insn = walk.insn();
  SKEP_TRY_DO(walk.write_unknown(insn.dst));
  switch (insn.op) {
    case Op::LddwMapIdx: return load_map(walk, insn, false);
    case Op::LddwMapIdxValue: return load_map(walk, insn, true);
    case Op::LddwCodeAddr: return load_function(walk, insn);
    default: break;  // the others were refused before the walk
  }
  walk.reg(insn.dst).set_known(static_cast<u64>(insn.imm));
  return {};
}

Check check_packet_load(Walk& walk) {
  const Insn& insn = walk.insn();
  if (!walk.world.traits().packet_loads) return walk.fail<Msg::PacketLoadNotAllowed>();
  SKEP_TRY_DO(walk.read(kPacketContext));
  if (!check_references(walk).has_value()) return walk.fail<Msg::PacketLoadWithReference>();
  if (walk.current->lock_id != 0) return walk.fail<Msg::PacketLoadUnderLock>();
  const Reg& ctx = walk.reg(kPacketContext);
  if (!ctx.is(RegKind::Ctx)) return walk.fail<Msg::PacketLoadContext>();
  if (isa::ebpf::info(insn.op).kind == Kind::LdInd) SKEP_TRY_DO(walk.read(insn.src));
  SKEP_TRY_DO(not_moved(walk, ctx, kPacketContext, false));
  walk.clear_caller_saved();
  walk.set_unknown(walk.reg(0));
  if (walk.current->top == 0) {
    ++walk.pc;
    return {};
  }
  // Beyond the packet's end the load ends the running function, with 0.
  if (walk.put_aside(walk.pc + 1, walk.pc, false) == nullptr) {
    return walk.fail<Msg::TooManyJumps>(walk.pending.size());
  }
  walk.reg(0).set_known(0);
  return return_to_caller(walk);
}

Check check_exit(Walk& walk, bool& done) {
  if (walk.current->lock_id != 0) return walk.fail<Msg::LockNotReleased>();
  SKEP_TRY_DO(check_references(walk));
  if (walk.current->top != 0) return return_to_caller(walk);
  SKEP_TRY_DO(check_return_value(walk));
  done = true;
  return {};
}

Check check_call(Walk& walk) {
  const Insn& insn = walk.insn();
  const bool unlocks = insn.op == Op::Call && insn.imm == helper::kSpinUnlock;
  if (walk.current->lock_id != 0 && !unlocks) return walk.fail<Msg::CallUnderLock>();
  if (insn.op == Op::CallLocal) return check_local_call(walk);
  if (insn.op == Op::CallKfunc) {
    // A call of nothing: stands where it is never reached (check_program.cc).
    if (insn.imm != 0) return walk.fail<Msg::UnsupportedKfunc>(insn.imm);
    ++walk.pc;
    return {};
  }
  return check_helper_call(walk);
}

}  // namespace

Check step(Walk& walk, bool& done) {
  const Insn& insn = walk.insn();
  const Kind kind = isa::ebpf::info(insn.op).kind;
  switch (kind) {
    case Kind::Alu:
    case Kind::MovSx:
    case Kind::Neg:
    case Kind::End: SKEP_TRY_DO(check_alu(walk)); break;
    case Kind::Ldx:
    case Kind::LdxSx:
    case Kind::LoadAcquire: SKEP_TRY_DO(check_load(walk)); break;
    case Kind::St:
    case Kind::Stx:
    case Kind::StoreRelease: SKEP_TRY_DO(check_store(walk)); break;
    case Kind::Atomic: SKEP_TRY_DO(check_atomic(walk)); break;
    case Kind::Lddw:
      SKEP_TRY_DO(check_constant(walk));
      ++walk.pc;
      break;
    case Kind::Jmp: ++walk.jumps_processed; return check_branch(walk);
    case Kind::Ja:
      ++walk.jumps_processed;
      walk.pc = static_cast<u32>(s64{walk.pc} + 1 + isa::ebpf::jump_distance(insn));
      return {};
    case Kind::Call:
    case Kind::CallLocal:
    case Kind::CallKfunc: ++walk.jumps_processed; return check_call(walk);
    case Kind::Exit: ++walk.jumps_processed; return check_exit(walk, done);
    case Kind::LdAbs:
    case Kind::LdInd: return check_packet_load(walk);
    case Kind::MayGoto: return walk.fail<Msg::UnsupportedMayGoto>();
    case Kind::LddwHigh: return walk.fail<Msg::BugPc>(walk.pc, walk.insns.size());
  }
  ++walk.pc;
  return {};
}

}  // namespace skep::verify
