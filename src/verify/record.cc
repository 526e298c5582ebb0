// SPDX-License-Identifier: Apache-2.0
// Tested by tests/verify, tests/kernel
#include "verify/record.h"

#include <algorithm>

namespace skep::verify {
namespace {

Fact* fact(Walk& walk) {
  return walk.current->speculative ? nullptr : &walk.facts[walk.pc];
}

Region region_of(const Reg& pointer) {
  switch (pointer.kind) {
    case RegKind::Ctx: return Region::Ctx;
    case RegKind::Stack: return Region::Stack;
    case RegKind::Packet: return Region::Packet;
    case RegKind::PacketMeta: return Region::PacketMeta;
    case RegKind::MapValue: return Region::MapValue;
    case RegKind::MapKey: return Region::MapKey;
    case RegKind::Mem: return Region::Mem;
    case RegKind::Socket:
    case RegKind::SockCommon:
    case RegKind::TcpSock:
    case RegKind::XdpSock: return Region::Socket;
    case RegKind::FlowKeys:
    case RegKind::TpBuffer:
    case RegKind::Btf:
    case RegKind::Buf:
    case RegKind::MapPtr:
    case RegKind::NotInit:
    case RegKind::Scalar:
    case RegKind::PacketEnd:
    case RegKind::Func:
    case RegKind::Dynptr: return Region::Other;
  }
  return Region::Other;
}

void join_map(u32& known, u32 map) {
  known = known == 0 || known == map ? map : kSeveral;
}

}  // namespace

void record_reached(Walk& walk) {
  if (Fact* const f = fact(walk)) f->reachable = true;
}

void record_branch(Walk& walk, bool jumps, bool falls_through) {
  if (Fact* const f = fact(walk)) {
    f->jumps |= jumps;
    f->falls_through |= falls_through;
  }
}

namespace {

// Offsets of accesses that will be refused may wrap.
s64 wrapping_add(s64 a, s64 b) {
  return static_cast<s64>(static_cast<u64>(a) + static_cast<u64>(b));
}

}  // namespace

void record_access(Walk& walk, const Reg& pointer, s32 off, u32 size) {
  static_cast<void>(size);
  Fact* const f = fact(walk);
  // A helper's accesses are its own business.
  if (f == nullptr || isa::ebpf::info(walk.insn().op).kind == isa::ebpf::Kind::Call) return;
  const Region region = region_of(pointer);
  const s64 fixed = s64{pointer.off} + off;
  const s64 min = wrapping_add(pointer.value.whole.smin, fixed);
  const s64 max = wrapping_add(pointer.value.whole.smax, fixed);
  if (f->region == Region::None) {
    f->region = region;
    f->min_off = min;
    f->max_off = max;
  } else if (f->region != region) {
    f->region = Region::Mixed;
  }
  f->min_off = std::min(f->min_off, min);
  f->max_off = std::max(f->max_off, max);
  if (region == Region::Stack && pointer.frame != walk.current->top) f->own_frame = false;
  if (region == Region::MapValue || region == Region::MapKey) join_map(f->map, pointer.map);
}

void record_context(Walk& walk, u32 field) {
  if (Fact* const f = fact(walk)) f->field = field;
}

void record_call_map(Walk& walk, u32 map) {
  if (Fact* const f = fact(walk)) join_map(f->map, map);
}

void record_tail_index(Walk& walk, std::optional<u32> index) {
  Fact* const f = fact(walk);
  if (f == nullptr) return;
  if (!index) {
    f->index = kSeveral;
  } else if (!f->index_known) {
    f->index = *index;
  } else if (f->index != *index) {
    f->index = kSeveral;
  }
  f->index_known = true;
}

}  // namespace skep::verify
