// SPDX-License-Identifier: Apache-2.0
// Tested by tests/verify, tests/kernel
#include "verify/helper_memory.h"

#include "verify/mem_access.h"
#include "verify/mem_region.h"
#include "verify/precision.h"

namespace skep::verify {
namespace {

Check wrong_kind(Walk& walk, u32 number, s32 bytes, bool zero_size_ok) {
  const Reg& reg = walk.reg(number);
  if (zero_size_ok && bytes == 0 && reg.is_zero()) return {};
  return walk.fail<Msg::ArgumentKind>(number, type_name(reg), "fp");
}

// A context that the program sees as it is may be read by helpers.
Check context_memory(Walk& walk, u32 number, s32 bytes, Access access, bool zero_size_ok) {
  if (!walk.world.traits().context_is_memory) return wrong_kind(walk, number, bytes, zero_size_ok);
  if (bytes == 0) return zero_size_ok ? Check{} : walk.fail<Msg::ContextZeroSize>();
  return access_memory(walk, {.pointer = number, .off = bytes - 1, .size = 1, .access = access});
}

}  // namespace

Check helper_memory(Walk& walk, u32 number, s32 bytes, Access access, bool zero_size_ok,
                    RawMemory* raw) {
  const Reg& reg = walk.reg(number);
  const bool forbidden = (reg.flags & kReadOnly) != 0 && access == Access::Write;
  switch (reg.kind) {
    case RegKind::Packet:
    case RegKind::PacketMeta: return packet_in_bounds(walk, number, reg.off, bytes, zero_size_ok);
    case RegKind::MapKey:
      if (access == Access::Write) break;
      return region_in_bounds(walk, number, reg.off, bytes, walk.map(reg).key_size, false);
    case RegKind::MapValue:
      SKEP_TRY_DO(map_access_allowed(walk, number, reg.off, bytes, access));
      return map_value_in_bounds(walk, number, reg.off, bytes, zero_size_ok, By::Helper);
    case RegKind::Mem:
      if (forbidden) break;
      return region_in_bounds(walk, number, reg.off, bytes, reg.extra, zero_size_ok);
    case RegKind::Buf:
      if (forbidden) break;
      return buffer_in_bounds(walk, number, reg.off, bytes,
                              (reg.flags & kReadOnly) != 0 ? "rdonly" : "rdwr");
    case RegKind::Stack:
      return stack_initialised(walk, number, reg.off, bytes, zero_size_ok, By::Helper, raw);
    case RegKind::Ctx: return context_memory(walk, number, bytes, access, zero_size_ok);
    case RegKind::NotInit:
    case RegKind::Scalar:
    case RegKind::MapPtr:
    case RegKind::PacketEnd:
    case RegKind::FlowKeys:
    case RegKind::Socket:
    case RegKind::SockCommon:
    case RegKind::TcpSock:
    case RegKind::XdpSock:
    case RegKind::TpBuffer:
    case RegKind::Btf:
    case RegKind::Func:
    case RegKind::Dynptr: return wrong_kind(walk, number, bytes, zero_size_ok);
  }
  return walk.fail<Msg::CannotWriteInto>(number, type_name(reg));
}

Check helper_memory_size(Walk& walk, u32 number, Access access, bool zero_size_ok,
                         CallNotes& call) {
  const Reg& size = walk.reg(number);
  const Bounds<u64> range = size.value.whole;
  call.max_size = range.umax;
  // Memory of unknown size is not all filled, so it has to be initialised.
  RawMemory* const raw = size.value.is_known() ? &call.raw : nullptr;
  if (range.smin < 0) return walk.fail<Msg::SizeNegative>(number);
  if (range.umin == 0) {
    SKEP_TRY_DO(helper_memory(walk, number - 1, 0, access, zero_size_ok, raw));
  }
  if (range.umax >= static_cast<u64>(kMaxOffset)) return walk.fail<Msg::SizeUnbounded>(number);
  SKEP_TRY_DO(
      helper_memory(walk, number - 1, static_cast<s32>(range.umax), access, zero_size_ok, raw));
  return mark_precise(walk, number);
}

}  // namespace skep::verify
