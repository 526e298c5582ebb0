// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "runtime/maps/test_maps.h"

namespace skep::runtime::maps {
namespace {

TEST(Array, ElementsExistAndAreZero) {
  const auto map = make(def_of(MapType::Array, 3));
  ASSERT_NE(find(*map, 0), nullptr);
  EXPECT_EQ(*find(*map, 2), 0u);
  EXPECT_EQ(find(*map, 3), nullptr);
  EXPECT_EQ(find(*map, ~0u), nullptr);
}

TEST(Array, UpdateChecksFlagsThenIndexThenExistence) {
  const auto map = make(def_of(MapType::Array, 3));
  EXPECT_EQ(put(*map, 9, 1, 3), -EINVAL);
  EXPECT_EQ(put(*map, 3, 1, kNoExist), -E2BIG);
  EXPECT_EQ(put(*map, 2, 1, kNoExist), -EEXIST);
  EXPECT_EQ(put(*map, 2, 1, kNoExist | kLock), -EEXIST);
  EXPECT_EQ(put(*map, 2, 1, kLock), -EINVAL);
  EXPECT_EQ(put(*map, 2, 7, kExist), 0);
  EXPECT_EQ(*find(*map, 2), 7u);
  EXPECT_EQ(remove(*map, 2), -EINVAL);
}

TEST(Array, UsersGetCopies) {
  const auto map = make(def_of(MapType::Array, 2));
  u32 key = 1;
  u64 value = 5;
  EXPECT_EQ(map->user_update(&key, &value), 0);
  value = 0;
  EXPECT_EQ(map->user_lookup(&key, &value), 0);
  EXPECT_EQ(value, 5u);
  key = 2;
  EXPECT_EQ(map->user_lookup(&key, &value), -ENOENT);
  EXPECT_EQ(map->user_take(&key, &value), -kEnotsupp);
}

TEST(Array, NextKeyCountsAndStartsAgainFromNowhere) {
  const auto map = make(def_of(MapType::Array, 3));
  EXPECT_EQ(keys(*map), (std::vector<u32>{0, 1, 2}));
  u32 key = 77;
  EXPECT_EQ(map->next_key(&key, &key), 0);
  EXPECT_EQ(key, 0u);
}

TEST(Array, EightByteAlignedElementsOfAnySize) {
  MapDef def = def_of(MapType::Array, 5);
  def.value_size = 13;
  const auto map = make(def);
  const DirectArray layout = map->direct().value();
  EXPECT_EQ(layout.stride, 16u);
  EXPECT_EQ(layout.max_entries, 5u);
  for (u32 i = 0; i < 5; i++) {
    const u32 key = i;
    u8* const value = static_cast<u8*>(map->lookup(&key, 0));
    EXPECT_EQ(value, layout.values + i * 16);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(value) % 8, 0u);
  }
}

TEST(Array, CursorVisitsAllInOrder) {
  const auto map = make(def_of(MapType::Array, 4));
  ASSERT_EQ(put(*map, 3, 33), 0);
  Cursor cursor;
  u32 expected = 0;
  while (map->next_element(cursor, 0)) {
    u32 key = 0;
    std::memcpy(&key, cursor.key, sizeof key);
    EXPECT_EQ(key, expected++);
    EXPECT_EQ(cursor.value, find(*map, key));
  }
  EXPECT_EQ(expected, 4u);
}

TEST(Array, MmapableValuesAreAtTheStartOfItsMemfd) {
  const auto map = make(def_of(MapType::Array, 2, kMmapableFlag));
  ASSERT_EQ(put(*map, 1, 0x1234), 0);
  ASSERT_GE(map->storage().fd(), 0);
  void* const mapped = mmap(nullptr, map->storage().size(), PROT_READ | PROT_WRITE, MAP_SHARED,
                            map->storage().fd(), 0);
  ASSERT_NE(mapped, MAP_FAILED);
  u64* const values = static_cast<u64*>(mapped);
  EXPECT_EQ(values[1], 0x1234u);
  values[0] = 99;
  EXPECT_EQ(*find(*map, 0), 99u);
  munmap(mapped, map->storage().size());
}

TEST(Array, KeysAndValuesOfTheCallerMayBeUnaligned) {
  const auto map = make(def_of(MapType::Array, 2));
  u8 bytes[16] = {0, 1, 0, 0, 0, 0xaa, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(map->update(bytes + 1, bytes + 5, kAny, 0), 0);
  EXPECT_EQ(*find(*map, 1), 0xaau);
}

}  // namespace
}  // namespace skep::runtime::maps
