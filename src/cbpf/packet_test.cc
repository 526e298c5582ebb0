// SPDX-License-Identifier: Apache-2.0
#include "cbpf/packet.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace skep::cbpf {
namespace {

using isa::cbpf::Rules;

TEST(ClassicPacket, LoadsAreBigEndianAndEndWithThePacket) {
  const std::array<u8, 6> bytes = {1, 2, 3, 4, 5, 6};
  const Packet packet{bytes.data(), 6};
  u32 a = 0;
  EXPECT_TRUE((load_packet<u32, Rules::Linux>(packet, kNoMetadata, 2, a)));
  EXPECT_EQ(a, 0x03040506u);
  EXPECT_FALSE((load_packet<u32, Rules::Linux>(packet, kNoMetadata, 3, a)));
  EXPECT_TRUE((load_packet<u16, Rules::Libpcap>(packet, kNoMetadata, 4, a)));
  EXPECT_EQ(a, 0x0506u);
  EXPECT_FALSE((load_packet<u8, Rules::Linux>(packet, kNoMetadata, 6, a)));
  EXPECT_FALSE((load_packet<u8, Rules::Linux>(packet, kNoMetadata, 0xffffffff, a)));
}

TEST(ClassicPacket, OffsetsBelowZeroAreHeadersUnderLinuxOnly) {
  std::array<u8, 20> bytes{};
  bytes[14] = 0x45;
  bytes[1] = 0x99;
  Metadata metadata;
  metadata.network_offset = 14;
  const Packet packet{bytes.data(), 20};
  u32 a = 0;
  EXPECT_TRUE((load_packet<u8, Rules::Linux>(packet, metadata, isa::cbpf::kNetworkBase, a)));
  EXPECT_EQ(a, 0x45u);
  EXPECT_TRUE((load_packet<u8, Rules::Linux>(packet, metadata, isa::cbpf::kLinkBase + 1, a)));
  EXPECT_EQ(a, 0x99u);
  EXPECT_FALSE((load_packet<u8, Rules::Linux>(packet, metadata, isa::cbpf::kNetworkBase + 6, a)));
  EXPECT_FALSE((load_packet<u8, Rules::Linux>(packet, metadata, isa::cbpf::kLinkBase - 1, a)));
  EXPECT_FALSE((load_packet<u8, Rules::Libpcap>(packet, metadata, isa::cbpf::kNetworkBase, a)));
}

// An attribute with 0..n payload bytes, padded.
void append(std::vector<u8>& to, u16 type, u16 payload) {
  const std::size_t at = to.size();
  to.resize(at + ((4u + payload + 3) & ~3u));
  store_host<u16>(to.data() + at, static_cast<u16>(4 + payload));
  store_host<u16>(to.data() + at + 2, type);
}

TEST(ClassicPacket, NetlinkAttributesAreFoundByType) {
  std::vector<u8> bytes(2, 0xff);
  append(bytes, 1, 0);
  append(bytes, 2, 3);
  append(bytes, 3 | 0x8000, 8);
  EXPECT_EQ(netlink_attribute(bytes, 2, 1), 2u);
  EXPECT_EQ(netlink_attribute(bytes, 2, 2), 6u);
  EXPECT_EQ(netlink_attribute(bytes, 2, 3), 14u);
  EXPECT_EQ(netlink_attribute(bytes, 2, 4), 0u);
  EXPECT_EQ(netlink_attribute(bytes, static_cast<u32>(bytes.size()), 1), 0u);
  EXPECT_EQ(netlink_attribute(bytes, 0, 1), 0u);  // 0xffff: longer than the packet
}

TEST(ClassicPacket, NestedNetlinkAttributesEndWithTheirParent) {
  std::vector<u8> bytes;
  append(bytes, 1, 8);  // parent of 8 bytes: one attribute with 4 bytes of payload
  store_host<u16>(bytes.data() + 4, u16{8});
  store_host<u16>(bytes.data() + 6, u16{7});
  append(bytes, 9, 0);
  EXPECT_EQ(nested_netlink_attribute(bytes, 0, 7), 4u);
  EXPECT_EQ(nested_netlink_attribute(bytes, 0, 9), 0u);
  EXPECT_EQ(netlink_attribute(bytes, 0, 9), 12u);
}

TEST(ClassicPacket, PayloadOffsetFollowsTheHeaders) {
  std::vector<u8> bytes(100);
  bytes[14] = 0x46;
  bytes[23] = 17;
  EXPECT_EQ(payload_offset(bytes, 14, 0x0800), 14u + 24 + 8);
  bytes[23] = 6;
  bytes[38 + 12] = 0x80;
  EXPECT_EQ(payload_offset(bytes, 14, 0x0800), 14u + 24 + 32);
  bytes[21] = 1;  // a later fragment
  EXPECT_EQ(payload_offset(bytes, 14, 0x0800), 14u + 24);
  EXPECT_EQ(payload_offset(Bytes(bytes).first(20), 14, 0x0800), 0u);
  EXPECT_EQ(payload_offset(bytes, 14, 0x0806), 0u);
}

TEST(ClassicPacket, PayloadOffsetSkipsIpv6Extensions) {
  std::vector<u8> bytes(100);
  bytes[14 + 6] = 0;  // hop by hop, 16 bytes,
  bytes[54] = 58;     // then ICMPv6
  bytes[55] = 1;
  EXPECT_EQ(payload_offset(bytes, 14, 0x86dd), 14u + 40 + 16 + 8);
}

}  // namespace
}  // namespace skep::cbpf
