// SPDX-License-Identifier: Apache-2.0
// Tested by tests/verify, tests/kernel
#include "verify/helper_args.h"

#include <array>
#include <span>

#include "support/assert.h"
#include "verify/branch.h"
#include "verify/helper_memory.h"
#include "verify/mem_region.h"
#include "verify/precision.h"
#include "verify/spin_lock.h"

namespace skep::verify {
namespace {

struct KindFlags {
  RegKind kind;
  u8 flags = 0;
};

constexpr KindFlags kKeyValueKinds[] = {{RegKind::Stack},
                                        {RegKind::Packet},
                                        {RegKind::PacketMeta},
                                        {RegKind::MapKey},
                                        {RegKind::MapValue}};
constexpr KindFlags kMemKinds[] = {
    {RegKind::Stack},    {RegKind::Packet}, {RegKind::PacketMeta},      {RegKind::MapKey},
    {RegKind::MapValue}, {RegKind::Mem},    {RegKind::Mem, kAllocated}, {RegKind::Buf}};
constexpr KindFlags kSockKinds[] = {
    {RegKind::SockCommon}, {RegKind::Socket}, {RegKind::TcpSock}, {RegKind::XdpSock}};
constexpr KindFlags kBtfSockKinds[] = {{RegKind::SockCommon},
                                       {RegKind::Socket},
                                       {RegKind::TcpSock},
                                       {RegKind::XdpSock},
                                       {RegKind::Btf}};
constexpr KindFlags kScalarKinds[] = {{RegKind::Scalar}};
constexpr KindFlags kMapPtrKinds[] = {{RegKind::MapPtr}};
constexpr KindFlags kCtxKinds[] = {{RegKind::Ctx}};
constexpr KindFlags kSocketKinds[] = {{RegKind::Socket}};
constexpr KindFlags kMapValueKinds[] = {{RegKind::MapValue}};
constexpr KindFlags kAllocKinds[] = {{RegKind::Mem, kAllocated}};
constexpr KindFlags kFuncKinds[] = {{RegKind::Func}};
constexpr KindFlags kStackKinds[] = {{RegKind::Stack}};

std::span<const KindFlags> accepted_kinds(ArgKind kind) {
  switch (kind) {
    case ArgKind::MapKey:
    case ArgKind::MapValue: return kKeyValueKinds;
    case ArgKind::Mem: return kMemKinds;
    case ArgKind::ConstSize:
    case ArgKind::ConstSizeOrZero:
    case ArgKind::ConstAllocSize: return kScalarKinds;
    case ArgKind::ConstMapPtr: return kMapPtrKinds;
    case ArgKind::Ctx: return kCtxKinds;
    case ArgKind::SockCommon: return kSockKinds;
    case ArgKind::BtfSockCommon: return kBtfSockKinds;
    case ArgKind::Socket: return kSocketKinds;
    case ArgKind::SpinLock:
    case ArgKind::ConstStr:
    case ArgKind::Timer: return kMapValueKinds;
    case ArgKind::AllocMem: return kAllocKinds;
    case ArgKind::Func: return kFuncKinds;
    case ArgKind::Stack: return kStackKinds;
    case ArgKind::None:
    case ArgKind::Anything:
    case ArgKind::Unsupported: break;
  }
  return {};
}

Check check_kind(Walk& walk, u32 number, const Arg& arg) {
  const Reg& reg = walk.reg(number);
  u32 ignored = 0;
  if (arg.has(kArgReadOnly)) ignored |= kReadOnly;
  if (arg.has(kArgMaybeNull)) ignored |= kMaybeNull;
  const u32 flags = reg.flags & ~ignored;
  const std::span<const KindFlags> accepted = accepted_kinds(arg.kind);
  std::string names;
  for (const KindFlags& k : accepted) {
    if (reg.kind == k.kind && flags == k.flags) return {};
  }
  for (const KindFlags& k : accepted) {
    if (!names.empty()) names += ", ";
    names += type_name(k.kind, k.flags);
  }
  return walk.fail<Msg::ArgumentKind>(number, type_name(reg), names);
}

// Sockmaps hold sockets where others hold values.
Check resolve_map_value(Walk& walk, const CallNotes& call, Arg& arg) {
  if (call.map == 0) return walk.fail<Msg::NoMapForType>();
  const u32 type = walk.map(call.map).type;
  if (type == map_type::kSockmap || type == map_type::kSockhash) {
    if (arg.flags != 0) return walk.fail<Msg::SockmapArgument>();
    arg.kind = ArgKind::BtfSockCommon;
  } else if (type == map_type::kBloomFilter && call.proto->number == helper::kMapPeek) {
    arg.flags = 0;
  }
  return {};
}

Check note_reference(Walk& walk, u32 number, const Arg& arg, CallNotes& call) {
  const Reg& reg = walk.reg(number);
  if (arg.has(kArgRelease)) {
    if (reg.ref == 0 && !reg.is_zero()) return walk.fail<Msg::ReleasesUnreferenced>(number);
    call.release_reg = number;
  }
  if (reg.ref != 0) {
    if (call.ref != 0) return walk.fail<Msg::BugTwoReferences>(number, reg.ref, call.ref);
    call.ref = reg.ref;
  }
  return {};
}

Check check_map_pointer(Walk& walk, const Reg& reg, CallNotes& call) {
  if (call.map != 0 && (call.map != reg.map || call.map_origin != reg.extra)) {
    return walk.fail<Msg::TimerMapDiffers>(call.map_origin, reg.extra);
  }
  call.map = reg.map;
  call.map_origin = reg.extra;
  return {};
}

Check check_constant_string(Walk& walk, u32 number) {
  const Reg& reg = walk.reg(number);
  const MapFacts& map = walk.map(reg);
  if (!map.constant) return walk.fail<Msg::StringNotReadOnly>(number);
  if (!reg.value.is_known()) return walk.fail<Msg::StringNotConstant>(number);
  if (!map.direct_values) return walk.fail<Msg::StringNoDirectAccess>();
  const s32 rest = static_cast<s32>(map.value_size) - reg.off;
  SKEP_TRY_DO(map_value_in_bounds(walk, number, reg.off, rest, false, By::Helper));
  const u32 start = static_cast<u32>(reg.off) + static_cast<u32>(reg.value.bits.value);
  for (u32 i = start; i < map.value_size; ++i) {
    if (walk.world.constant(map, i, 1) == u64{0}) return {};
  }
  return walk.fail<Msg::StringNotTerminated>();
}

Check check_memory(Walk& walk, u32 number, const Arg& arg, CallNotes& call) {
  call.raw.wanted = arg.has(kArgUninit);
  if (!arg.has(kArgFixedSize)) return {};  // the size argument comes next
  const Access access = arg.has(kArgWrite) ? Access::Write : Access::Read;
  SKEP_TRY_DO(helper_memory(walk, number, static_cast<s32>(arg.size), access, false, &call.raw));
  if (!arg.has(kArgAligned)) return {};
  return is_aligned(walk, walk.reg(number), 0, arg.size, true);
}

Check check_map_value(Walk& walk, u32 number, const Arg& arg, CallNotes& call) {
  if (arg.has(kArgMaybeNull) && walk.reg(number).is_zero()) return {};
  if (call.map == 0) return walk.fail<Msg::NoMapForValue>();
  call.raw.wanted = arg.has(kArgUninit);
  const auto bytes = static_cast<s32>(walk.map(call.map).value_size);
  const Access access = arg.has(kArgWrite) ? Access::Write : Access::Read;
  return helper_memory(walk, number, bytes, access, false, &call.raw);
}

Check check_contents(Walk& walk, u32 index, const Arg& arg, CallNotes& call) {
  const u32 number = index + 1;
  Reg& reg = walk.reg(number);
  switch (arg.kind) {
    case ArgKind::ConstMapPtr: return check_map_pointer(walk, reg, call);
    case ArgKind::MapKey: {
      if (call.map == 0) return walk.fail<Msg::NoMapForKey>();
      const auto bytes = static_cast<s32>(walk.map(call.map).key_size);
      return helper_memory(walk, number, bytes, Access::Read, false, nullptr);
    }
    case ArgKind::MapValue: return check_map_value(walk, number, arg, call);
    case ArgKind::SpinLock: return check_spin_lock(walk, number, call.proto->number);
    case ArgKind::Func: call.subprog = reg.extra; return {};
    case ArgKind::Mem: return check_memory(walk, number, arg, call);
    case ArgKind::ConstSize:
    case ArgKind::ConstSizeOrZero: {
      const Arg& memory = call.proto->args[index - 1];
      const Access access = memory.has(kArgWrite) ? Access::Write : Access::Read;
      return helper_memory_size(walk, number, access, arg.kind == ArgKind::ConstSizeOrZero, call);
    }
    case ArgKind::ConstAllocSize:
      if (!reg.value.is_known()) return walk.fail<Msg::SizeNotConstant>(number);
      call.alloc_bytes = reg.value.bits.value;
      return mark_precise(walk, number);
    case ArgKind::ConstStr: return check_constant_string(walk, number);
    case ArgKind::Timer:
    case ArgKind::Unsupported: return walk.fail<Msg::UnsupportedHelperArgument>(number);
    case ArgKind::None:
    case ArgKind::Anything:
    case ArgKind::Ctx:
    case ArgKind::SockCommon:
    case ArgKind::Socket:
    case ArgKind::BtfSockCommon:
    case ArgKind::AllocMem:
    case ArgKind::Stack: return {};
  }
  unreachable();
}

// Kinds whose fixed and variable offsets are checked with their bounds.
bool bounds_cover_offset(const Reg& reg) {
  switch (reg.kind) {
    case RegKind::Stack:
    case RegKind::Packet:
    case RegKind::PacketMeta:
    case RegKind::MapKey:
    case RegKind::MapValue:
    case RegKind::Scalar: return reg.flags == 0;
    case RegKind::Mem: return reg.flags == 0 || reg.flags == kReadOnly || reg.flags == kAllocated;
    case RegKind::Buf: return reg.flags == 0 || reg.flags == kReadOnly;
    case RegKind::NotInit:
    case RegKind::Ctx:
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
    case RegKind::Dynptr: return false;
  }
  unreachable();
}

}  // namespace

Check check_pointer_offset(Walk& walk, u32 number, const Arg& arg) {
  const Reg& reg = walk.reg(number);
  if (bounds_cover_offset(reg) && arg.kind != ArgKind::AllocMem) return {};
  if (reg.is(RegKind::Btf) && arg.has(kArgRelease) && reg.off != 0) {
    return walk.fail<Msg::ReleasesMoved>(number);
  }
  return not_moved(walk, reg, number, reg.is(RegKind::Btf));
}

Check check_memory_argument(Walk& walk, u32 number, u32 bytes) {
  Reg& reg = walk.reg(number);
  if (reg.is_zero()) return {};
  const Reg saved = reg;
  if (reg.may_be_null()) mark_not_null(walk, reg);
  const auto size = static_cast<s32>(bytes);
  Check result = helper_memory(walk, number, size, Access::Read, true, nullptr);
  if (result.has_value()) {
    result = helper_memory(walk, number, size, Access::Write, true, nullptr);
  }
  if (saved.may_be_null()) reg = saved;
  return result.has_value() ? Check{} : Check{Refusal{EINVAL}};
}

Check check_helper_arg(Walk& walk, u32 index, CallNotes& call) {
  const u32 number = index + 1;
  Arg arg = call.proto->args[index];
  if (arg.kind == ArgKind::None) return {};
  SKEP_TRY_DO(walk.read(number));
  const Reg& reg = walk.reg(number);
  if (arg.kind == ArgKind::Anything) {
    return walk.hides_pointer(reg) ? walk.fail<Msg::LeakIntoHelper>(number) : Check{};
  }
  if (arg.kind == ArgKind::Unsupported) return walk.fail<Msg::UnsupportedHelperArgument>(number);
  if (reg.is_packet() && !packet_access_allowed(walk, call.proto->packet_access, Access::Read)) {
    return walk.fail<Msg::PacketToHelper>();
  }
  if (arg.kind == ArgKind::MapValue) SKEP_TRY_DO(resolve_map_value(walk, call, arg));
  if (!(reg.is_zero() && arg.has(kArgMaybeNull))) {
    SKEP_TRY_DO(check_kind(walk, number, arg));
    SKEP_TRY_DO(check_pointer_offset(walk, number, arg));
  }
  SKEP_TRY_DO(note_reference(walk, number, arg, call));
  return check_contents(walk, index, arg, call);
}

}  // namespace skep::verify
