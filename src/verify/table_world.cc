// SPDX-License-Identifier: Apache-2.0
#include "verify/table_world.h"

#include <algorithm>
#include <span>

#include "runtime/helpers/table.h"

namespace skep::verify {
namespace {

using runtime::helpers::find;
using runtime::helpers::judged;
using runtime::helpers::Row;

constexpr u32 bit(u32 type) {
  return u32{1} << type;
}
constexpr u32 kSkbTypes = bit(prog_type::kSocketFilter) | bit(prog_type::kSchedCls) |
                          bit(prog_type::kSchedAct) | bit(prog_type::kCgroupSkb) |
                          bit(prog_type::kLwtIn) | bit(prog_type::kLwtOut) |
                          bit(prog_type::kLwtXmit);
constexpr u32 kTc = bit(prog_type::kSchedCls) | bit(prog_type::kSchedAct);
constexpr u32 kFilter = bit(prog_type::kSocketFilter);
constexpr u32 kCgroup = bit(prog_type::kCgroupSkb);
constexpr u32 kLwt = bit(prog_type::kLwtIn) | bit(prog_type::kLwtOut) | bit(prog_type::kLwtXmit);
constexpr u32 kXdp = bit(prog_type::kXdp);
constexpr u32 kTracing = bit(prog_type::kKprobe) | bit(prog_type::kTracepoint) |
                         bit(prog_type::kPerfEvent) | bit(prog_type::kRawTracepoint);
constexpr u32 kAll = kSkbTypes | kXdp | kTracing;

struct Field {
  u32 off;
  u32 bytes;  // of the whole field or array of fields
  u32 unit;   // access size of a write; narrower reads are allowed where narrow is set
  bool narrow;
  u32 readers;
  u32 writers;
  RegKind kind = RegKind::Scalar;
  u8 flags = 0;
  bool bpf_only_read = false;
  bool bpf_only_write = false;
};

// clang-format off
constexpr u32 kOwn = kSkbTypes;
constexpr Field kSkb[] = {
    // off bytes unit narrow readers          writers
    {0,    4,  4, true,  kOwn,            0},                         // len
    {4,    4,  4, true,  kOwn,            0},                         // pkt_type
    {8,    4,  4, true,  kOwn,            kTc | kCgroup | kLwt},      // mark
    {12,   4,  4, true,  kOwn,            kTc},                       // queue_mapping
    {16,  16,  4, true,  kOwn,            0},                         // protocol, vlan_*
    {32,   4,  4, true,  kOwn,            kTc | kCgroup | kLwt},      // priority
    {36,   8,  4, true,  kOwn,            0},                         // ingress_ifindex, ifindex
    {44,   4,  4, true,  kOwn,            kTc},                       // tc_index
    {68,   4,  4, true,  kOwn,            0},                         // hash
    {72,   4,  4, true,  kTc,             kTc},                       // tc_classid
    {76,   4,  4, false, kTc | kCgroup | kLwt, 0, RegKind::Packet, 0, true},
    {80,   4,  4, false, kTc | kCgroup | kLwt, 0, RegKind::PacketEnd, 0, true},
    {84,   4,  4, true,  kOwn,            0},                         // napi_id
    {88,   4,  4, true,  kCgroup,         0},                         // family
    {92,   8,  4, false, kCgroup,         0},                         // *_ip4
    {100, 32,  4, false, kCgroup,         0},                         // *_ip6
    {132,  8,  4, true,  kCgroup,         0},                         // *_port
    {140,  4,  4, false, kTc,             0, RegKind::PacketMeta},
    {152,  8,  8, false, kTc | kCgroup,   kTc | kCgroup, RegKind::Scalar, 0, false, true},  // tstamp
    {160,  4,  4, true,  kTc,             0},                         // wire_len
    {164,  4,  4, true,  kOwn,            0},                         // gso_segs
    {168,  8,  8, false, kOwn,            0, RegKind::SockCommon, kMaybeNull},
    {176,  4,  4, true,  kOwn,            0},                         // gso_size
    {180,  1,  1, false, kTc,             0},                         // tstamp_type
    {184,  8,  8, false, kTc | kCgroup,   0},                         // hwtstamp
};
constexpr Field kXdpMd[] = {
    {0,    4,  4, false, kXdp, 0, RegKind::Packet},
    {4,    4,  4, false, kXdp, 0, RegKind::PacketEnd},
    {8,    4,  4, false, kXdp, 0, RegKind::PacketMeta},
    {12,   8,  4, false, kXdp, 0},
};
// clang-format on

std::span<const Field> fields_of(u32 type) {
  if ((bit(type) & kSkbTypes) != 0) return kSkb;
  if (type == prog_type::kXdp) return kXdpMd;
  return {};
}

// The scratch words of an skb: all sizes, across words.
bool in_scratch(u32 type, u32 off, u32 size) {
  constexpr u32 kBegin = 48;
  constexpr u32 kEnd = 68;
  return (bit(type) & kSkbTypes) != 0 && off >= kBegin && off + size <= kEnd;
}

// Contexts of tracing programs are plain memory of the kernel's layout.
std::optional<ContextLoad> tracing_context(u32 type, u32 off, u32 size, Access access) {
  constexpr u32 kSamplePeriod = 168;
  const bool tracepoint = type == prog_type::kTracepoint;
  const u32 first = tracepoint ? 8 : 0;
  u32 end = 96;
  if (tracepoint) end = 2048;
  if (type == prog_type::kKprobe) end = 168;
  if (type == prog_type::kPerfEvent) end = 184;
  if (access == Access::Write || off < first || off + size > end) return std::nullopt;
  const bool whole =
      type == prog_type::kRawTracepoint || (type == prog_type::kPerfEvent && off < kSamplePeriod);
  if (whole && size != 8) return std::nullopt;
  return ContextLoad{};
}

bool may_call(const Row& row, const Rights& rights) {
  return row.right == runtime::helpers::Right::Anybody || rights.bpf;
}

}  // namespace

bool TableWorld::knows(u32 type) {
  return type < 32 && (bit(type) & kAll) != 0;
}

TableWorld::TableWorld(u32 type, const Rights& rights, std::vector<MapFacts> maps,
                       u32 expected_attach_type)
    : maps_(std::move(maps)), rights_(rights) {
  const u32 mask = knows(type) ? bit(type) : 0;
  traits_.prog_type = type;
  traits_.expected_attach_type = expected_attach_type;
  traits_.packet_read = (mask & (kTc | kXdp | kLwt | kCgroup)) != 0;
  traits_.packet_write = (mask & (kTc | kXdp | bit(prog_type::kLwtXmit))) != 0;
  traits_.packet_loads = (mask & (kFilter | kTc)) != 0;
  traits_.tracing = (mask & kTracing) != 0;
  traits_.context_is_memory = (mask & (kTracing & ~bit(prog_type::kPerfEvent))) != 0;
  traits_.updates_sockmaps = (mask & (kFilter | kTc | kXdp)) != 0;
  if (type == prog_type::kCgroupSkb) {
    constexpr u32 kEgress = 1;
    traits_.returns = Tnum::range(0, expected_attach_type == kEgress ? 3 : 1);
  }
}

std::optional<ContextLoad> TableWorld::context(u32 off, u32 size, Access access) const {
  const u32 type = traits_.prog_type;
  if (off % size != 0) return std::nullopt;
  if ((bit(type) & kTracing) != 0) return tracing_context(type, off, size, access);
  if (in_scratch(type, off, size)) return ContextLoad{};
  const std::span<const Field> fields = fields_of(type);
  for (u32 i = 0; i < fields.size(); ++i) {
    const Field& f = fields[i];
    if (off < f.off || off >= f.off + f.bytes) continue;
    const u32 who = access == Access::Read ? f.readers : f.writers;
    if ((who & bit(type)) == 0) return std::nullopt;
    const bool bpf_only = access == Access::Read ? f.bpf_only_read : f.bpf_only_write;
    if (bpf_only && !rights_.bpf) return std::nullopt;
    const bool narrow = f.narrow && access == Access::Read;
    if (narrow ? size > f.unit : size != f.unit) return std::nullopt;
    return ContextLoad{f.kind, f.flags, i};
  }
  return std::nullopt;
}

bool TableWorld::socket(RegKind kind, u32 off, u32 size) const {
  constexpr u32 kSockBytes = 80;
  constexpr u32 kTcpSockBytes = 112;
  if (off % size != 0) return false;
  if (kind == RegKind::TcpSock) {
    const bool wide = off == 80 || off == 88;
    return off < kTcpSockBytes && size == (wide ? 8U : 4U);
  }
  if (kind == RegKind::XdpSock) return off == 0 && size == 4;
  if (off >= kSockBytes) return false;
  if (kind == RegKind::SockCommon && off >= 8 && off < 24) return false;
  if (off >= 50 && off < 52) return false;
  const bool whole_only = off < 4 || (off >= 16 && off < 24);
  return whole_only ? size == 4 : size <= 4;
}

const Proto* TableWorld::helper(u32 number) const {
  const Row* const row = find(number, traits_.prog_type);
  if (row == nullptr || !judged(row->proto) || !may_call(*row, rights_)) return nullptr;
  return &row->proto;
}

std::string_view TableWorld::helper_name(u32 number) const {
  return runtime::helpers::name(number);
}

bool TableWorld::helper_is_missing(u32 number) const {
  const Row* const row = find(number, traits_.prog_type);
  return row != nullptr && !judged(row->proto) && may_call(*row, rights_);
}

std::optional<u64> TableWorld::constant(const MapFacts& map, u32 off, u32 size) const {
  if (off + size > map.value_size) return std::nullopt;
  // Every byte holds its offset.
  u64 value = 0;
  for (u32 i = 0; i < size; ++i) value |= u64{(off + i) & 0xff} << (8 * i);
  return value;
}

MapFacts map_facts(u32 type, u32 key_size, u32 value_size, u32 max_entries) {
  MapFacts facts;
  facts.type = type;
  facts.key_size = key_size;
  facts.value_size = value_size;
  facts.max_entries = max_entries;
  facts.direct_values = type == map_type::kArray && max_entries == 1;
  return facts;
}

}  // namespace skep::verify
