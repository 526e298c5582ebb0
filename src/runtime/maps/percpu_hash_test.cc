// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <vector>

#include "runtime/maps/test_maps.h"

namespace skep::runtime::maps {
namespace {

class PercpuHashTest : public testing::Test {
 protected:
  std::shared_ptr<Map> map_ = make(def_of(MapType::PercpuHash, 3), {.cpus = 3});
};

TEST_F(PercpuHashTest, ANewElementIsZeroOnTheOtherCpus) {
  const std::vector<u64> full = {7, 8, 9};
  const u32 key = 1;
  ASSERT_EQ(map_->user_update(&key, full.data()), 0);
  ASSERT_EQ(remove(*map_, 1), 0);
  ASSERT_EQ(put(*map_, 1, 5, kAny, 1), 0);  // uses the element again
  EXPECT_EQ(*find(*map_, 1, 0), 0u);
  EXPECT_EQ(*find(*map_, 1, 1), 5u);
  EXPECT_EQ(*find(*map_, 1, 2), 0u);
  EXPECT_EQ(find(*map_, 1, 3), nullptr);
  EXPECT_EQ(put(*map_, 1, 5, kAny, 3), -EINVAL);
}

TEST_F(PercpuHashTest, UpdatesAreInPlace) {
  ASSERT_EQ(put(*map_, 1, 5, kAny, 1), 0);
  const u64* held = find(*map_, 1, 1);
  ASSERT_EQ(put(*map_, 1, 6, kAny, 1), 0);
  EXPECT_EQ(find(*map_, 1, 1), held);
  EXPECT_EQ(*held, 6u);
}

TEST_F(PercpuHashTest, UsersSeeAllCopies) {
  const std::vector<u64> written = {1, 2, 3};
  std::vector<u64> read(3);
  const u32 key = 4;
  EXPECT_EQ(map_->user_value_size(), 24u);
  EXPECT_EQ(map_->user_update(&key, written.data(), kExist), -ENOENT);
  EXPECT_EQ(map_->user_update(&key, written.data(), kNoExist), 0);
  EXPECT_EQ(map_->user_update(&key, written.data(), kNoExist), -EEXIST);
  EXPECT_EQ(map_->user_lookup(&key, read.data()), 0);
  EXPECT_EQ(read, written);
  EXPECT_EQ(map_->user_take(&key, read.data()), 0);
  EXPECT_EQ(map_->user_lookup(&key, read.data()), -ENOENT);
}

TEST_F(PercpuHashTest, FullIsE2big) {
  for (u32 i = 0; i < 3; i++) ASSERT_EQ(put(*map_, i, i), 0);
  EXPECT_EQ(put(*map_, 9, 9), -E2BIG);
  EXPECT_EQ(put(*map_, 2, 9), 0);
  EXPECT_EQ(put(*map_, 2, 9, kLock), -EINVAL);
}

TEST_F(PercpuHashTest, CursorShowsTheCpusCopy) {
  ASSERT_EQ(put(*map_, 8, 80, kAny, 2), 0);
  Cursor cursor;
  ASSERT_TRUE(map_->next_element(cursor, 2));
  EXPECT_EQ(*static_cast<u64*>(cursor.value), 80u);
  EXPECT_FALSE(map_->next_element(cursor, 2));
}

}  // namespace
}  // namespace skep::runtime::maps
