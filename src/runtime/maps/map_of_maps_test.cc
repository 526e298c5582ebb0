// SPDX-License-Identifier: Apache-2.0
// Arrays of maps and hashes of maps.
#include <cerrno>

#include "runtime/maps/test_maps.h"

namespace skep::runtime::maps {
namespace {

class MapOfMaps : public testing::TestWithParam<MapType> {
 protected:
  std::shared_ptr<Map> add(const MapDef& def) {
    std::shared_ptr<Map> map = make(def);
    EXPECT_TRUE(table_->add(map).has_value());
    return map;
  }
  std::shared_ptr<Map> make_outer(const Map& inner) {
    return make(
        {.type = GetParam(), .key_size = 4, .value_size = 4, .max_entries = 3, .inner = &inner},
        {.objects = table_});
  }
  static int set(Map& outer, u32 key, u32 id, u64 flags = kAny) {
    return outer.user_update(&key, &id, flags);
  }

  std::shared_ptr<ObjectTable> table_ = ObjectTable::make().value();
};

TEST_P(MapOfMaps, ProgramsFindTheInnerMap) {
  const auto inner = add(def_of(MapType::Hash, 4));
  const auto other = add(def_of(MapType::Hash, 9));  // max_entries may differ
  const auto outer = make_outer(*inner);
  ASSERT_EQ(set(*outer, 1, inner->id()), 0);
  ASSERT_EQ(set(*outer, 2, other->id()), 0);
  u32 key = 1;
  Map* const found = static_cast<Map*>(static_cast<Object*>(outer->lookup(&key, 0)));
  EXPECT_EQ(found, inner.get());
  u32 value = 0;
  key = 2;
  EXPECT_EQ(outer->user_lookup(&key, &value), 0);
  EXPECT_EQ(value, other->id());
  key = 0;
  EXPECT_EQ(outer->lookup(&key, 0), nullptr);
  EXPECT_EQ(outer->user_lookup(&key, &value), -ENOENT);
  EXPECT_EQ(outer->user_take(&key, &value), -kEnotsupp);
}

TEST_P(MapOfMaps, OnlyMapsOfOneKindEnter) {
  const auto inner = add(def_of(MapType::Array, 4));
  const auto outer = make_outer(*inner);
  MapDef wider = def_of(MapType::Array, 4);
  wider.value_size = 16;
  EXPECT_EQ(set(*outer, 0, add(wider)->id()), -EINVAL);
  EXPECT_EQ(set(*outer, 0, add(def_of(MapType::Hash, 4))->id()), -EINVAL);
  EXPECT_EQ(set(*outer, 0, add(def_of(MapType::Array, 5))->id()), -EINVAL);
  EXPECT_EQ(set(*outer, 0, add(def_of(MapType::Array, 4, kMmapableFlag))->id()), -EINVAL);
  EXPECT_EQ(set(*outer, 0, 12345), -EBADF);
  EXPECT_EQ(set(*outer, 0, add(def_of(MapType::Array, 4))->id()), 0);
}

TEST_P(MapOfMaps, ArraysOfAnySizeEnterWithTheFlag) {
  const auto inner = add(def_of(MapType::Array, 4, kInnerMapFlag));
  const auto outer = make_outer(*inner);
  const auto other = add(def_of(MapType::Array, 50, kInnerMapFlag));
  EXPECT_EQ(set(*outer, 0, other->id()), 0);
}

TEST_P(MapOfMaps, AnInnerMapLivesAsLongAsItsElement) {
  std::weak_ptr<Map> watched;
  std::shared_ptr<Map> outer;
  {
    const auto inner = add(def_of(MapType::Hash, 4));
    watched = inner;
    outer = make_outer(*inner);
    ASSERT_EQ(set(*outer, 1, inner->id()), 0);
  }
  EXPECT_FALSE(watched.expired());
  ASSERT_EQ(remove(*outer, 1), 0);
  EXPECT_FALSE(watched.expired());  // a run may be using it
  table_->take_retired();
  EXPECT_TRUE(watched.expired());
}

TEST_P(MapOfMaps, TheOuterMapReleasesWhatItHolds) {
  const auto inner = add(def_of(MapType::Hash, 4));
  auto outer = make_outer(*inner);
  ASSERT_EQ(set(*outer, 1, inner->id()), 0);
  ASSERT_EQ(set(*outer, 2, inner->id()), 0);
  outer->release_objects();
  EXPECT_EQ(table_->take_retired().size(), 1u);
  ASSERT_EQ(set(*outer, 1, inner->id()), 0);
  outer.reset();
  EXPECT_EQ(table_->take_retired().size(), 1u);
}

TEST_P(MapOfMaps, BatchesGiveIds) {
  const auto inner = add(def_of(MapType::Hash, 4));
  const auto outer = make_outer(*inner);
  u32 some_keys[3] = {0, 2, 1};
  u32 ids[3] = {inner->id(), inner->id(), inner->id()};
  Batch batch = {.start = nullptr,
                 .end = nullptr,
                 .keys = some_keys,
                 .values = ids,
                 .count = 2,
                 .elem_flags = 0,
                 .flags = 0};
  EXPECT_EQ(outer->update_batch(batch), 0);
  u32 position = 0;
  ids[0] = ids[1] = 0;
  batch = {.start = nullptr,
           .end = &position,
           .keys = some_keys,
           .values = ids,
           .count = 3,
           .elem_flags = 0,
           .flags = 0};
  EXPECT_EQ(outer->lookup_batch(batch), -ENOENT);
  EXPECT_EQ(batch.count, 2u);
  EXPECT_EQ(ids[0], inner->id());
  EXPECT_EQ(ids[1], inner->id());
}

INSTANTIATE_TEST_SUITE_P(Types, MapOfMaps,
                         testing::Values(MapType::ArrayOfMaps, MapType::HashOfMaps),
                         [](const auto& type) { return std::string(to_string(type.param)); });

TEST(HashOfMaps, UpdateFlagsAndFull) {
  const auto table = ObjectTable::make().value();
  const auto inner = make(def_of(MapType::Hash, 4));
  ASSERT_TRUE(table->add(inner).has_value());
  const auto outer = make({.type = MapType::HashOfMaps,
                           .key_size = 4,
                           .value_size = 4,
                           .max_entries = 1,
                           .inner = inner.get()},
                          {.objects = table});
  u32 key = 7;
  const u32 id = inner->id();
  EXPECT_EQ(outer->user_update(&key, &id, kExist), -ENOENT);
  EXPECT_EQ(outer->user_update(&key, &id, kNoExist), 0);
  EXPECT_EQ(outer->user_update(&key, &id, kNoExist), -EEXIST);
  EXPECT_EQ(outer->user_update(&key, &id), 0);
  EXPECT_EQ(outer->user_update(&key, &id, 3), -EINVAL);
  key = 8;
  EXPECT_EQ(outer->user_update(&key, &id), -E2BIG);
  EXPECT_EQ(put(*outer, 7, 0), -EINVAL);  // programs cannot
}

}  // namespace
}  // namespace skep::runtime::maps
