// SPDX-License-Identifier: Apache-2.0
// Netlink attributes (for SKF_AD_NLATTR*) and the payload offset (for SKF_AD_PAY_OFFSET).
// Source: lib/nlattr.c (nla_find), net/core/flow_dissector.c (skb_get_poff).
// Tested by packet_test.cc
#include "cbpf/packet.h"

namespace skep::cbpf {
namespace {

// struct nlattr { u16 nla_len, nla_type; }, host order, then the payload, padded to 4 bytes.
constexpr u32 kAttributeHeader = 4;
constexpr u32 kAttributeTypeMask = 0x3fff;  // without NLA_F_NESTED, NLA_F_NET_BYTEORDER

u32 find_attribute(Bytes packet, u64 at, u64 end, u32 type) {
  while (at + kAttributeHeader <= end) {
    const u32 length = load_host<u16>(packet.data() + at);
    if (length < kAttributeHeader || at + length > end) return 0;
    if ((load_host<u16>(packet.data() + at + 2) & kAttributeTypeMask) == type)
      return static_cast<u32>(at);
    at += (length + 3) & ~u32{3};
  }
  return 0;
}

// Where the dissection of a packet has come to.
struct Transport {
  u32 offset = 0;
  u8 protocol = 0;
  bool later_fragment = false;
};

constexpr u8 kHopByHop = 0, kIcmp = 1, kIgmp = 2, kTcp = 6, kUdp = 17, kDccp = 33, kRouting = 43,
             kFragment = 44, kIcmp6 = 58, kDestinationOptions = 60, kSctp = 132, kUdpLite = 136;

std::optional<Transport> find_transport_ipv4(Bytes packet, u32 at) {
  constexpr u32 kMinHeader = 20;
  if (u64{at} + kMinHeader > packet.size()) return std::nullopt;
  const u8* header = packet.data() + at;
  const u32 length = isa::cbpf::header_length(header[0]);
  if (length < kMinHeader) return std::nullopt;
  return Transport{at + length, header[9], (load_be<u16>(header + 6) & 0x1fff) != 0};
}

std::optional<Transport> find_transport_ipv6(Bytes packet, u32 at) {
  constexpr u32 kHeader = 40;
  if (u64{at} + kHeader > packet.size()) return std::nullopt;
  Transport found{at + kHeader, packet[at + 6], false};
  for (;;) {
    const bool options = found.protocol == kHopByHop || found.protocol == kRouting ||
                         found.protocol == kDestinationOptions;
    if (!options && found.protocol != kFragment) return found;
    if (u64{found.offset} + 8 > packet.size()) return std::nullopt;
    const u8* header = packet.data() + found.offset;
    if (found.protocol == kFragment)
      found.later_fragment = (load_be<u16>(header + 2) & 0xfff8) != 0;
    found.protocol = header[0];
    found.offset += options ? 8 * (header[1] + 1u) : 8;
    if (found.later_fragment) return found;
  }
}

}  // namespace

u32 payload_offset(Bytes packet, u32 network, u32 protocol) noexcept {
  constexpr u32 kEtherIpv4 = 0x0800, kEtherIpv6 = 0x86dd;
  std::optional<Transport> found;
  if (protocol == kEtherIpv4) found = find_transport_ipv4(packet, network);
  if (protocol == kEtherIpv6) found = find_transport_ipv6(packet, network);
  if (!found) return 0;
  if (found->later_fragment) return found->offset;
  switch (found->protocol) {
    case kTcp: {
      if (u64{found->offset} + 13 > packet.size()) return found->offset;
      const u32 header = (packet[found->offset + 12] & 0xf0u) >> 2;
      return found->offset + (header < 20 ? 20 : header);
    }
    case kUdp:
    case kUdpLite:
    case kIcmp:
    case kIcmp6:
    case kIgmp: return found->offset + 8;
    case kDccp:
    case kSctp: return found->offset + 12;
    default: return found->offset;
  }
}

u32 netlink_attribute(Bytes packet, u32 start, u32 type) noexcept {
  if (u64{start} + kAttributeHeader > packet.size()) return 0;
  return find_attribute(packet, start, packet.size(), type);
}

u32 nested_netlink_attribute(Bytes packet, u32 start, u32 type) noexcept {
  if (u64{start} + kAttributeHeader > packet.size()) return 0;
  const u32 length = load_host<u16>(packet.data() + start);
  if (length < kAttributeHeader || u64{start} + length > packet.size()) return 0;
  return find_attribute(packet, u64{start} + kAttributeHeader, u64{start} + length, type);
}

}  // namespace skep::cbpf
