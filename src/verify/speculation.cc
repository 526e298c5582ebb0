// SPDX-License-Identifier: Apache-2.0
// Tested by tests/verify, tests/kernel
#include "verify/speculation.h"

#include "verify/mem_region.h"

namespace skep::verify {
namespace {

using isa::ebpf::AluOp;
using Operand = isa::ebpf::Source;

enum LimitKind : u8 {
  kMaskSource = 1,
  kMaskDestination = 2,
  kNegative = 4,
  kNotPointer = 8,
  kImmediate = 16,
};

bool is_exempt(const Walk& walk) {
  return walk.rights.bypass_spectre_v1 || isa::ebpf::info(walk.insn().op).source == Operand::K;
}

std::string_view verb(const Walk& walk) {
  return isa::ebpf::info(walk.insn().op).alu == AluOp::Add ? "add" : "sub";
}

// An instruction can be masked in one way only.
Check set_limit(Walk& walk, u8& kind, u32& limit, u8 new_kind, u32 new_limit) {
  if (kind != 0 && (kind != new_kind || limit != new_limit)) {
    return walk.fail<Msg::MaskPaths>(walk.insn().dst, verb(walk));
  }
  kind = new_kind;
  limit = new_limit;
  return {};
}

// How far the pointer may still be moved inside of its object.
Check pointer_limit(Walk& walk, const Reg& pointer, bool to_left, u32& limit) {
  u32 max = 0;
  if (pointer.is(RegKind::Stack)) {
    max = isa::ebpf::kStackBytes + (to_left ? 1 : 0);
    limit = static_cast<u32>(-(static_cast<s64>(pointer.value.bits.value) + pointer.off));
  } else if (pointer.is(RegKind::MapValue)) {
    max = walk.map(pointer).value_size;
    const Bounds<u64>& range = pointer.value.whole;
    limit = static_cast<u32>((to_left ? static_cast<u64>(range.smin) : range.umax) +
                             static_cast<u64>(s64{pointer.off}));
  } else {
    return walk.fail<Msg::MaskType>(walk.insn().dst);
  }
  if (limit >= max) return walk.fail<Msg::MaskLimit>(walk.insn().dst, verb(walk));
  return {};
}

}  // namespace

bool walk_mispredicted(Walk& walk, u32 to) {
  State* const state = walk.put_aside(to, walk.pc, true);
  if (state == nullptr) return false;
  const isa::ebpf::Insn& insn = walk.insn();
  walk.set_unknown(state->current().regs[insn.dst]);
  if (isa::ebpf::info(insn.op).source == Operand::X) {
    walk.set_unknown(state->current().regs[insn.src]);
  }
  return true;
}

Check mask_number_arithmetic(Walk& walk) {
  if (is_exempt(walk)) return {};
  InsnNotes& notes = walk.notes[walk.pc];
  return set_limit(walk, notes.limit_kind, notes.limit, kNotPointer, 0);
}

Check mask_pointer_arithmetic(Walk& walk, const Reg& pointer, const Reg& offset,
                              PointerMask& mask) {
  if (is_exempt(walk)) return {};
  Reg& dst = walk.reg(walk.insn().dst);
  const bool constant = offset.value.is_known();
  const Bounds<u64>& range = offset.value.whole;
  const bool negative = range.smin < 0;
  const bool pointer_is_dst = &pointer == &dst;
  if (!walk.current->speculative) {
    if (!constant && negative != (range.smax < 0)) {
      return walk.fail<Msg::MaskBounds>(walk.insn().src);
    }
    mask.to_left = (isa::ebpf::info(walk.insn().op).alu == AluOp::Add) == negative;
    u32 limit = 0;
    SKEP_TRY_DO(pointer_limit(walk, pointer, mask.to_left, limit));
    u32 kind = pointer_is_dst ? kMaskSource : kMaskDestination;
    if (negative) kind |= kNegative;
    if (constant) kind |= kImmediate;
    if (!constant) walk.explores_limits = true;
    SKEP_TRY_DO(set_limit(walk, mask.kind, mask.limit, static_cast<u8>(kind), limit));
  }
  if (constant) return {};
  // The masked operation may also yield the pointer unmoved.
  const Reg saved = dst;
  if (!pointer_is_dst) dst.copy_from(pointer);
  const bool pushed = walk.put_aside(walk.pc + 1, walk.pc, true) != nullptr;
  if (!pushed) return walk.fail<Msg::MaskStack>(walk.insn().dst);
  if (!pointer_is_dst) dst = saved;
  return {};
}

Check commit_pointer_mask(Walk& walk, const Reg& dst, const Reg& offset, PointerMask& mask) {
  static_cast<void>(offset);
  if (is_exempt(walk) || walk.current->speculative) return {};
  u32 limit = 0;
  SKEP_TRY_DO(pointer_limit(walk, dst, mask.to_left, limit));
  const u32 distance = mask.limit > limit ? mask.limit - limit : limit - mask.limit;
  InsnNotes& notes = walk.notes[walk.pc];
  return set_limit(walk, notes.limit_kind, notes.limit, mask.kind, distance);
}

Check check_moved_pointer(Walk& walk, const Reg& dst) {
  if (walk.rights.bypass_spectre_v1) return {};
  const u32 number = walk.insn().dst;
  if (dst.is(RegKind::Stack)) {
    const s64 off = s64{dst.off} + static_cast<s64>(dst.value.bits.value);
    if (!dst.value.is_known()) {
      return walk.fail<Msg::MovedStackVariable>(number, to_string(dst.value.bits), off);
    }
    if (off >= 0 || off < -kStackSize) return walk.fail<Msg::MovedStackOutside>(number, off);
  } else if (dst.is(RegKind::MapValue)) {
    if (!map_value_in_bounds(walk, number, dst.off, 1, false, By::Helper).has_value()) {
      return walk.fail<Msg::MovedMapOutside>(number);
    }
  }
  return {};
}

}  // namespace skep::verify
