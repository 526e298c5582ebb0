// SPDX-License-Identifier: Apache-2.0
#include "runtime/maps/create.h"

#include <gtest/gtest.h>
#include <linux/bpf.h>

#include <cerrno>
#include <functional>
#include <limits>

#include "runtime/maps/test_maps.h"

namespace skep::runtime::maps {
namespace {

// The table against the kernel's header.
static_assert(static_cast<u32>(MapType::Hash) == BPF_MAP_TYPE_HASH);
static_assert(static_cast<u32>(MapType::Array) == BPF_MAP_TYPE_ARRAY);
static_assert(static_cast<u32>(MapType::ProgArray) == BPF_MAP_TYPE_PROG_ARRAY);
static_assert(static_cast<u32>(MapType::PercpuHash) == BPF_MAP_TYPE_PERCPU_HASH);
static_assert(static_cast<u32>(MapType::PercpuArray) == BPF_MAP_TYPE_PERCPU_ARRAY);
static_assert(static_cast<u32>(MapType::LruHash) == BPF_MAP_TYPE_LRU_HASH);
static_assert(static_cast<u32>(MapType::ArrayOfMaps) == BPF_MAP_TYPE_ARRAY_OF_MAPS);
static_assert(static_cast<u32>(MapType::HashOfMaps) == BPF_MAP_TYPE_HASH_OF_MAPS);
static_assert(static_cast<u32>(MapType::Ringbuf) == BPF_MAP_TYPE_RINGBUF);
static_assert(static_cast<u32>(MapType::BloomFilter) == BPF_MAP_TYPE_BLOOM_FILTER);
static_assert(kNoPreallocFlag == BPF_F_NO_PREALLOC && kNoCommonLruFlag == BPF_F_NO_COMMON_LRU);
static_assert(kNumaFlag == BPF_F_NUMA_NODE && kZeroSeedFlag == BPF_F_ZERO_SEED);
static_assert(kReadOnlyFlag == BPF_F_RDONLY && kWriteOnlyFlag == BPF_F_WRONLY);
static_assert(kReadOnlyProgFlag == BPF_F_RDONLY_PROG && kWriteOnlyProgFlag == BPF_F_WRONLY_PROG);
static_assert(kMmapableFlag == BPF_F_MMAPABLE && kInnerMapFlag == BPF_F_INNER_MAP);
static_assert(kAny == BPF_ANY && kNoExist == BPF_NOEXIST && kExist == BPF_EXIST);
static_assert(kLock == BPF_F_LOCK);

int errno_of(const MapDef& def, const MapOptions& options = {}) {
  const Result<std::shared_ptr<Map>> made = create(def, options);
  return made ? 0 : to_errno(made.error());
}

TEST(Create, NamesAreBpftools) {
  EXPECT_EQ(to_string(MapType::PercpuHash), "percpu_hash");
  EXPECT_EQ(map_type("lru_hash"), MapType::LruHash);
  EXPECT_EQ(map_type("nothing"), std::nullopt);
  EXPECT_EQ(to_string(static_cast<MapType>(99)), "");
}

TEST(Create, WhatIsNotBuiltSaysSoByName) {
  const Result<std::shared_ptr<Map>> made = create(def_of(MapType::Ringbuf, 4096));
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().code, Code::Unsupported);
  EXPECT_NE(made.error().message.find("ringbuf"), std::string::npos);
  EXPECT_EQ(errno_of(def_of(static_cast<MapType>(77), 1)), EINVAL);
  EXPECT_EQ(errno_of(def_of(MapType::Unspec, 1)), EINVAL);
}

struct Refusal {
  const char* what;
  int number;
  MapType type;
  std::function<void(MapDef&)> change;
};

// clang-format off
const Refusal kRefusals[] = {
    {"no entries",            EINVAL,    MapType::Array,       [](MapDef& d) { d.max_entries = 0; }},
    {"array key",             EINVAL,    MapType::Array,       [](MapDef& d) { d.key_size = 8; }},
    {"no value",              EINVAL,    MapType::Array,       [](MapDef& d) { d.value_size = 0; }},
    {"array value",           E2BIG,     MapType::Array,       [](MapDef& d) { d.value_size = 1u << 31; }},
    {"array flag",            EINVAL,    MapType::Array,       [](MapDef& d) { d.flags = kNoPreallocFlag; }},
    {"unknown flag",          EINVAL,    MapType::Array,       [](MapDef& d) { d.flags = 1u << 30; }},
    {"read and write only",   EINVAL,    MapType::Array,       [](MapDef& d) { d.flags = kReadOnlyFlag | kWriteOnlyFlag; }},
    {"both for programs",     EINVAL,    MapType::Hash,        [](MapDef& d) { d.flags = kReadOnlyProgFlag | kWriteOnlyProgFlag; }},
    {"no such node",          EINVAL,    MapType::Hash,        [](MapDef& d) { d.flags = kNumaFlag; d.numa_node = 9; }},
    {"node and per CPU",      EINVAL,    MapType::PercpuHash,  [](MapDef& d) { d.flags = kNumaFlag; }},
    {"mmap of a per-CPU array", EINVAL,  MapType::PercpuArray, [](MapDef& d) { d.flags = kMmapableFlag; }},
    {"per-CPU value",         E2BIG,     MapType::PercpuArray, [](MapDef& d) { d.value_size = 32 * 1024 + 1; }},
    {"per-CPU hash value",    E2BIG,     MapType::PercpuHash,  [](MapDef& d) { d.value_size = 32 * 1024 + 1; }},
    {"no key",                EINVAL,    MapType::Hash,        [](MapDef& d) { d.key_size = 0; }},
    {"hash element",          E2BIG,     MapType::Hash,        [](MapDef& d) { d.value_size = 4 << 20; }},
    {"own LRU lists",         EINVAL,    MapType::Hash,        [](MapDef& d) { d.flags = kNoCommonLruFlag; }},
    {"LRU not preallocated",  kEnotsupp, MapType::LruHash,     [](MapDef& d) { d.flags = kNoPreallocFlag; }},
    {"hash entries",          E2BIG,     MapType::Hash,        [](MapDef& d) { d.max_entries = ~0u; }},
    {"hash buckets",          E2BIG,     MapType::Hash,        [](MapDef& d) { d.max_entries = (1u << 27) + 1; }},
    {"array memory",          ENOMEM,    MapType::Array,       [](MapDef& d) { d.max_entries = ~0u; d.value_size = 1 << 20; }},
    {"per-CPU array memory",  ENOMEM,    MapType::PercpuArray, [](MapDef& d) { d.max_entries = ~0u; d.value_size = 32 * 1024; }},
    {"hash memory",           ENOMEM,    MapType::Hash,        [](MapDef& d) { d.max_entries = 1 << 27; d.value_size = 2 << 20; }},
    {"map_extra",             EINVAL,    MapType::Hash,        [](MapDef& d) { d.map_extra = 1; }},
    {"long name",             EINVAL,    MapType::Hash,        [](MapDef& d) { d.name = "sixteen_letters_"; }},
    {"odd name",              EINVAL,    MapType::Hash,        [](MapDef& d) { d.name = "a-b"; }},
    {"program array value",   EINVAL,    MapType::ProgArray,   [](MapDef& d) { d.value_size = 8; }},
    {"no inner map",          EBADF,     MapType::ArrayOfMaps, [](MapDef& d) { d.value_size = 4; }},
    {"lock in a per-CPU map", kEnotsupp, MapType::PercpuArray, [](MapDef& d) { d.spin_lock_offset = 0; }},
    {"lock outside",          EINVAL,    MapType::Array,       [](MapDef& d) { d.spin_lock_offset = 8; }},
    {"lock, read-only",       EACCES,    MapType::Array,       [](MapDef& d) { d.spin_lock_offset = 0; d.flags = kReadOnlyProgFlag; }},
};
// clang-format on

TEST(Create, RefusesWithTheKernelsErrno) {
  for (const Refusal& refusal : kRefusals) {
    MapDef def = def_of(refusal.type, 4);
    refusal.change(def);
    EXPECT_EQ(errno_of(def, {.cpus = 2}), refusal.number) << refusal.what;
  }
}

TEST(Create, ManyCpusAndEntriesDoNotOverflow) {
  MapDef def = def_of(MapType::PercpuArray, ~0u);
  def.value_size = 32 * 1024;
  EXPECT_EQ(errno_of(def, {.cpus = ~0u}), ENOMEM);
  def.type = MapType::PercpuHash;
  def.max_entries = 1u << 27;
  EXPECT_EQ(errno_of(def, {.cpus = ~0u}), ENOMEM);
}

TEST(Create, MapsOfMapsHaveOneLevel) {
  const MapOptions options = {.objects = ObjectTable::make().value()};
  const auto inner = make(def_of(MapType::Array, 2));
  MapDef def = {.type = MapType::HashOfMaps,
                .key_size = 4,
                .value_size = 4,
                .max_entries = 2,
                .inner = inner.get()};
  const auto outer = make(def, options);
  EXPECT_EQ(errno_of(def), EINVAL);  // without a table
  def.inner = outer.get();
  EXPECT_EQ(errno_of(def, options), EINVAL);
  const auto programs =
      make({.type = MapType::ProgArray, .key_size = 4, .value_size = 4, .max_entries = 2}, options);
  def.inner = programs.get();
  EXPECT_EQ(errno_of(def, options), kEnotsupp);
  MapDef locked = def_of(MapType::Array, 1);
  locked.spin_lock_offset = 0;
  const auto with_lock = make(locked);
  def.inner = with_lock.get();
  EXPECT_EQ(errno_of(def, options), kEnotsupp);
}

TEST(Create, AcceptsWhatTheKernelAccepts) {
  EXPECT_EQ(errno_of(def_of(MapType::Hash, 10, kNoPreallocFlag | kZeroSeedFlag | kReadOnlyFlag)),
            0);
  EXPECT_EQ(errno_of(def_of(MapType::Hash, 10, kNumaFlag)), 0);
  EXPECT_EQ(errno_of(def_of(MapType::Array, 10, kMmapableFlag | kInnerMapFlag)), 0);
  EXPECT_EQ(errno_of(def_of(MapType::LruHash, 10, kNoCommonLruFlag)), 0);
  MapDef def = def_of(MapType::PercpuArray, 1);
  def.value_size = 32 * 1024;
  EXPECT_EQ(errno_of(def, {.cpus = 3}), 0);
  def = def_of(MapType::Hash, 1);
  def.name = "Ab_9.15_letters";
  EXPECT_EQ(errno_of(def), 0);
}

TEST(Create, LruFreeTargetSince617) {
  EXPECT_EQ(lru_free_target_617(1, 2), 1u);
  EXPECT_EQ(lru_free_target_617(100, 2), 25u);
  EXPECT_EQ(lru_free_target_617(100'000, 2), 128u);
}

}  // namespace
}  // namespace skep::runtime::maps
