// SPDX-License-Identifier: Apache-2.0
// Tested by tests/verify, tests/kernel
#include "verify/mem_access.h"

#include "support/assert.h"
#include "verify/mem_region.h"
#include "verify/record.h"

namespace skep::verify {
namespace {

bool writes(const MemAccess& a) {
  return a.access == Access::Write;
}

s32 bytes(const MemAccess& a) {
  return static_cast<s32>(a.size);
}

// Offset from the pointer's base, without the variable part.
s32 fixed_offset(const Walk& walk, const MemAccess& a) {
  return a.off + walk.current->current().regs[a.pointer].off;
}

// A pointer must not be stored where somebody without rights could read it.
bool leaks(Walk& walk, const MemAccess& a) {
  return writes(a) && a.value != kNoReg && walk.hides_pointer(static_cast<u32>(a.value));
}

void load_unknown(Walk& walk, const MemAccess& a) {
  if (!writes(a) && a.value != kNoReg) walk.set_unknown(walk.reg(static_cast<u32>(a.value)));
}

Check access_map_key(Walk& walk, const MemAccess& a) {
  if (writes(a)) return walk.fail<Msg::WritesMapKey>(a.pointer);
  const u32 key_bytes = walk.map(walk.reg(a.pointer)).key_size;
  SKEP_TRY_DO(region_in_bounds(walk, a.pointer, fixed_offset(walk, a), bytes(a), key_bytes, false));
  load_unknown(walk, a);
  return {};
}

Check access_map_value(Walk& walk, const MemAccess& a) {
  if (leaks(walk, a)) return walk.fail<Msg::LeakIntoMap>(a.value);
  const s32 off = fixed_offset(walk, a);
  SKEP_TRY_DO(map_access_allowed(walk, a.pointer, off, bytes(a), a.access));
  SKEP_TRY_DO(map_value_in_bounds(walk, a.pointer, off, bytes(a), false, By::Insn));
  if (writes(a) || a.value == kNoReg) return {};
  const Reg& pointer = walk.reg(a.pointer);
  const MapFacts& map = walk.map(pointer);
  Reg& loaded = walk.reg(static_cast<u32>(a.value));
  if (!pointer.value.is_known() || !map.constant || !map.direct_values) {
    walk.set_unknown(loaded);
    return {};
  }
  const s32 at = off + static_cast<s32>(pointer.value.bits.value);
  const std::optional<u64> value = walk.world.constant(map, static_cast<u32>(at), a.size);
  if (!value) return walk.fail<Msg::ConstantUnreadable>();
  loaded.kind = RegKind::Scalar;
  loaded.set_known(*value);
  return {};
}

Check access_mem(Walk& walk, const MemAccess& a) {
  const Reg& reg = walk.reg(a.pointer);
  const bool read_only = (reg.flags & kReadOnly) != 0;
  if (reg.may_be_null()) return walk.fail<Msg::InvalidAccess>(a.pointer, type_name(reg));
  if (writes(a) && read_only) return walk.fail<Msg::CannotWriteInto>(a.pointer, type_name(reg));
  if (leaks(walk, a)) return walk.fail<Msg::LeakIntoMem>(a.value);
  SKEP_TRY_DO(region_in_bounds(walk, a.pointer, fixed_offset(walk, a), bytes(a), reg.extra, false));
  load_unknown(walk, a);
  return {};
}

Check access_ctx(Walk& walk, const MemAccess& a) {
  if (leaks(walk, a)) return walk.fail<Msg::LeakIntoCtx>(a.value);
  const Reg& reg = walk.reg(a.pointer);
  SKEP_TRY_DO(not_moved(walk, reg, a.pointer, false));
  const s32 off = fixed_offset(walk, a);
  std::optional<ContextLoad> field;
  if (off >= 0) field = walk.world.context(static_cast<u32>(off), a.size, a.access);
  if (!field) return walk.fail<Msg::InvalidContextAccess>(off, a.size);
  record_context(walk, field->field);
  if (writes(a) || a.value == kNoReg) return {};
  Reg& loaded = walk.reg(static_cast<u32>(a.value));
  if (field->kind == RegKind::Scalar) {
    walk.set_unknown(loaded);
  } else {
    loaded.set_pointer(field->kind, field->flags);
    if (loaded.may_be_null()) loaded.id = walk.new_id();
  }
  return {};
}

Check access_stack(Walk& walk, const MemAccess& a) {
  const s32 off = fixed_offset(walk, a);
  SKEP_TRY_DO(stack_in_bounds(walk, a.pointer, off, bytes(a), By::Insn, a.access));
  return writes(a) ? stack_store(walk, a.pointer, off, a.size, a.value)
                   : stack_load(walk, a.pointer, off, a.size, a.value);
}

Check access_packet(Walk& walk, const MemAccess& a) {
  if (writes(a) && !packet_access_allowed(walk, std::nullopt, a.access)) {
    return walk.fail<Msg::PacketNotWritable>();
  }
  if (leaks(walk, a)) return walk.fail<Msg::LeakIntoPacket>(a.value);
  SKEP_TRY_DO(packet_in_bounds(walk, a.pointer, fixed_offset(walk, a), bytes(a), false));
  load_unknown(walk, a);
  return {};
}

Check access_flow_keys(Walk& walk, const MemAccess& a) {
  constexpr s32 kFlowKeysBytes = 56;
  if (leaks(walk, a)) return walk.fail<Msg::LeakIntoFlowKeys>(a.value);
  const s32 off = fixed_offset(walk, a);
  if (off < 0 || off + bytes(a) > kFlowKeysBytes) {
    return walk.fail<Msg::FlowKeysOutside>(off, a.size);
  }
  load_unknown(walk, a);
  return {};
}

Check access_socket(Walk& walk, const MemAccess& a) {
  const Reg& reg = walk.reg(a.pointer);
  if (writes(a)) return walk.fail<Msg::CannotWriteInto>(a.pointer, type_name(reg));
  if (reg.value.whole.smin < 0) return walk.fail<Msg::NegativeMin>(a.pointer);
  const s32 off = fixed_offset(walk, a);
  if (off < 0 || !walk.world.socket(reg.kind, static_cast<u32>(off), a.size)) {
    return walk.fail<Msg::SocketAccess>(a.pointer, type_name(reg), off, a.size);
  }
  load_unknown(walk, a);
  return {};
}

Check access_tracepoint_buffer(Walk& walk, const MemAccess& a) {
  SKEP_TRY_DO(buffer_in_bounds(walk, a.pointer, fixed_offset(walk, a), bytes(a), "tracepoint"));
  load_unknown(walk, a);
  return {};
}

Check access_buffer(Walk& walk, const MemAccess& a) {
  const Reg& reg = walk.reg(a.pointer);
  const bool read_only = (reg.flags & kReadOnly) != 0;
  if (writes(a) && read_only) return walk.fail<Msg::CannotWriteInto>(a.pointer, type_name(reg));
  SKEP_TRY_DO(buffer_in_bounds(walk, a.pointer, fixed_offset(walk, a), bytes(a),
                               read_only ? "rdonly" : "rdwr"));
  load_unknown(walk, a);
  return {};
}

Check access_map_struct(Walk& walk, const MemAccess& a) {
  const u32 type = walk.map(walk.reg(a.pointer)).type;
  const bool array = type == map_type::kArray || type == map_type::kPercpuArray ||
                     type == map_type::kProgArray || type == map_type::kPerfEventArray ||
                     type == map_type::kArrayOfMaps || type == map_type::kCgroupArray;
  const bool hash = type == map_type::kHash || type == map_type::kPercpuHash ||
                    type == map_type::kLruHash || type == map_type::kLruPercpuHash ||
                    type == map_type::kHashOfMaps;
  const std::string_view what = array ? "bpf_array" : hash ? "bpf_htab" : "bpf_map";
  if (!walk.rights.map_struct_access) return walk.fail<Msg::MapStructUnprivileged>(what);
  const s32 off = fixed_offset(walk, a);
  if (off < 0) return walk.fail<Msg::MapStructNegative>(a.pointer, what, off);
  if (writes(a)) return walk.fail<Msg::MapStructReadOnly>(what);
  // The kernel's own structure of a map does not exist here.
  return walk.fail<Msg::UnsupportedMapStruct>();
}

Check invalid_access(Walk& walk, const MemAccess& a) {
  return walk.fail<Msg::InvalidAccess>(a.pointer, type_name(walk.reg(a.pointer)));
}

Check access_by_kind(Walk& walk, const MemAccess& a) {
  const Reg& reg = walk.reg(a.pointer);
  const bool plain = reg.flags == 0;
  switch (reg.kind) {
    case RegKind::Mem: return access_mem(walk, a);
    case RegKind::MapKey: return plain ? access_map_key(walk, a) : invalid_access(walk, a);
    case RegKind::MapValue: return plain ? access_map_value(walk, a) : invalid_access(walk, a);
    case RegKind::Ctx: return plain ? access_ctx(walk, a) : invalid_access(walk, a);
    case RegKind::Stack: return plain ? access_stack(walk, a) : invalid_access(walk, a);
    case RegKind::Packet:
    case RegKind::PacketMeta: return access_packet(walk, a);
    case RegKind::FlowKeys: return plain ? access_flow_keys(walk, a) : invalid_access(walk, a);
    case RegKind::Socket:
    case RegKind::SockCommon:
    case RegKind::TcpSock:
    case RegKind::XdpSock: return plain ? access_socket(walk, a) : invalid_access(walk, a);
    case RegKind::TpBuffer:
      return plain ? access_tracepoint_buffer(walk, a) : invalid_access(walk, a);
    case RegKind::Btf:
      return reg.may_be_null() ? invalid_access(walk, a) : walk.fail<Msg::UnsupportedBtf>();
    case RegKind::MapPtr: return plain ? access_map_struct(walk, a) : invalid_access(walk, a);
    case RegKind::Buf: return reg.may_be_null() ? invalid_access(walk, a) : access_buffer(walk, a);
    case RegKind::NotInit:
    case RegKind::Scalar:
    case RegKind::PacketEnd:
    case RegKind::Func:
    case RegKind::Dynptr: return invalid_access(walk, a);
  }
  unreachable();
}

}  // namespace

Check access_memory(Walk& walk, const MemAccess& a) {
  SKEP_TRY_DO(is_aligned(walk, walk.reg(a.pointer), a.off, a.size, a.strict));
  record_access(walk, walk.reg(a.pointer), a.off, a.size);
  SKEP_TRY_DO(access_by_kind(walk, a));
  if (a.size < kSlotSize && a.value != kNoReg && !writes(a)) {
    Reg& loaded = walk.reg(static_cast<u32>(a.value));
    if (loaded.is_scalar()) loaded.value.truncate(a.size);
  }
  return {};
}

}  // namespace skep::verify
