// SPDX-License-Identifier: Apache-2.0
#include "runtime/packet.h"

#include <gtest/gtest.h>

#include <array>

namespace skep::runtime {
namespace {

const std::array<u8, 6> kPacket = {1, 2, 3, 4, 5, 6};
const RunInput kInput{.memory = {}, .packet = kPacket, .network_offset = 2};

TEST(PacketLoads, ReadBigEndian) {
  EXPECT_EQ(load_packet<u32>(kInput, 0), 0x01020304U);
  EXPECT_EQ(load_packet<u16>(kInput, 1), 0x0203U);
  EXPECT_EQ(load_packet<u8>(kInput, 5), 6U);
}

TEST(PacketLoads, AreEmptyOutsideOfThePacket) {
  EXPECT_EQ(load_packet<u32>(kInput, 2), 0x03040506U);
  EXPECT_EQ(load_packet<u32>(kInput, 3), std::nullopt);
  EXPECT_EQ(load_packet<u8>(kInput, 6), std::nullopt);
  EXPECT_EQ(load_packet<u8>(kInput, 0x7fffffff), std::nullopt);
  EXPECT_EQ(load_packet<u8>(RunInput{}, 0), std::nullopt);
}

TEST(PacketLoads, CountNegativeOffsetsFromHeaders) {
  EXPECT_EQ(load_packet<u8>(kInput, kNetOffset), 3U);
  EXPECT_EQ(load_packet<u16>(kInput, kNetOffset + 2), 0x0506U);
  EXPECT_EQ(load_packet<u8>(kInput, kNetOffset + 4), std::nullopt);
  EXPECT_EQ(load_packet<u8>(kInput, kLinkOffset + 1), 2U);
  EXPECT_EQ(load_packet<u8>(kInput, kLinkOffset - 1), std::nullopt);
  EXPECT_EQ(load_packet<u8>(kInput, -0x7fffffff - 1), std::nullopt);
}

}  // namespace
}  // namespace skep::runtime
