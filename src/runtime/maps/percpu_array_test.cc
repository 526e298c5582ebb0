// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <vector>

#include "runtime/maps/test_maps.h"

namespace skep::runtime::maps {
namespace {

class PercpuArrayTest : public testing::Test {
 protected:
  std::shared_ptr<Map> map_ = make(def_of(MapType::PercpuArray, 3), {.cpus = 4});
};

TEST_F(PercpuArrayTest, EachCpuHasItsCopy) {
  EXPECT_EQ(put(*map_, 1, 11, kAny, 1), 0);
  EXPECT_EQ(put(*map_, 1, 33, kAny, 3), 0);
  EXPECT_EQ(*find(*map_, 1, 0), 0u);
  EXPECT_EQ(*find(*map_, 1, 1), 11u);
  EXPECT_EQ(*find(*map_, 1, 3), 33u);
  EXPECT_EQ(find(*map_, 1, 4), nullptr);
  EXPECT_EQ(put(*map_, 1, 5, kAny, 4), -EINVAL);
  EXPECT_EQ(find(*map_, 3, 0), nullptr);
}

TEST_F(PercpuArrayTest, UsersReadAndWriteAllCopies) {
  EXPECT_EQ(map_->user_value_size(), 32u);
  const std::vector<u64> written = {1, 2, 3, 4};
  std::vector<u64> read(4);
  const u32 key = 2;
  EXPECT_EQ(map_->user_update(&key, written.data()), 0);
  EXPECT_EQ(*find(*map_, 2, 2), 3u);
  EXPECT_EQ(map_->user_lookup(&key, read.data()), 0);
  EXPECT_EQ(read, written);
  EXPECT_EQ(map_->user_update(&key, written.data(), kNoExist), -EEXIST);
  EXPECT_EQ(map_->user_update(&key, written.data(), 3), -EINVAL);
}

TEST_F(PercpuArrayTest, CopiesOfTwoCpusShareNoCacheLine) {
  const auto apart =
      reinterpret_cast<u8*>(find(*map_, 0, 1)) - reinterpret_cast<u8*>(find(*map_, 2, 0));
  EXPECT_GE(apart, 8);
  EXPECT_EQ(map_->direct()->cpu_stride % 64, 0u);
}

TEST_F(PercpuArrayTest, TheUsersPaddingIsKept) {
  MapDef def = def_of(MapType::PercpuArray, 1);
  def.value_size = 5;
  const auto map = make(def, {.cpus = 2});
  const std::vector<u64> written = {0x1122334455667788, 0x99aabbccddeeff00};
  std::vector<u64> read(2);
  const u32 key = 0;
  ASSERT_EQ(map->user_update(&key, written.data()), 0);
  ASSERT_EQ(map->user_lookup(&key, read.data()), 0);
  EXPECT_EQ(read, written);
}

TEST_F(PercpuArrayTest, CursorShowsTheCpusCopy) {
  ASSERT_EQ(put(*map_, 0, 5, kAny, 2), 0);
  Cursor cursor;
  ASSERT_TRUE(map_->next_element(cursor, 2));
  EXPECT_EQ(*static_cast<u64*>(cursor.value), 5u);
}

}  // namespace
}  // namespace skep::runtime::maps
