// SPDX-License-Identifier: Apache-2.0
// A pointer plus or minus a number. A known number goes into the fixed offset; an unknown one into
// the variable part, and a packet pointer then starts anew: how much of the packet is known to lie
// behind it has to be found out again.
// Source: kernel/bpf/verifier.c (adjust_ptr_min_max_vals).  Tested by tests/verify, tests/kernel
#include "verify/alu.h"
#include "verify/deviations.h"
#include "verify/speculation.h"

namespace skep::verify {
namespace {

using isa::ebpf::AluOp;

bool fits_s32(s64 x) {
  return x == static_cast<s32>(x);
}

// Offsets that could wrap around, or leave every object, are refused early.
Check sane_offset(Walk& walk, const Reg& reg, const Reg& pointer) {
  const s64 value = static_cast<s64>(reg.value.bits.value);
  const s64 least = reg.value.whole.smin;
  const std::string type = type_name(pointer);
  if (reg.value.is_known() && (value >= kMaxOffset || value <= -kMaxOffset)) {
    return walk.fail<Msg::MathWithPointer>(type, value);
  }
  if (reg.off >= kMaxOffset || reg.off <= -kMaxOffset) {
    return walk.fail<Msg::PointerOffset>(type, reg.off);
  }
  if (least == Bounds<u64>::kSMin) return walk.fail<Msg::MathUnbounded>(type);
  if (least >= kMaxOffset || least <= -kMaxOffset) {
    return walk.fail<Msg::MathOutOfBounds>(least, type);
  }
  return {};
}

// Same, without making the type's name for nothing.
Check check_sane_offset(Walk& walk, const Reg& reg, const Reg& pointer) {
  const s64 least = reg.value.whole.smin;
  const s64 value = static_cast<s64>(reg.value.bits.value);
  const bool sane = least < kMaxOffset && least > -kMaxOffset && reg.off < kMaxOffset &&
                    reg.off > -kMaxOffset &&
                    (!reg.value.is_known() || (value < kMaxOffset && value > -kMaxOffset));
  return sane ? Check{} : sane_offset(walk, reg, pointer);
}

// Kinds of pointers that cannot be moved.
Check check_movable(Walk& walk, AluOp op, const Reg& pointer, const Reg& offset) {
  const bool known = offset.value.is_known();
  switch (pointer.kind) {
    case RegKind::FlowKeys:
      if (known) return {};
      [[fallthrough]];
    case RegKind::MapPtr:
      // Adding 0 changes nothing.
      if (known && offset.value.whole.smin == 0 && op == AluOp::Add) return {};
      [[fallthrough]];
    case RegKind::PacketEnd:
    case RegKind::Socket:
    case RegKind::SockCommon:
    case RegKind::TcpSock:
    case RegKind::XdpSock:
      return walk.fail<Msg::ArithmeticProhibited>(walk.insn().dst, type_name(pointer));
    case RegKind::NotInit:
    case RegKind::Scalar:
    case RegKind::Ctx:
    case RegKind::MapValue:
    case RegKind::MapKey:
    case RegKind::Stack:
    case RegKind::Packet:
    case RegKind::PacketMeta:
    case RegKind::TpBuffer:
    case RegKind::Btf:
    case RegKind::Mem:
    case RegKind::Buf:
    case RegKind::Func:
    case RegKind::Dynptr: return {};
  }
  return {};
}

// A packet pointer with an unknown part: what was known of its range is lost if it moved up.
void restart_packet(Walk& walk, Reg& dst, bool forget_range) {
  if (!dst.is_packet()) return;
  dst.id = walk.new_id();
  if (forget_range) dst.range = 0;
}

void add(Walk& walk, Reg& dst, const Reg& pointer, const Reg& offset) {
  const Bounds<u64>& p = pointer.value.whole;
  const Bounds<u64>& o = offset.value.whole;
  Bounds<u64> r;
  s64 smin = 0;
  s64 smax = 0;
  if (!__builtin_add_overflow(p.smin, o.smin, &smin) &&
      !__builtin_add_overflow(p.smax, o.smax, &smax)) {
    r.smin = smin;
    r.smax = smax;
  }
  u64 umin = 0;
  u64 umax = 0;
  if (!__builtin_add_overflow(p.umin, o.umin, &umin) &&
      !__builtin_add_overflow(p.umax, o.umax, &umax)) {
    r.umin = umin;
    r.umax = umax;
  }
  dst.value.bits = pointer.value.bits + offset.value.bits;
  dst.value.whole = r;
  restart_packet(walk, dst, true);
}

void subtract(Walk& walk, Reg& dst, const Reg& pointer, const Reg& offset) {
  const Bounds<u64>& p = pointer.value.whole;
  const Bounds<u64>& o = offset.value.whole;
  Bounds<u64> r;
  s64 smin = 0;
  s64 smax = 0;
  if (!__builtin_sub_overflow(p.smin, o.smax, &smin) &&
      !__builtin_sub_overflow(p.smax, o.smin, &smax)) {
    r.smin = smin;
    r.smax = smax;
  }
  if (p.umin >= o.umax) {
    r.umin = p.umin - o.umax;
    r.umax = p.umax - o.umin;
  }
  const bool may_move_up = o.smin < 0;
  dst.value.bits = pointer.value.bits - offset.value.bits;
  dst.value.whole = r;
  restart_packet(walk, dst, may_move_up);
}

// A pointer that moves back is not beyond the packet's end any more, for all that is known.
void moved_back(const Walk& walk, Reg& dst, bool back) {
  const bool outside = dst.is_packet() && dst.range < 0;
  if (outside && back && deviates(walk.input.level, Deviation::BeyondPacketEnd)) dst.range = 0;
}

Check apply(Walk& walk, AluOp op, Reg& dst, const Reg& pointer, const Reg& offset) {
  const u32 number = walk.insn().dst;
  const s64 amount = offset.value.whole.smin;
  const s64 most = offset.value.whole.smax;
  const bool known = offset.value.is_known();
  switch (op) {
    case AluOp::Add:
      if (known && fits_s32(pointer.off + amount)) {
        dst.off = static_cast<s32>(pointer.off + amount);
      } else {
        add(walk, dst, pointer, offset);
      }
      moved_back(walk, dst, amount < 0);
      return {};
    case AluOp::Sub:
      if (&dst != &pointer) return walk.fail<Msg::PointerFromScalar>(number);
      if (pointer.is(RegKind::Stack)) return walk.fail<Msg::SubtractsFromStack>(number);
      if (known && fits_s32(pointer.off - amount)) {
        dst.off = static_cast<s32>(pointer.off - amount);
      } else {
        subtract(walk, dst, pointer, offset);
      }
      moved_back(walk, dst, most > 0);
      return {};
    case AluOp::And:
    case AluOp::Or:
    case AluOp::Xor:
      return walk.fail<Msg::BitwiseOnPointer>(number, isa::ebpf::info(walk.insn().op).symbol);
    case AluOp::Mul:
    case AluOp::Div:
    case AluOp::Lsh:
    case AluOp::Rsh:
    case AluOp::Mod:
    case AluOp::Mov:
    case AluOp::Arsh:
    case AluOp::SDiv:
    case AluOp::SMod: break;
  }
  return walk.fail<Msg::OperatorOnPointer>(number, isa::ebpf::info(walk.insn().op).symbol);
}

}  // namespace

Check move_pointer(Walk& walk, const Reg& pointer, const Reg& offset) {
  const isa::ebpf::OpInfo& facts = isa::ebpf::info(walk.insn().op);
  const u32 number = walk.insn().dst;
  Reg& dst = walk.reg(number);
  const Bounds<u64>& range = offset.value.whole;
  if (range.is_empty() || (offset.value.is_known() && !range.is_single())) {
    // A path that cannot happen.
    walk.set_unknown(dst);
    return {};
  }
  if (facts.width != 64) {
    if (facts.alu == AluOp::Sub && walk.rights.pointer_leaks) {
      walk.set_unknown(dst);
      return {};
    }
    return walk.fail<Msg::Arithmetic32>(number);
  }
  if (pointer.may_be_null()) {
    return walk.fail<Msg::ArithmeticBeforeNullCheck>(number, type_name(pointer));
  }
  SKEP_TRY_DO(check_movable(walk, facts.alu, pointer, offset));
  // Kernel: takes over the pointer's links too, not only its meaning.
  if (&dst != &pointer) dst = pointer;
  SKEP_TRY_DO(check_sane_offset(walk, offset, pointer));
  SKEP_TRY_DO(check_sane_offset(walk, pointer, pointer));
  dst.value.low = {};
  PointerMask mask;
  const bool masked = facts.alu == AluOp::Add || facts.alu == AluOp::Sub;
  if (masked) SKEP_TRY_DO(mask_pointer_arithmetic(walk, pointer, offset, mask));
  SKEP_TRY_DO(apply(walk, facts.alu, dst, pointer, offset));
  SKEP_TRY_DO(check_sane_offset(walk, dst, pointer));
  dst.value.sync();
  SKEP_TRY_DO(check_moved_pointer(walk, dst));
  if (masked) SKEP_TRY_DO(commit_pointer_mask(walk, dst, offset, mask));
  return {};
}

}  // namespace skep::verify
