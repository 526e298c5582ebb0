// SPDX-License-Identifier: Apache-2.0
// Tested by tests/verify, tests/kernel
#include "verify/mem_region.h"

namespace skep::verify {
namespace {

constexpr s32 kIpAlign = 2;  // packets start there after an aligned address

Check outside(Walk& walk, u32 number, s64 off, s32 size, u32 bytes) {
  const Reg& reg = walk.reg(number);
  const s32 shown = static_cast<s32>(off);
  if (reg.is(RegKind::MapKey)) return walk.fail<Msg::MapKeyOutside>(bytes, shown, size);
  if (reg.is(RegKind::MapValue)) return walk.fail<Msg::MapValueOutside>(bytes, shown, size);
  if (reg.is_packet_or_end() && reg.flags == 0) {
    return walk.fail<Msg::PacketOutside>(shown, size, number, reg.id, shown,
                                         static_cast<s32>(bytes));
  }
  return walk.fail<Msg::MemoryOutside>(bytes, shown, size);
}

Check fixed_in_bounds(Walk& walk, u32 number, s64 wide_off, s32 size, u32 bytes,
                      bool zero_size_ok) {
  // Kernel: the offset is an int from here on.
  const s64 off = static_cast<s32>(wide_off);
  const bool size_ok = size > 0 || (size == 0 && zero_size_ok);
  if (off >= 0 && size_ok && off + size <= s64{bytes}) return {};
  return outside(walk, number, off, size, bytes);
}

std::string_view alignment_words(RegKind kind) {
  switch (kind) {
    case RegKind::FlowKeys: return "flow keys ";
    case RegKind::MapKey: return "key ";
    case RegKind::MapValue: return "value ";
    case RegKind::Ctx: return "context ";
    case RegKind::Stack: return "stack ";
    case RegKind::Socket: return "sock ";
    case RegKind::SockCommon: return "sock_common ";
    case RegKind::TcpSock: return "tcp_sock ";
    case RegKind::XdpSock: return "xdp_sock ";
    case RegKind::NotInit:
    case RegKind::Scalar:
    case RegKind::MapPtr:
    case RegKind::Packet:
    case RegKind::PacketMeta:
    case RegKind::PacketEnd:
    case RegKind::TpBuffer:
    case RegKind::Btf:
    case RegKind::Mem:
    case RegKind::Buf:
    case RegKind::Func:
    case RegKind::Dynptr: break;
  }
  return "";
}

}  // namespace

Check region_in_bounds(Walk& walk, u32 number, s32 off, s32 size, u32 region_bytes,
                       bool zero_size_ok) {
  const Bounds<u64>& range = walk.reg(number).value.whole;
  const s64 least = range.smin;
  const bool unbounded = least == Bounds<u64>::kSMin;
  if (least < 0 && (unbounded || off + least != static_cast<s32>(off + least) || off + least < 0)) {
    return walk.fail<Msg::NegativeMin>(number);
  }
  if (!fixed_in_bounds(walk, number, least + off, size, region_bytes, zero_size_ok).has_value()) {
    return walk.fail<Msg::MinOutside>(number);
  }
  if (range.umax >= static_cast<u64>(kMaxOffset)) return walk.fail<Msg::UnboundedAccess>(number);
  const s64 most = static_cast<s64>(range.umax) + off;
  if (!fixed_in_bounds(walk, number, most, size, region_bytes, zero_size_ok).has_value()) {
    return walk.fail<Msg::MaxOutside>(number);
  }
  return {};
}

Check map_value_in_bounds(Walk& walk, u32 number, s32 off, s32 size, bool zero_size_ok, By by) {
  static_cast<void>(by);
  const Reg& reg = walk.reg(number);
  const MapFacts& map = walk.map(reg);
  SKEP_TRY_DO(region_in_bounds(walk, number, off, size, map.value_size, zero_size_ok));
  if (map.spin_lock_off) {
    constexpr s64 kLockBytes = 4;
    const s64 lock = *map.spin_lock_off;
    const s64 first = reg.value.whole.smin + off;
    const s64 end = static_cast<s64>(reg.value.whole.umax) + off + size;
    if (first < lock + kLockBytes && lock < end) return walk.fail<Msg::AccessesSpinLock>();
  }
  return {};
}

Check map_access_allowed(Walk& walk, u32 number, s32 off, s32 size, Access access) {
  const MapFacts& map = walk.map(walk.reg(number));
  if (access == Access::Write && !map.program_may_write) {
    return walk.fail<Msg::MapWriteForbidden>(map.value_size, off, size);
  }
  if (access == Access::Read && !map.program_may_read) {
    return walk.fail<Msg::MapReadForbidden>(map.value_size, off, size);
  }
  return {};
}

Check packet_in_bounds(Walk& walk, u32 number, s32 off, s32 size, bool zero_size_ok) {
  const Reg& reg = walk.reg(number);
  if (reg.value.whole.smin < 0) return walk.fail<Msg::NegativeMin>(number);
  if (reg.range < 0) return walk.fail<Msg::PacketBeyondEnd>(number);
  const auto range = static_cast<u32>(reg.range);
  if (!fixed_in_bounds(walk, number, off, size, range, zero_size_ok).has_value()) {
    return walk.fail<Msg::OutsidePacket>(number);
  }
  return {};
}

Check buffer_in_bounds(Walk& walk, u32 number, s32 off, s32 size, std::string_view what) {
  const Reg& reg = walk.reg(number);
  if (off < 0) return walk.fail<Msg::BufferNegative>(number, what, off, size);
  if (!reg.value.bits.is(0)) {
    return walk.fail<Msg::BufferVariable>(number, off, to_string(reg.value.bits));
  }
  return {};
}

Check not_moved(Walk& walk, const Reg& reg, u32 number, bool fixed_ok) {
  if (reg.off < 0) return walk.fail<Msg::NegativeOffset>(type_name(reg), number, reg.off);
  if (!fixed_ok && reg.off != 0) {
    return walk.fail<Msg::ModifiedPointer>(type_name(reg), number, reg.off);
  }
  if (!reg.value.bits.is(0)) {
    return walk.fail<Msg::VariableAccess>(type_name(reg), to_string(reg.value.bits));
  }
  return {};
}

Check is_aligned(Walk& walk, const Reg& reg, s32 off, u32 size, bool strict) {
  const bool asked = strict || walk.input.strict_alignment || reg.is(RegKind::Stack);
  if (!asked || size == 1) return {};
  const bool packet = reg.is_packet() && reg.flags == 0;
  const s64 fixed = s64{reg.off} + off + (packet ? kIpAlign : 0);
  const Tnum where = reg.value.bits + Tnum::known(static_cast<u64>(fixed));
  if (where.is_aligned(size)) return {};
  const std::string bits = to_string(reg.value.bits);
  if (packet) return walk.fail<Msg::MisalignedPacket>(kIpAlign, bits, reg.off, off, size);
  const std::string_view what = reg.flags == 0 ? alignment_words(reg.kind) : "";
  return walk.fail<Msg::Misaligned>(what, bits, reg.off, off, size);
}

bool packet_access_allowed(const Walk& walk, std::optional<bool> helper_accepts, Access access) {
  const Traits& traits = walk.world.traits();
  if (!traits.packet_read || (access == Access::Write && !traits.packet_write)) return false;
  return helper_accepts.value_or(true);
}

}  // namespace skep::verify
