// SPDX-License-Identifier: Apache-2.0
// The rules of lru_list.h through the map. tests/kernel/maps_oracle_test.cc compares the victims
// with the kernel's.
#include <cerrno>
#include <set>

#include "runtime/maps/test_maps.h"

namespace skep::runtime::maps {
namespace {

std::set<u32> key_set(const Map& map) {
  const std::vector<u32> all = keys(map);
  EXPECT_EQ(std::set<u32>(all.begin(), all.end()).size(), all.size());
  return {all.begin(), all.end()};
}

TEST(LruHash, NeverFullAndNeverOverfull) {
  const auto map = make(def_of(MapType::LruHash, 10));
  for (u32 i = 0; i < 1000; i++) {
    ASSERT_EQ(put(*map, i, i), 0);
    ASSERT_NE(find(*map, i), nullptr);
    EXPECT_EQ(*find(*map, i), i);
  }
  EXPECT_LE(keys(*map).size(), 10u);
  EXPECT_GE(keys(*map).size(), 1u);
}

TEST(LruHash, UnusedElementsLeaveFirst) {
  const auto map = make(def_of(MapType::LruHash, 8), {.lru_free_target = 1});
  for (u32 i = 0; i < 8; i++) ASSERT_EQ(put(*map, i, i), 0);
  // Programs' look-ups count as use.
  for (u32 i = 0; i < 8; i += 2) ASSERT_NE(find(*map, i), nullptr);
  for (u32 i = 100; i < 104; i++) ASSERT_EQ(put(*map, i, i), 0);
  EXPECT_EQ(key_set(*map), (std::set<u32>{0, 2, 4, 6, 100, 101, 102, 103}));
}

TEST(LruHash, UsersLookUpsAreNoUse) {
  const auto map = make(def_of(MapType::LruHash, 4), {.lru_free_target = 1});
  for (u32 i = 0; i < 4; i++) ASSERT_EQ(put(*map, i, i), 0);
  const u32 oldest = 0;
  u64 value = 0;
  ASSERT_EQ(map->user_lookup(&oldest, &value), 0);
  ASSERT_EQ(put(*map, 9, 9), 0);
  EXPECT_EQ(key_set(*map), (std::set<u32>{1, 2, 3, 9}));
}

TEST(LruHash, AFailingUpdateStillMakesRoom) {
  const auto map = make(def_of(MapType::LruHash, 4), {.lru_free_target = 1});
  for (u32 i = 0; i < 4; i++) ASSERT_EQ(put(*map, i, i), 0);
  EXPECT_EQ(put(*map, 3, 9, kNoExist), -EEXIST);
  EXPECT_EQ(key_set(*map), (std::set<u32>{1, 2, 3}));
  EXPECT_EQ(put(*map, 3, 9, kLock), -EINVAL);
  EXPECT_EQ(put(*map, 77, 9, kExist), -ENOENT);
}

TEST(LruHash, OneElementIsEnough) {
  const auto map = make(def_of(MapType::LruHash, 1));
  for (u32 i = 0; i < 5; i++) {
    ASSERT_EQ(put(*map, i, i), 0);
    EXPECT_EQ(keys(*map), std::vector<u32>{i});
  }
}

TEST(LruHash, ACpuTakesFromTheOthers) {
  const auto map = make(def_of(MapType::LruHash, 8), {.cpus = 4});
  for (u32 i = 0; i < 8; i++) ASSERT_EQ(put(*map, i, i, kAny, 0), 0);  // all are CPU 0's
  for (u32 i = 100; i < 120; i++) {
    ASSERT_EQ(put(*map, i, i, kAny, i % 4), 0);
    ASSERT_NE(find(*map, i), nullptr);
  }
  EXPECT_LE(keys(*map).size(), 8u);
}

TEST(LruHash, ListsOfTheirOwnShareTheElementsEqually) {
  const auto map = make(def_of(MapType::LruHash, 10, kNoCommonLruFlag), {.cpus = 4});
  EXPECT_EQ(map->def().max_entries, 12u);
  for (u32 i = 0; i < 50; i++) ASSERT_EQ(put(*map, i, i, kAny, 1), 0);
  EXPECT_LE(keys(*map).size(), 3u);  // one CPU's share
  for (u32 i = 0; i < 50; i++) ASSERT_EQ(put(*map, 1000 + i, i, kAny, i % 4), 0);
  EXPECT_LE(keys(*map).size(), 12u);
}

TEST(LruHash, DeletedElementsAreUsedAgain) {
  const auto map = make(def_of(MapType::LruHash, 4));
  for (u32 round = 0; round < 20; round++) {
    for (u32 i = 0; i < 4; i++) ASSERT_EQ(put(*map, i, round), 0);
    for (u32 i = 0; i < 4; i++) remove(*map, i);
    EXPECT_TRUE(keys(*map).empty());
  }
  const u32 key = 1;
  u64 value = 0;
  ASSERT_EQ(put(*map, 1, 11), 0);
  EXPECT_EQ(map->user_take(&key, &value), 0);
  EXPECT_EQ(value, 11u);
}

}  // namespace
}  // namespace skep::runtime::maps
