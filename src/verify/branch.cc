// SPDX-License-Identifier: Apache-2.0
// Tested by tests/verify, tests/kernel
#include "verify/branch.h"

#include "verify/precision.h"
#include "verify/record.h"
#include "verify/reference.h"
#include "verify/scalar_branch.h"
#include "verify/speculation.h"
#include "verify/trace.h"

namespace skep::verify {
namespace {

using isa::ebpf::Insn;
using isa::ebpf::JmpOp;
using isa::ebpf::OpInfo;
using Operand = isa::ebpf::Source;

// Pointers that cannot be null.
bool never_null(const Reg& reg) {
  if (reg.flags != 0) return false;
  return reg.kind == RegKind::Socket || reg.kind == RegKind::TcpSock ||
         reg.kind == RegKind::MapValue || reg.kind == RegKind::MapKey ||
         reg.kind == RegKind::SockCommon;
}

std::optional<bool> decide_reg(JmpOp op, u32 width, const Reg& reg, u64 k) {
  if (reg.is_scalar()) return decide(op, width, reg.value, k);
  if (!never_null(reg) || k != 0) return std::nullopt;
  if (op == JmpOp::Jeq) return false;
  if (op == JmpOp::Jne) return true;
  return std::nullopt;
}

// The value of a register as far as a comparison of that width looks, if it is known.
std::optional<u64> known_operand(const Reg& reg, u32 width) {
  if (!reg.is_scalar()) return std::nullopt;
  if (width == 32) {
    if (!reg.value.bits.is_low_known()) return std::nullopt;
    return static_cast<u32>(reg.value.bits.value);
  }
  if (!reg.value.is_known()) return std::nullopt;
  return reg.value.bits.value;
}

std::optional<bool> decide_jump(const Insn& insn, const OpInfo& facts, const Reg& dst,
                                const Reg* src) {
  if (src == nullptr) return decide_reg(facts.jmp, facts.width, dst, static_cast<u64>(insn.imm));
  if (const std::optional<u64> k = known_operand(*src, facts.width)) {
    return decide_reg(facts.jmp, facts.width, dst, *k);
  }
  if (facts.width == 64 && dst.is_packet_or_end() && src->is_packet_or_end()) {
    return decide_packet(facts.jmp, dst, *src);
  }
  return std::nullopt;
}

// Copies of the same number learn what the compared one learnt.
void tell_copies(State& state, const Reg& known) {
  const Reg copy = known;
  for_each_reg(state, [&copy](Reg& reg) {
    if (reg.is_scalar() && reg.id == copy.id) reg.copy_from(copy);
  });
}

void compare_numbers(const OpInfo& facts, Reg& dst, Reg& src, Reg& other_dst, Reg& other_src) {
  const u32 width = facts.width;
  if (src.value.is_known() || (width == 32 && src.value.bits.is_low_known())) {
    // Kernel: looks at the first that is known, in this order.
    const u64 k = width == 32 ? static_cast<u32>(src.value.bits.value) : src.value.bits.value;
    refine(facts.jmp, width, other_dst.value, dst.value, k);
  } else if (dst.value.is_known() || (width == 32 && dst.value.bits.is_low_known())) {
    const u64 k = width == 32 ? static_cast<u32>(dst.value.bits.value) : dst.value.bits.value;
    refine(flipped(facts.jmp), width, other_src.value, src.value, k);
  } else if (width == 64 && facts.jmp == JmpOp::Jeq) {
    refine_equal(other_src.value, other_dst.value);
  } else if (width == 64 && facts.jmp == JmpOp::Jne) {
    refine_equal(src.value, dst.value);
  }
}

void learn_numbers(Walk& walk, State& other, const Insn& insn, const OpInfo& facts) {
  Reg& dst = walk.reg(insn.dst);
  Reg& other_dst = other.current().regs[insn.dst];
  if (facts.source == Operand::K) {
    if (!dst.is_scalar()) return;
    refine(facts.jmp, facts.width, other_dst.value, dst.value, static_cast<u64>(insn.imm));
  } else {
    Reg& src = walk.reg(insn.src);
    Reg& other_src = other.current().regs[insn.src];
    if (dst.is_scalar() && src.is_scalar()) {
      compare_numbers(facts, dst, src, other_dst, other_src);
      if (src.id != 0) {
        tell_copies(*walk.current, src);
        tell_copies(other, other_src);
      }
    }
  }
  if (dst.is_scalar() && dst.id != 0) {
    tell_copies(*walk.current, dst);
    tell_copies(other, other_dst);
  }
}

Check go_one_way(Walk& walk, const Insn& insn, const Reg* src, bool jumps) {
  if (walk.reg(insn.dst).is_scalar()) SKEP_TRY_DO(mark_precise(walk, insn.dst));
  if (src != nullptr && src->is_scalar()) SKEP_TRY_DO(mark_precise(walk, insn.src));
  const u32 next = walk.pc + 1;
  const u32 target = next + static_cast<u32>(s32{insn.off});
  record_branch(walk, jumps, !jumps);
  if (!walk.rights.bypass_spectre_v1 && !walk_mispredicted(walk, jumps ? next : target)) {
    return walk.fail<Msg::TooManyJumps>(walk.pending.size());
  }
  trace_state(walk);
  walk.pc = jumps ? target : next;
  return {};
}

Check go_both_ways(Walk& walk, const Insn& insn, const OpInfo& facts) {
  const u32 next = walk.pc + 1;
  State* const other = walk.put_aside(next + static_cast<u32>(s32{insn.off}), walk.pc, false);
  if (other == nullptr) return walk.fail<Msg::TooManyJumps>(walk.pending.size());
  record_branch(walk, true, true);
  learn_numbers(walk, *other, insn, facts);
  Reg& dst = walk.reg(insn.dst);
  const bool equality = facts.jmp == JmpOp::Jeq || facts.jmp == JmpOp::Jne;
  if (facts.width == 64 && facts.source == Operand::K && insn.imm == 0 && equality &&
      dst.may_be_null()) {
    mark_null(walk, *walk.current, insn.dst, facts.jmp == JmpOp::Jne);
    mark_null(walk, *other, insn.dst, facts.jmp == JmpOp::Jeq);
  } else if (!learn_packet_range(insn, *walk.current, *other) && walk.hides_pointer(dst)) {
    return walk.fail<Msg::PointerComparison>(insn.dst);
  }
  trace_state(walk);
  walk.pc = next;
  return {};
}

}  // namespace

Check check_branch(Walk& walk) {
  const Insn& insn = walk.insn();
  const OpInfo& facts = isa::ebpf::info(insn.op);
  SKEP_TRY_DO(walk.read(insn.dst));
  const Reg* src = nullptr;
  if (facts.source == Operand::X) {
    SKEP_TRY_DO(walk.read(insn.src));
    src = &walk.reg(insn.src);
    const bool packets = walk.reg(insn.dst).is_packet_or_end() && src->is_packet_or_end();
    if (!packets && walk.hides_pointer(*src)) {
      return walk.fail<Msg::PointerComparison>(insn.src);
    }
  }
  const std::optional<bool> certain = decide_jump(insn, facts, walk.reg(insn.dst), src);
  if (certain) return go_one_way(walk, insn, src, *certain);
  return go_both_ways(walk, insn, facts);
}

void mark_not_null(const Walk& walk, Reg& reg) {
  if (reg.kind != RegKind::MapValue) {
    reg.flags &= static_cast<u8>(~kMaybeNull);
    return;
  }
  reg.flags = 0;
  const MapFacts& map = walk.map(reg);
  if (map.inner != 0) {
    reg.kind = RegKind::MapPtr;
    reg.map = map.inner;
  } else if (map.type == map_type::kXskmap) {
    reg.kind = RegKind::XdpSock;
  } else if (map.type == map_type::kSockmap || map.type == map_type::kSockhash) {
    reg.kind = RegKind::Socket;
  }
}

void mark_null(Walk& walk, State& state, u32 number, bool is_null) {
  const Reg compared = state.current().regs[number];
  if (is_null && compared.ref != 0 && compared.ref == compared.id) {
    forget_reference(state.current(), compared.ref);
  }
  for_each_reg(state, [&](Reg& reg) {
    if (!reg.may_be_null() || reg.id != compared.id || reg.id == 0) return;
    // A pointer that may be null cannot have been moved.
    if (reg.value.whole.smin != 0 || reg.value.whole.smax != 0 || !reg.value.bits.is(0) ||
        reg.off != 0) {
      return;
    }
    if (is_null) {
      reg.kind = RegKind::Scalar;
      reg.flags = 0;
      reg.id = 0;
      reg.ref = 0;
      return;
    }
    mark_not_null(walk, reg);
    const bool may_hold_lock = reg.is(RegKind::MapValue) && walk.map(reg).spin_lock_off.has_value();
    if (!may_hold_lock) reg.id = 0;
  });
}

}  // namespace skep::verify
