// SPDX-License-Identifier: Apache-2.0
#include "support/bytes.h"

#include <gtest/gtest.h>

#include <array>

namespace skep {
namespace {

constexpr std::array<u8, 9> kBytes = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09};

TEST(Bytes, LoadsAtAnyAlignmentInEitherOrder) {
  EXPECT_EQ(load_be<u32>(kBytes.data() + 1), 0x02030405u);
  EXPECT_EQ(load_le<u32>(kBytes.data() + 1), 0x05040302u);
  EXPECT_EQ(load_be<u64>(kBytes.data() + 1), 0x0203040506070809u);
  EXPECT_EQ(load_le<u16>(kBytes.data()), 0x0201);
}

TEST(Bytes, StoreIsTheInverseOfLoad) {
  std::array<u8, 9> out{};
  store_be<u32>(out.data() + 3, 0xdeadbeef);
  EXPECT_EQ(out[3], 0xde);
  EXPECT_EQ(load_be<u32>(out.data() + 3), 0xdeadbeefu);
  EXPECT_EQ(load_le<u32>(out.data() + 3), 0xefbeaddeu);
}

TEST(Reader, ReadsUntilTheBytesRunOut) {
  Reader reader(kBytes, ByteOrder::Big);
  EXPECT_EQ(reader.read<u16>(), 0x0102);
  EXPECT_EQ(reader.read<u32>(), 0x03040506u);
  EXPECT_EQ(reader.read<u32>(), std::nullopt);
  EXPECT_EQ(reader.position(), 6u);
  EXPECT_FALSE(reader.skip(4));
  EXPECT_EQ(reader.take(3)->size(), 3u);
  EXPECT_EQ(reader.remaining(), 0u);
}

}  // namespace
}  // namespace skep
