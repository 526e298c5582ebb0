// SPDX-License-Identifier: Apache-2.0
#include "runtime/maps/map.h"

#include <cerrno>
#include <cstring>
#include <vector>

#include "runtime/maps/test_maps.h"

namespace skep::runtime::maps {
namespace {

TEST(MapBatch, GoesThroughAnArrayInPieces) {
  const auto map = make(def_of(MapType::Array, 10));
  for (u32 i = 0; i < 10; i++) ASSERT_EQ(put(*map, i, 100 + i), 0);
  std::vector<u32> found_keys(4);
  std::vector<u64> values(4);
  u32 position = 0;
  Batch batch = {.start = nullptr,
                 .end = &position,
                 .keys = found_keys.data(),
                 .values = values.data(),
                 .count = 4,
                 .elem_flags = 0,
                 .flags = 0};
  EXPECT_EQ(map->lookup_batch(batch), 0);
  EXPECT_EQ(batch.count, 4u);
  EXPECT_EQ(found_keys, (std::vector<u32>{0, 1, 2, 3}));
  EXPECT_EQ(values, (std::vector<u64>{100, 101, 102, 103}));
  batch.start = &position;
  EXPECT_EQ(map->lookup_batch(batch), 0);
  EXPECT_EQ(found_keys, (std::vector<u32>{4, 5, 6, 7}));
  EXPECT_EQ(map->lookup_batch(batch), -ENOENT);
  EXPECT_EQ(batch.count, 2u);
  EXPECT_EQ(found_keys[1], 9u);
}

TEST(MapBatch, StopsAtTheFirstErrorAndCounts) {
  const auto map = make(def_of(MapType::Array, 3));
  std::vector<u32> wanted = {0, 1, 7, 2};
  std::vector<u64> values = {5, 6, 7, 8};
  Batch batch = {.start = nullptr,
                 .end = nullptr,
                 .keys = wanted.data(),
                 .values = values.data(),
                 .count = 4,
                 .elem_flags = 0,
                 .flags = 0};
  EXPECT_EQ(map->update_batch(batch), -E2BIG);
  EXPECT_EQ(batch.count, 2u);
  EXPECT_EQ(*find(*map, 1), 6u);
  EXPECT_EQ(*find(*map, 2), 0u);
  EXPECT_EQ(map->remove_batch(batch), -kEnotsupp);
  EXPECT_EQ(map->take_batch(batch), -kEnotsupp);
  batch.elem_flags = kLock;
  EXPECT_EQ(map->update_batch(batch), -EINVAL);
}

// A value with a bpf_spin_lock at offset 4: | a | lock | b | b |.
class MapLock : public testing::TestWithParam<MapType> {
 protected:
  struct Value {
    u32 a, lock;
    u64 b;
  };
  std::shared_ptr<Map> map_ = make({.type = GetParam(),
                                    .key_size = 4,
                                    .value_size = sizeof(Value),
                                    .max_entries = 4,
                                    .spin_lock_offset = 4});
  u32 key_ = 1;
};

TEST_P(MapLock, UpdatesLeaveTheLockAloneAndUsersReadZero) {
  const Value written = {.a = 1, .lock = 0xdead, .b = 2};
  ASSERT_EQ(map_->user_update(&key_, &written), 0);
  const Value* seen = static_cast<const Value*>(map_->lookup(&key_, 0));
  ASSERT_NE(seen, nullptr);
  EXPECT_EQ(seen->a, 1u);
  EXPECT_EQ(seen->lock, 0u);
  EXPECT_EQ(seen->b, 2u);
  Value read = {.a = 9, .lock = 9, .b = 9};
  ASSERT_EQ(map_->user_lookup(&key_, &read, kLock), 0);
  EXPECT_EQ(read.a, 1u);
  EXPECT_EQ(read.lock, 0u);
  EXPECT_EQ(read.b, 2u);
}

TEST_P(MapLock, WithTheFlagAnUpdateIsInPlace) {
  const Value first = {.a = 1, .lock = 0, .b = 1};
  const Value second = {.a = 2, .lock = 0, .b = 2};
  ASSERT_EQ(map_->user_update(&key_, &first), 0);
  const void* before = map_->lookup(&key_, 0);
  EXPECT_EQ(map_->user_update(&key_, &second, kLock | kExist), 0);
  EXPECT_EQ(map_->lookup(&key_, 0), before);
  EXPECT_EQ(static_cast<const Value*>(before)->b, 2u);
  EXPECT_EQ(static_cast<const Value*>(before)->lock, 0u);
  EXPECT_EQ(map_->user_update(&key_, &second, kLock | kNoExist), -EEXIST);
}

INSTANTIATE_TEST_SUITE_P(Types, MapLock, testing::Values(MapType::Array, MapType::Hash),
                         [](const auto& type) { return std::string(to_string(type.param)); });

TEST(Map, TheLockFlagNeedsALock) {
  const auto map = make(def_of(MapType::Hash, 4));
  u64 value = 0;
  const u32 key = 0;
  EXPECT_EQ(map->user_lookup(&key, &value, kLock), -EINVAL);
  EXPECT_EQ(map->user_lookup(&key, &value, 1), -EINVAL);
  EXPECT_EQ(map->user_take(&key, &value, kLock), -EINVAL);
  EXPECT_EQ(map->user_update(&key, &value, kLock), -EINVAL);
  EXPECT_EQ(put(*map, 0, 0, kLock), -EINVAL);
}

}  // namespace
}  // namespace skep::runtime::maps
