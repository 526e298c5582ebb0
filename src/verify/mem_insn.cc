// SPDX-License-Identifier: Apache-2.0
// The instructions that access memory.
// Tested by tests/verify, tests/kernel
#include "verify/deviations.h"
#include "verify/mem_access.h"

namespace skep::verify {
namespace {

using isa::ebpf::AtomicOp;
using isa::ebpf::Insn;
using isa::ebpf::Kind;
using isa::ebpf::OpInfo;

u32 bytes_of(const OpInfo& facts) {
  return facts.width / 8U;
}

// Pointers that the kernel loads through in ways of their own: an instruction keeps to one kind.
bool keeps_its_kind(RegKind kind) {
  return kind == RegKind::Ctx || kind == RegKind::Socket || kind == RegKind::SockCommon ||
         kind == RegKind::TcpSock || kind == RegKind::XdpSock || kind == RegKind::Btf;
}

Check same_pointer_kind(Walk& walk, RegKind kind, u8 flags) {
  InsnNotes& notes = walk.notes[walk.pc];
  if (notes.pointer == RegKind::NotInit) {
    notes.pointer = kind;
    notes.pointer_flags = flags;
    return {};
  }
  const bool differs = notes.pointer != kind || notes.pointer_flags != flags;
  if (differs && (keeps_its_kind(kind) || keeps_its_kind(notes.pointer))) {
    return walk.fail<Msg::DifferentPointers>();
  }
  return {};
}

bool too_new(const Walk& walk, const OpInfo& facts) {
  return !deviates(walk.input.level, Deviation::NewInstructions) &&
         facts.since > isa::ebpf::Since::V3;
}

// Pointers that atomic operations may not go through.
bool no_atomics(const Reg& reg) {
  return reg.is(RegKind::Ctx) || (reg.is_packet()) || reg.is(RegKind::FlowKeys) ||
         (reg.is_socket() && reg.flags == 0);
}

}  // namespace

Check check_load(Walk& walk) {
  const Insn& insn = walk.insn();
  const OpInfo& facts = isa::ebpf::info(insn.op);
  if (too_new(walk, facts)) {
    if (facts.kind == Kind::LdxSx) return walk.fail<Msg::LdxReserved>();
    return walk.fail<Msg::InvalidAtomic>(0x100);
  }
  SKEP_TRY_DO(walk.read(insn.src));
  SKEP_TRY_DO(walk.write(insn.dst));
  const RegKind kind = walk.reg(insn.src).kind;
  const u8 flags = walk.reg(insn.src).flags;
  if (facts.kind == Kind::LoadAcquire && no_atomics(walk.reg(insn.src))) {
    return walk.fail<Msg::AtomicInto>(insn.src, type_name(kind, flags));
  }
  if (facts.kind == Kind::LdxSx && kind == RegKind::Ctx) {
    return walk.fail<Msg::UnsupportedCtxSignedLoad>();
  }
  SKEP_TRY_DO(access_memory(walk, {.pointer = insn.src,
                                   .off = insn.off,
                                   .size = bytes_of(facts),
                                   .access = Access::Read,
                                   .value = insn.dst,
                                   .strict = facts.kind == Kind::LoadAcquire}));
  Reg& loaded = walk.reg(insn.dst);
  if (facts.kind == Kind::LdxSx && loaded.is_scalar()) {
    loaded.id = 0;
    loaded.value.sign_extend(facts.width, 64);
  }
  return same_pointer_kind(walk, kind, flags);
}

Check check_store(Walk& walk) {
  const Insn& insn = walk.insn();
  const OpInfo& facts = isa::ebpf::info(insn.op);
  if (too_new(walk, facts)) return walk.fail<Msg::InvalidAtomic>(0x110);
  const bool constant = facts.kind == Kind::St;
  if (!constant) SKEP_TRY_DO(walk.read(insn.src));
  SKEP_TRY_DO(walk.read(insn.dst));
  const RegKind kind = walk.reg(insn.dst).kind;
  const u8 flags = walk.reg(insn.dst).flags;
  if (constant && walk.reg(insn.dst).is(RegKind::Ctx)) {
    return walk.fail<Msg::StoreIntoCtx>(insn.dst, type_name(kind, flags));
  }
  if (facts.kind == Kind::StoreRelease && no_atomics(walk.reg(insn.dst))) {
    return walk.fail<Msg::AtomicInto>(insn.dst, type_name(kind, flags));
  }
  SKEP_TRY_DO(access_memory(walk, {.pointer = insn.dst,
                                   .off = insn.off,
                                   .size = bytes_of(facts),
                                   .access = Access::Write,
                                   .value = constant ? kNoReg : s32{insn.src},
                                   .strict = facts.kind == Kind::StoreRelease}));
  return constant ? Check{} : same_pointer_kind(walk, kind, flags);
}

Check check_atomic(Walk& walk) {
  const Insn& insn = walk.insn();
  const OpInfo& facts = isa::ebpf::info(insn.op);
  const bool exchange = facts.atomic == AtomicOp::CmpXchg;
  SKEP_TRY_DO(walk.read(insn.src));
  SKEP_TRY_DO(walk.read(insn.dst));
  if (exchange) {
    SKEP_TRY_DO(walk.read(0));
    if (walk.hides_pointer(0U)) return walk.fail<Msg::LeakIntoMem>(0);
  }
  if (walk.hides_pointer(insn.src)) return walk.fail<Msg::LeakIntoMem>(insn.src);
  if (no_atomics(walk.reg(insn.dst))) {
    return walk.fail<Msg::AtomicInto>(insn.dst, type_name(walk.reg(insn.dst)));
  }
  const s32 loaded = !facts.fetch ? kNoReg : exchange ? 0 : s32{insn.src};
  if (loaded != kNoReg) SKEP_TRY_DO(walk.write_unknown(static_cast<u32>(loaded)));
  MemAccess access = {.pointer = insn.dst,
                      .off = insn.off,
                      .size = bytes_of(facts),
                      .access = Access::Read,
                      .value = kNoReg,
                      .strict = true};
  // A look without a result first: a pointer must not come out of the stack this way.
  SKEP_TRY_DO(access_memory(walk, access));
  access.value = loaded;
  if (loaded != kNoReg) SKEP_TRY_DO(access_memory(walk, access));
  access.access = Access::Write;
  access.value = kNoReg;
  return access_memory(walk, access);
}

}  // namespace skep::verify
