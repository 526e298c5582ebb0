// SPDX-License-Identifier: Apache-2.0
// Tested by tests/verify, tests/kernel
#include "verify/stack.h"

#include <algorithm>

#include "verify/liveness.h"
#include "verify/precision.h"
#include "verify/spill.h"

namespace skep::verify {
namespace {

std::string_view access_words(By by, Access access) {
  if (by == By::Helper) return " indirect access to";
  return access == Access::Read ? " read from" : " write to";
}

// Makes the frame's stack reach down to the offset `lowest`, below 0.
void grow(Walk& walk, Frame& frame, s64 lowest) {
  const auto slots = static_cast<std::size_t>((-lowest + kSlotSize - 1) / kSlotSize);
  if (slots <= frame.stack.size()) return;
  const std::size_t room = frame.stack.capacity();
  frame.stack.resize(slots);
  walk.pool.account_slots(frame.stack.capacity() - room);
  u32& deepest = walk.subprogs[frame.subprog].stack_bytes;
  deepest = std::max(deepest, frame.stack_bytes());
}

// After bytes were stored that are no spill: whatever was spilled there is only data now.
void scrub(Slot& slot) {
  for (ByteKind& kind : slot.bytes) {
    if (kind != ByteKind::Invalid) kind = ByteKind::Misc;
  }
}

// The instruction's constant if it stores one.
std::optional<s64> stored_constant(const Walk& walk, s32 value) {
  const isa::ebpf::Insn& insn = walk.insn();
  if (value != kNoReg || isa::ebpf::info(insn.op).kind != isa::ebpf::Kind::St) return std::nullopt;
  return insn.imm;
}

u32 bits_of(u64 x) {
  return x == 0 ? 0 : 64 - static_cast<u32>(__builtin_clzll(x));
}

// Stores bytes that are not kept as a register.
Check store_data(Walk& walk, Slot& slot, s32 top, u32 size, s32 value, bool is_zero) {
  slot.spilled.kind = RegKind::NotInit;
  slot.spilled.flags = 0;
  if (slot.is_spill()) scrub(slot);
  if (size == kSlotSize) slot.spilled.live |= kLiveWritten;
  // A zero that is remembered as zero is a number that decides something.
  if (is_zero && value != kNoReg) SKEP_TRY_DO(mark_precise(walk, static_cast<u32>(value)));
  for (u32 i = 0; i < size; ++i) {
    const u32 byte = (static_cast<u32>(top) - i) % kSlotSize;
    slot.bytes[byte] = is_zero ? ByteKind::Zero : ByteKind::Misc;
  }
  return {};
}

Check store_fixed(Walk& walk, Frame& frame, s32 off, u32 size, s32 value) {
  const s32 top = -off - 1;
  Slot& slot = frame.stack[static_cast<u32>(top) / kSlotSize];
  walk.touched.slots |= u64{1} << (static_cast<u32>(top) / kSlotSize);
  if (!walk.rights.pointer_leaks && slot.is_spill() && size != kSlotSize) {
    return walk.fail<Msg::CorruptsSpill>();
  }
  const Reg* const reg = value == kNoReg ? nullptr : &walk.reg(static_cast<u32>(value));
  const std::optional<s64> constant = stored_constant(walk, value);
  const bool aligned = off % static_cast<s32>(kSlotSize) == 0;
  const bool is_zero = reg != nullptr ? reg->is_zero() : constant == 0;
  if (reg != nullptr && aligned && walk.rights.bpf && reg->is_scalar() && !is_zero &&
      !reg->value.is_unknown()) {
    // Going back over a store through another register than r10 is not possible.
    if (walk.insn().dst != isa::ebpf::kFramePointer) {
      SKEP_TRY_DO(mark_precise(walk, static_cast<u32>(value)));
    }
    spill(slot, *reg, size);
    if (bits_of(reg->value.whole.umax) > size * 8) slot.spilled.id = 0;
    return {};
  }
  if (constant && *constant != 0 && aligned && walk.rights.bpf) {
    Reg number;
    number.kind = RegKind::Scalar;
    number.value = Scalar::known(static_cast<u64>(*constant));
    spill(slot, number, size);
    return {};
  }
  if (reg != nullptr && is_spillable(*reg)) {
    if (size != kSlotSize) return walk.fail<Msg::SpillSize>();
    if (&frame != &walk.frame() && reg->is(RegKind::Stack)) {
      return walk.fail<Msg::SpillStackPointerToCaller>();
    }
    spill(slot, *reg, size);
    return {};
  }
  return store_data(walk, slot, top, size, value, is_zero);
}

Check store_variable(Walk& walk, Frame& frame, const Reg& pointer, s32 off, u32 size, s32 value) {
  const s32 min = static_cast<s32>(pointer.value.whole.smin) + off;
  const s32 max = static_cast<s32>(pointer.value.whole.smax) + off + static_cast<s32>(size);
  const bool is_zero = value != kNoReg && walk.reg(static_cast<u32>(value)).is_zero();
  bool zero_used = false;
  for (s32 i = min; i < max; ++i) {
    const auto top = static_cast<u32>(-i - 1);
    Slot& slot = frame.stack[top / kSlotSize];
    walk.touched.slots |= u64{1} << (top / kSlotSize);
    ByteKind& kind = slot.bytes[top % kSlotSize];
    if (!walk.rights.pointer_leaks && kind != ByteKind::Misc && kind != ByteKind::Zero) {
      return walk.fail<Msg::VariableWriteOverSpill>(walk.pc, i);
    }
    // Any slot in the range may have been hit, so no register survives in it.
    slot.spilled.kind = RegKind::NotInit;
    slot.spilled.flags = 0;
    const bool stays_zero = is_zero && kind == ByteKind::Zero;
    zero_used |= stays_zero;
    if (kind == ByteKind::Invalid && !walk.rights.uninit_stack) {
      return walk.fail<Msg::VariableWriteUninit>(walk.pc, i);
    }
    kind = stays_zero ? ByteKind::Zero : ByteKind::Misc;
  }
  if (zero_used) SKEP_TRY_DO(mark_precise(walk, static_cast<u32>(value)));
  return {};
}

// The loaded register where no spill was hit: zero, if all bytes are.
void load_data(Walk& walk, const Frame& frame, s32 min, s32 max, u32 target) {
  bool zero = true;
  for (s32 i = min; i < max && zero; ++i) {
    const auto top = static_cast<u32>(-i - 1);
    zero = frame.stack[top / kSlotSize].bytes[top % kSlotSize] == ByteKind::Zero;
  }
  Reg& reg = walk.reg(target);
  if (zero) {
    reg.set_known(0);
    // What made it zero was marked when it was stored.
    reg.precise = true;
  } else {
    walk.set_unknown(reg);
  }
  reg.live |= kLiveWritten;
}

// Whether the bytes may be read as data. Spilled numbers may where allowed.
Check data_readable(Walk& walk, const Slot& slot, s32 off, u32 size, bool over_spill) {
  const auto top = static_cast<u32>(-off - 1);
  for (u32 i = 0; i < size; ++i) {
    switch (slot.bytes[(top - i) % kSlotSize]) {
      case ByteKind::Misc: continue;
      case ByteKind::Zero:
        if (!over_spill) continue;
        break;
      case ByteKind::Spill:
        if (over_spill) continue;
        break;
      case ByteKind::Invalid:
        if (walk.rights.uninit_stack) continue;
        break;
      case ByteKind::Dynptr: break;
    }
    return walk.fail<Msg::StackReadUninit>(off, i, size);
  }
  return {};
}

// A load that hits a spill but is not exactly the whole register.
Check load_part_of_spill(Walk& walk, Slot& slot, s32 off, u32 size, s32 target, u32 spilled) {
  if (!slot.spilled.is_scalar()) return walk.fail<Msg::FillSize>();
  mark_read(walk, slot.spilled);
  if (target == kNoReg) return {};
  Reg& reg = walk.reg(static_cast<u32>(target));
  if (off % static_cast<s32>(kSlotSize) == 0 && size == spilled) {
    reg.copy_from(slot.spilled);
  } else {
    SKEP_TRY_DO(data_readable(walk, slot, off, size, true));
    walk.set_unknown(reg);
  }
  reg.live |= kLiveWritten;
  return {};
}

Check load_fixed(Walk& walk, Frame& frame, s32 off, u32 size, s32 target) {
  Slot& slot = frame.stack[static_cast<u32>(-off - 1) / kSlotSize];
  if (!slot.is_spill()) {
    SKEP_TRY_DO(data_readable(walk, slot, off, size, false));
    mark_read(walk, slot.spilled);
    if (target != kNoReg) {
      load_data(walk, frame, off, off + static_cast<s32>(size), static_cast<u32>(target));
    }
    return {};
  }
  const u32 spilled = spilled_bytes(slot);
  if (size != kSlotSize || spilled != kSlotSize) {
    return load_part_of_spill(walk, slot, off, size, target, spilled);
  }
  if (target != kNoReg) {
    Reg& reg = walk.reg(static_cast<u32>(target));
    reg.copy_from(slot.spilled);
    reg.live |= kLiveWritten;
  } else if (walk.hides_pointer(slot.spilled)) {
    return walk.fail<Msg::LeakFromStack>(off);
  }
  mark_read(walk, slot.spilled);
  return {};
}

}  // namespace

Check stack_in_bounds(Walk& walk, u32 number, s32 off, s32 size, By by, Access access) {
  const Reg& reg = walk.reg(number);
  Frame& frame = walk.frame_of(reg);
  const std::string_view words = access_words(by, access);
  const Bounds<u64>& range = reg.value.whole;
  s64 min = 0;
  s64 max = 0;
  if (reg.value.is_known()) {
    min = static_cast<s64>(reg.value.bits.value) + off;
    max = min + size;
  } else {
    if (range.smax >= kMaxOffset || range.smin <= -kMaxOffset) {
      return walk.fail<Msg::StackUnbounded>(words, number);
    }
    min = range.smin + off;
    max = range.smax + off + size;
  }
  const bool anywhere = access == Access::Write || walk.rights.uninit_stack;
  const s64 lowest = anywhere ? -kStackSize : -s64{frame.stack_bytes()};
  const bool below = min < lowest || min > -1;
  if (below || max > 0 || size < 0) {
    if (!reg.value.is_known()) {
      const std::string bits = to_string(reg.value.bits);
      return below ? walk.fail<Msg::StackVariableOutside>(words, number, bits, size)
                   : walk.fail<Msg::StackVariableBeyond>(words, number, bits, size);
    }
    return below ? walk.fail<Msg::StackOutside>(words, number, off, size)
                 : walk.fail<Msg::StackBeyond>(words, number, off, size);
  }
  grow(walk, frame, min);
  return {};
}

Check stack_load(Walk& walk, u32 number, s32 off, u32 size, s32 target) {
  const Reg& reg = walk.reg(number);
  Frame& frame = walk.frame_of(reg);
  if (reg.value.is_known()) {
    const s32 fixed = off + static_cast<s32>(reg.value.bits.value);
    return load_fixed(walk, frame, fixed, size, target);
  }
  if (target == kNoReg) {
    return walk.fail<Msg::VariableStackToHelper>(to_string(reg.value.bits), off, size);
  }
  const s32 min = static_cast<s32>(reg.value.whole.smin) + off;
  const s32 max = static_cast<s32>(reg.value.whole.smax) + off + static_cast<s32>(size);
  SKEP_TRY_DO(
      stack_initialised(walk, number, off, static_cast<s32>(size), false, By::Insn, nullptr));
  load_data(walk, frame, min, max, static_cast<u32>(target));
  return {};
}

Check stack_store(Walk& walk, u32 number, s32 off, u32 size, s32 value) {
  const Reg& reg = walk.reg(number);
  Frame& frame = walk.frame_of(reg);
  if (!reg.value.is_known()) return store_variable(walk, frame, reg, off, size, value);
  const s32 fixed = off + static_cast<s32>(reg.value.bits.value);
  return store_fixed(walk, frame, fixed, size, value);
}

namespace {

// One byte that a helper (or a load with a variable offset) reads; a helper may also write it.
bool byte_initialised(Walk& walk, Slot& slot, u32 byte, bool clobbers) {
  ByteKind& kind = slot.bytes[byte];
  if (kind == ByteKind::Misc) return true;
  if (kind == ByteKind::Zero || (kind == ByteKind::Invalid && walk.rights.uninit_stack)) {
    if (clobbers) kind = ByteKind::Misc;
    return true;
  }
  const bool readable = slot.spilled.is_scalar() || walk.rights.pointer_leaks;
  if (!slot.is_spill() || !readable) return false;
  if (clobbers) {
    walk.set_unknown(slot.spilled);
    scrub(slot);
  }
  return true;
}

}  // namespace

Check stack_initialised(Walk& walk, u32 number, s32 off, s32 size, bool zero_size_ok, By by,
                        RawMemory* raw) {
  const bool helper = by == By::Helper;
  const std::string_view indirect = helper ? " indirect" : "";
  if (size == 0 && !zero_size_ok) return walk.fail<Msg::ZeroSizedRead>();
  SKEP_TRY_DO(stack_in_bounds(walk, number, off, size, by, helper ? Access::Write : Access::Read));
  const Reg& reg = walk.reg(number);
  Frame& frame = walk.frame_of(reg);
  const bool known = reg.value.is_known();
  if (!known && !walk.rights.bypass_spectre_v1) {
    return walk.fail<Msg::VariableStackUnprivileged>(number, indirect, to_string(reg.value.bits));
  }
  if (raw != nullptr && raw->wanted && known) {
    // Only memory at a certain place can be filled without being initialised.
    raw->bytes = static_cast<u32>(size);
    raw->reg = number;
    return {};
  }
  const s64 first = known ? static_cast<s64>(reg.value.bits.value) : reg.value.whole.smin;
  const s64 last = known ? first : reg.value.whole.smax;
  const s32 min = static_cast<s32>(first) + off;
  const s32 max = static_cast<s32>(last) + off + size;
  for (s32 i = min; i < max; ++i) {
    const auto top = static_cast<u32>(-i - 1);
    Slot& slot = frame.stack[top / kSlotSize];
    if (!byte_initialised(walk, slot, top % kSlotSize, helper)) {
      if (!known) {
        return walk.fail<Msg::StackIndirectVariable>(indirect, number, to_string(reg.value.bits),
                                                     i - min, size);
      }
      return walk.fail<Msg::StackIndirect>(indirect, number, min, i - min, size);
    }
    mark_read(walk, slot.spilled);
  }
  return {};
}

}  // namespace skep::verify
