// SPDX-License-Identifier: Apache-2.0
// Four threads at once on every map type: as programs (each with a CPU slot of its own) and as
// users. What a look-up finds must be a value that somebody wrote for that key; thread sanitizer
// (preset tsan) watches the rest.
#include <atomic>
#include <cerrno>
#include <random>
#include <string>
#include <thread>

#include "runtime/maps/shared_memory.h"
#include "runtime/maps/test_maps.h"

namespace skep::runtime::maps {
namespace {

constexpr u32 kThreads = 4;
constexpr u32 kRounds = kThreadSanitizer ? 3'000 : 20'000;
constexpr u32 kEntries = 32;

struct Case {
  MapType type;
  u32 flags;
  const char* name;
};

/// 32 bits wide on every host, unlike std::mt19937.
using Random = std::linear_congruential_engine<u32, 48271, 0, 2147483647>;

/// Values are three words: key, anything, key xor anything; users see one for each CPU.
constexpr u32 kWords = 3;

void fill(u64* value, u64 key, u64 anything) {
  value[0] = key;
  value[1] = anything;
  value[2] = key ^ anything;
}

class MapThreads : public testing::TestWithParam<Case> {
 protected:
  std::shared_ptr<Map> map_ = make({.type = GetParam().type,
                                    .key_size = 4,
                                    .value_size = kWords * 8,
                                    .max_entries = kEntries,
                                    .flags = GetParam().flags},
                                   {.cpus = kThreads});

  bool is_per_cpu() const {
    return GetParam().type == MapType::PercpuArray || GetParam().type == MapType::PercpuHash;
  }

  void program(u32 cpu, Random& random);
  void user(u32 cpu, Random& random);
  void work(u32 cpu);
};

void MapThreads::program(u32 cpu, Random& random) {
  const u32 key = random() % (kEntries + 8);
  u64 value[kWords];
  fill(value, key, random());
  switch (random() % 4) {
    case 0: map_->update(&key, value, kAny, cpu); break;
    case 1: map_->remove(&key); break;
    default:
      if (u8* const found = static_cast<u8*>(map_->lookup(&key, cpu))) {
        // The element may become another key's at any time, so only single words are looked at.
        const u64 owner = load_word(found);
        ASSERT_LT(owner, kEntries + 8);
        __atomic_fetch_add(reinterpret_cast<u32*>(found + 8), 1u, __ATOMIC_RELAXED);
      }
  }
}

void MapThreads::user(u32 cpu, Random& random) {
  const u32 key = random() % (kEntries + 8);
  u64 values[kWords * kThreads];
  for (u32 i = 0; i < kThreads; i++) fill(values + i * kWords, key, random());
  u32 next = 0;
  switch (random() % 6) {
    case 0: map_->user_update(&key, values, kAny, cpu); break;
    case 1: map_->user_take(&key, values); break;
    case 2: map_->next_key(&key, &next); break;
    case 3: {
      u32 found_keys[64];
      u64 found[64 * kWords * kThreads];
      u32 position = 0;
      Batch batch = {.start = nullptr,
                     .end = &position,
                     .keys = found_keys,
                     .values = found,
                     .count = 64,
                     .elem_flags = 0,
                     .flags = 0};
      map_->lookup_batch(batch);
      ASSERT_LE(batch.count, kEntries);
      break;
    }
    case 4: {
      Cursor cursor;
      for (u32 seen = 0; seen < 8 && map_->next_element(cursor, cpu); seen++)
        ASSERT_LT(load_word(static_cast<const u8*>(cursor.value)), kEntries + 8);
      break;
    }
    default:
      if (map_->user_lookup(&key, values) == 0) {
        ASSERT_LT(values[0], kEntries + 8);
      }
  }
}

void MapThreads::work(u32 cpu) {
  Random random(cpu + 1);
  for (u32 i = 0; i < kRounds; i++) {
    if (i % 2 == 0) program(cpu, random);
    if (i % 2 == 1) user(cpu, random);
  }
}

TEST_P(MapThreads, WorkAtOnce) {
  std::vector<std::thread> threads;
  for (u32 cpu = 0; cpu < kThreads; cpu++) threads.emplace_back([this, cpu] { work(cpu); });
  for (std::thread& thread : threads) thread.join();
  // Still a map: each key once, each found, everything can be deleted and filled again.
  const std::vector<u32> all = keys(*map_);
  EXPECT_LE(all.size(), kEntries);
  for (const u32 key : all) {
    EXPECT_NE(find(*map_, key), nullptr);
    map_->remove(&key);
  }
  u64 values[kWords * kThreads] = {};
  for (u32 key = 0; key < kEntries; key++) EXPECT_EQ(map_->user_update(&key, values), 0) << key;
}

// A counter in a value, as programs count packets: no increment may be lost.
TEST_P(MapThreads, AtomicAddsAreNotLost) {
  static constexpr u32 kKey = 3;
  u64 zeros[kWords * kThreads] = {};
  ASSERT_EQ(map_->user_update(&kKey, zeros), 0);
  std::vector<std::thread> threads;
  for (u32 cpu = 0; cpu < kThreads; cpu++) {
    threads.emplace_back([this, cpu] {
      for (u32 i = 0; i < kRounds; i++)
        __atomic_fetch_add(find(*map_, kKey, cpu), u64{1}, __ATOMIC_RELAXED);
    });
  }
  for (std::thread& thread : threads) thread.join();
  u64 sum = 0;
  for (u32 cpu = 0; cpu < (is_per_cpu() ? kThreads : 1); cpu++) sum += *find(*map_, kKey, cpu);
  EXPECT_EQ(sum, u64{kThreads} * kRounds);
}

// Keys that are never deleted are always found, while they and their neighbours in the chains are
// replaced all the time. (The kernel's hash maps may miss one then.)
TEST_P(MapThreads, AKeyThatIsThereIsFound) {
  if (GetParam().type == MapType::LruHash) GTEST_SKIP() << "LRU maps may remove any element";
  constexpr u32 kKept = 8;
  const auto map = make({.type = GetParam().type,
                         .key_size = 4,
                         .value_size = kWords * 8,
                         .max_entries = kKept,
                         .flags = GetParam().flags},
                        {.cpus = kThreads});
  u64 values[kWords * kThreads] = {};
  for (u32 key = 0; key < kKept; key++) ASSERT_EQ(map->user_update(&key, values), 0);
  std::atomic<bool> stop = false;
  std::vector<std::thread> writers;
  for (u32 cpu = 0; cpu < 2; cpu++) {
    writers.emplace_back([&, cpu] {
      Random random(cpu + 1);
      while (!stop) {
        const u32 key = random() % kKept;
        u64 value[kWords];
        fill(value, key, random());
        map->update(&key, value, kAny, cpu);
      }
    });
  }
  u32 missing = 0;
  for (u32 i = 0; i < kRounds * 50; i++) missing += find(*map, i % kKept, 2) == nullptr;
  stop = true;
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(missing, 0u);
}

const Case kCases[] = {
    {MapType::Array, 0, "array"},      {MapType::PercpuArray, 0, "percpu_array"},
    {MapType::Hash, 0, "hash"},        {MapType::PercpuHash, 0, "percpu_hash"},
    {MapType::LruHash, 0, "lru_hash"}, {MapType::LruHash, kNoCommonLruFlag, "lru_hash_per_cpu"},
};
INSTANTIATE_TEST_SUITE_P(Types, MapThreads, testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

class ObjectThreads : public testing::TestWithParam<MapType> {};

TEST_P(ObjectThreads, InnerMapsComeAndGoUnderLookUps) {
  const std::shared_ptr<ObjectTable> table = ObjectTable::make().value();
  std::vector<std::shared_ptr<Map>> inner;
  for (u32 i = 0; i < 4; i++) {
    inner.push_back(make(def_of(MapType::Array, 4)));
    ASSERT_TRUE(table->add(inner.back()).has_value());
  }
  const auto outer = make({.type = GetParam(),
                           .key_size = 4,
                           .value_size = 4,
                           .max_entries = 8,
                           .inner = inner[0].get()},
                          {.objects = table});
  std::vector<std::thread> threads;
  for (u32 cpu = 0; cpu < kThreads; cpu++) {
    threads.emplace_back([&, cpu] {
      Random random(cpu + 1);
      for (u32 i = 0; i < kRounds; i++) {
        const u32 key = random() % 8;
        const u32 id = inner[random() % 4]->id();
        if (cpu == 0 && random() % 2 == 0) {
          outer->user_update(&key, &id);
        } else if (cpu == 1 && random() % 2 == 0) {
          outer->remove(&key);
        } else if (void* const found = outer->lookup(&key, cpu)) {
          Map* const map = static_cast<Map*>(static_cast<Object*>(found));
          ASSERT_EQ(map->def().max_entries, 4u);
          ASSERT_NE(map->lookup(&key, cpu) != nullptr, key >= 4);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  outer->release_objects();
}

INSTANTIATE_TEST_SUITE_P(Types, ObjectThreads,
                         testing::Values(MapType::ArrayOfMaps, MapType::HashOfMaps),
                         [](const auto& type) { return std::string(to_string(type.param)); });

}  // namespace
}  // namespace skep::runtime::maps
