// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>

#include "runtime/maps/hash_table.h"
#include "runtime/maps/test_maps.h"

namespace skep::runtime::maps {
namespace {

TEST(Hash, InsertsFindsAndDeletes) {
  const auto map = make(def_of(MapType::Hash, 100));
  for (u32 i = 0; i < 100; i++) ASSERT_EQ(put(*map, i * 3, i), 0);
  EXPECT_EQ(put(*map, 1, 1), -E2BIG);
  for (u32 i = 0; i < 100; i++) {
    ASSERT_NE(find(*map, i * 3), nullptr);
    EXPECT_EQ(*find(*map, i * 3), i);
    EXPECT_EQ(find(*map, i * 3 + 1), nullptr);
  }
  EXPECT_EQ(remove(*map, 30), 0);
  EXPECT_EQ(remove(*map, 30), -ENOENT);
  EXPECT_EQ(find(*map, 30), nullptr);
  EXPECT_EQ(put(*map, 1, 1), 0);
}

TEST(Hash, UpdateFlags) {
  const auto map = make(def_of(MapType::Hash, 2));
  EXPECT_EQ(put(*map, 1, 1, kExist), -ENOENT);
  EXPECT_EQ(put(*map, 1, 1, kNoExist), 0);
  EXPECT_EQ(put(*map, 1, 2, kNoExist), -EEXIST);
  EXPECT_EQ(put(*map, 1, 3, kExist), 0);
  EXPECT_EQ(put(*map, 1, 3, 3), -EINVAL);
  EXPECT_EQ(put(*map, 2, 2), 0);
  EXPECT_EQ(put(*map, 1, 4), 0);  // a full map replaces
  EXPECT_EQ(put(*map, 3, 3), -E2BIG);
  EXPECT_EQ(put(*map, 3, 3, kExist), -ENOENT);
}

TEST(Hash, TheHolderOfAReplacedValueStillSeesIt) {
  const auto map = make(def_of(MapType::Hash, 2));
  ASSERT_EQ(put(*map, 1, 10), 0);
  const u64* held = find(*map, 1);
  ASSERT_EQ(put(*map, 1, 20), 0);
  EXPECT_EQ(*held, 10u);
  EXPECT_NE(find(*map, 1), held);
  EXPECT_EQ(*find(*map, 1), 20u);
}

TEST(Hash, KeysOfEverySize) {
  for (u32 size : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 12u, 13u, 16u, 17u, 24u, 100u}) {
    MapDef def = def_of(MapType::Hash, 50);
    def.key_size = size;
    const auto map = make(def);
    std::array<u8, 101> key = {};
    u8* const bytes = key.data() + 1;
    for (u8 i = 0; i < 50; i++) {
      bytes[size - 1] = i;
      const u64 value = i;
      ASSERT_EQ(map->update(bytes, &value, kNoExist, 0), 0) << size;
    }
    for (u8 i = 0; i < 60; i++) {
      bytes[size - 1] = i;
      const u64* value = static_cast<const u64*>(map->lookup(bytes, 0));
      ASSERT_EQ(value != nullptr, i < 50) << size;
      if (value != nullptr) {
        EXPECT_EQ(*value, i);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(value) % 8, 0u);
      }
    }
  }
}

TEST(Hash, IterationVisitsEachKeyOnce) {
  const auto map = make(def_of(MapType::Hash, 64));
  std::set<u32> expected;
  for (u32 i = 0; i < 64; i++) {
    ASSERT_EQ(put(*map, i * i, i), 0);
    expected.insert(i * i);
  }
  const std::vector<u32> visited = keys(*map);
  EXPECT_EQ(visited.size(), 64u);
  EXPECT_EQ(std::set<u32>(visited.begin(), visited.end()), expected);
  u32 key = 12345;  // not there: the first one
  EXPECT_EQ(map->next_key(&key, &key), 0);
  EXPECT_EQ(key, visited[0]);
}

TEST(Hash, ReplacingWhileIteratingChangesNothing) {
  const auto map = make(def_of(MapType::Hash, 16));
  for (u32 i = 0; i < 16; i++) ASSERT_EQ(put(*map, i, i), 0);
  u32 key = 0;
  u32 visited = 0;
  for (int error = map->next_key(nullptr, &key); error == 0; error = map->next_key(&key, &key)) {
    ASSERT_EQ(put(*map, key, 1), 0);
    ASSERT_LT(visited++, 16u);
  }
  EXPECT_EQ(visited, 16u);
}

TEST(Hash, CursorAllowsDeleting) {
  const auto map = make(def_of(MapType::Hash, 32));
  for (u32 i = 0; i < 32; i++) ASSERT_EQ(put(*map, i, i), 0);
  Cursor cursor;
  u32 visited = 0;
  while (map->next_element(cursor, 0)) {
    visited++;
    EXPECT_EQ(map->remove(cursor.key), 0);
  }
  EXPECT_EQ(visited, 32u);
  EXPECT_TRUE(keys(*map).empty());
}

TEST(Hash, TakeCopiesAndDeletes) {
  const auto map = make(def_of(MapType::Hash, 4));
  ASSERT_EQ(put(*map, 1, 10), 0);
  const u32 key = 1;
  u64 value = 0;
  EXPECT_EQ(map->user_take(&key, &value), 0);
  EXPECT_EQ(value, 10u);
  EXPECT_EQ(map->user_take(&key, &value), -ENOENT);
}

TEST(Hash, BatchesAreWholeBuckets) {
  const auto map = make(def_of(MapType::Hash, 64));
  for (u32 i = 0; i < 64; i++) ASSERT_EQ(put(*map, i, i), 0);
  std::array<u32, 8> found = {};
  std::array<u64, 8> values = {};
  u32 position = 0;
  std::set<u32> all;
  Batch batch = {.start = nullptr,
                 .end = &position,
                 .keys = found.data(),
                 .values = values.data(),
                 .count = 8,
                 .elem_flags = 0,
                 .flags = 0};
  int error = map->take_batch(batch);
  for (int rounds = 0; rounds < 100; rounds++) {
    for (u32 i = 0; i < batch.count; i++) {
      EXPECT_EQ(values[i], found[i]);
      EXPECT_TRUE(all.insert(found[i]).second);
    }
    if (error == -ENOENT) break;
    ASSERT_EQ(error, 0);
    batch.start = &position;
    batch.count = 8;
    error = map->take_batch(batch);
  }
  EXPECT_EQ(all.size(), 64u);
  EXPECT_TRUE(keys(*map).empty());
  position = 10'000;
  batch.start = &position;
  batch.count = 1;
  EXPECT_EQ(map->lookup_batch(batch), -ENOENT);
  batch.flags = 1;
  EXPECT_EQ(map->lookup_batch(batch), -EINVAL);
}

TEST(Hash, ABucketThatDoesNotFitIsEnospc) {
  const auto map = make(def_of(MapType::Hash, 2));
  // Of 50 keys, two lie in one of the two buckets.
  for (u32 i = 0; i < 50; i++) {
    if (keys(*map).size() == 2) break;
    ASSERT_EQ(put(*map, i, i), 0);
    u32 found = 0;
    u64 value = 0;
    u32 position = 0;
    Batch batch = {.start = nullptr,
                   .end = &position,
                   .keys = &found,
                   .values = &value,
                   .count = 1,
                   .elem_flags = 0,
                   .flags = 0};
    const int error = map->lookup_batch(batch);
    if (error == -ENOSPC) {
      EXPECT_EQ(batch.count, 0u);
      return;
    }
    if (keys(*map).size() == 2) {
      ASSERT_EQ(remove(*map, i), 0);
    }
  }
}

TEST(Hash, AChildAfterForkWorksOnTheSameSharedMap) {
  const auto map = make(def_of(MapType::Hash, 8), {.backing = Backing::Shared});
  ASSERT_EQ(put(*map, 1, 1), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool ok = find(*map, 1) != nullptr && put(*map, 2, 22) == 0 && remove(*map, 1) == 0;
    _exit(ok ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(find(*map, 1), nullptr);
  ASSERT_NE(find(*map, 2), nullptr);
  EXPECT_EQ(*find(*map, 2), 22u);
}

// A reader that stands on an element which moves to another bucket must not take the other bucket's
// end for its own: the markers name their buckets.
TEST(HashTable, ChainsEndInTheirBucketsMarker) {
  HashTable::Shape shape;
  shape.key_size = 4;
  shape.buckets = 4;
  shape.capacity = 8;
  shape.value_bytes = 8;
  const Result<Storage> storage = Storage::make(shape.total_bytes(), Backing::Private, "t");
  ASSERT_TRUE(storage.has_value());
  HashTable table(shape, *storage, 0);
  for (u32 key = 0; key < 8; key++) {
    const u32 index = table.take_free();
    table.set_key(index, &key, table.hash(&key));
    table.insert(index);
  }
  u32 elements = 0;
  for (u32 bucket = 0; bucket < 4; bucket++) {
    u32 link = table.first(bucket);
    for (; !HashTable::is_end(link); link = table.next(link)) elements++;
    EXPECT_EQ(link, kMarker | bucket);
  }
  EXPECT_EQ(elements, 8u);
  // A free element keeps its link: who stands on it still gets to the end.
  const u32 key = 5;
  const HashTable::Place place = table.locate(&key, table.hash(&key));
  ASSERT_TRUE(place.found());
  const u32 next = table.next(place.index);
  table.unlink(place);
  table.put_free(place.index);
  EXPECT_EQ(table.next(place.index), next);
  EXPECT_EQ(table.find<4>(&key), kNone);
}

TEST(HashTable, AReplacedElementIsWhereItWasAndIsCounted) {
  HashTable::Shape shape;
  shape.key_size = 4;
  shape.buckets = 1;
  shape.capacity = 8;
  shape.value_bytes = 8;
  const Result<Storage> storage = Storage::make(shape.total_bytes(), Backing::Private, "t");
  ASSERT_TRUE(storage.has_value());
  HashTable table(shape, *storage, 0);
  const auto add = [&table](u32 key) {
    const u32 hash = table.hash(&key);
    const HashTable::Place place = table.locate(&key, hash);
    const u32 index = table.take_free();
    table.set_key(index, &key, hash);
    if (place.found()) {
      table.replace(place, index);
      table.put_free(place.index);
    } else {
      table.insert(index);
    }
  };
  const auto order = [&table] {
    std::vector<u32> all;
    for (u32 at = table.first(0); !HashTable::is_end(at); at = table.next(at)) {
      u32 key = 0;
      std::memcpy(&key, table.key(at), sizeof key);
      all.push_back(key);
    }
    return all;
  };
  for (const u32 key : {1u, 2u, 3u}) add(key);
  EXPECT_EQ(table.header().removals, 0u);
  for (const u32 key : {1u, 2u, 3u, 3u}) add(key);
  EXPECT_EQ(order(), (std::vector<u32>{3, 2, 1}));
  EXPECT_EQ(table.header().removals, 4u);
  EXPECT_EQ(table.header().count, 3u);
}

}  // namespace
}  // namespace skep::runtime::maps
