// SPDX-License-Identifier: Apache-2.0
#include "verify/map_facts.h"

#include <gtest/gtest.h>

#include "runtime/maps/create.h"

namespace skep::verify {
namespace {

namespace maps = runtime::maps;

std::shared_ptr<maps::Map> make(maps::MapType type, u32 entries, u32 flags,
                                const maps::Map* inner = nullptr) {
  maps::MapOptions options;
  const auto objects = maps::ObjectTable::make(16);
  EXPECT_TRUE(objects.has_value());
  if (objects) options.objects = *objects;
  const auto made = maps::create({.type = type,
                                  .key_size = 4,
                                  .value_size = inner == nullptr ? 16U : 4U,
                                  .max_entries = entries,
                                  .flags = flags,
                                  .inner = inner},
                                 options);
  EXPECT_TRUE(made.has_value());
  return made ? *made : nullptr;
}

TEST(MapFacts, SizesAndRightsComeFromTheDefinition) {
  const auto plain = make(maps::MapType::Hash, 8, 0);
  const auto read_only = make(maps::MapType::Array, 1, maps::kReadOnlyProgFlag);
  const UsedMap used[] = {{plain.get()}, {read_only.get(), true}, {read_only.get(), false}};
  const std::vector<MapFacts> facts = facts_of_maps(used);
  ASSERT_EQ(facts.size(), 3U);
  EXPECT_EQ(facts[0].type, map_type::kHash);
  EXPECT_EQ(facts[0].value_size, 16U);
  EXPECT_TRUE(facts[0].program_may_write);
  EXPECT_FALSE(facts[0].direct_values);
  EXPECT_FALSE(facts[1].program_may_write);
  EXPECT_TRUE(facts[1].direct_values);
  EXPECT_TRUE(facts[1].constant);
  EXPECT_FALSE(facts[2].constant) << "somebody can still change it";
}

TEST(MapFacts, InnerMapsFollow) {
  const auto inner = make(maps::MapType::Array, 4, 0);
  const auto outer = make(maps::MapType::ArrayOfMaps, 4, 0, inner.get());
  const UsedMap used[] = {{outer.get()}, {inner.get()}};
  const std::vector<MapFacts> facts = facts_of_maps(used);
  ASSERT_EQ(facts.size(), 3U);
  EXPECT_EQ(facts[0].inner, 3U);
  EXPECT_EQ(facts[2].type, map_type::kArray);
  EXPECT_EQ(facts[2].max_entries, 4U);
}

TEST(MapFacts, ConstantsAreReadWithinTheValue) {
  const auto map = make(maps::MapType::Array, 1, maps::kReadOnlyProgFlag);
  const u32 key = 0;
  const u64 value[2] = {0x1122334455667788, 5};
  ASSERT_EQ(map->user_update(&key, value), 0);
  EXPECT_EQ(read_constant(*map, 0, 8), value[0]);
  EXPECT_EQ(read_constant(*map, 8, 8), 5U);
  EXPECT_EQ(read_constant(*map, 12, 8), std::nullopt);
  EXPECT_EQ(read_constant(*map, 0xffffffff, 4), std::nullopt);
}

}  // namespace
}  // namespace skep::verify
