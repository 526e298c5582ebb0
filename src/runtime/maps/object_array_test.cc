// SPDX-License-Identifier: Apache-2.0
// Program arrays; arrays of maps are in map_of_maps_test.cc.
#include "runtime/maps/object_array.h"

#include <cerrno>

#include "runtime/maps/test_maps.h"

namespace skep::runtime::maps {
namespace {

class Program : public Object {
 public:
  explicit Program(int answer = 0) : answer_(answer) {}
  int may_enter(const Map&) const noexcept override { return answer_; }

 private:
  int answer_;
};

class ProgramArrayTest : public testing::Test {
 protected:
  u32 add(int answer = 0) {
    programs_.push_back(std::make_shared<Program>(answer));
    return table_->add(programs_.back()).value();
  }
  int set(u32 index, u32 id, u64 flags = kAny) { return map_->user_update(&index, &id, flags); }

  std::shared_ptr<ObjectTable> table_ = ObjectTable::make().value();
  std::shared_ptr<Map> map_ =
      make({.type = MapType::ProgArray, .key_size = 4, .value_size = 4, .max_entries = 3},
           {.objects = table_});
  std::vector<std::shared_ptr<Program>> programs_;
};

TEST_F(ProgramArrayTest, ProgramsAreFoundByIndex) {
  const u32 id = add();
  EXPECT_EQ(set(1, id), 0);
  u32 index = 1;
  EXPECT_EQ(map_->lookup(&index, 0), programs_[0].get());
  u32 value = 0;
  EXPECT_EQ(map_->user_lookup(&index, &value), 0);
  EXPECT_EQ(value, id);
  index = 0;
  EXPECT_EQ(map_->lookup(&index, 0), nullptr);
  EXPECT_EQ(map_->user_lookup(&index, &value), -ENOENT);
  index = 3;
  EXPECT_EQ(map_->lookup(&index, 0), nullptr);
}

TEST_F(ProgramArrayTest, Errnos) {
  const u32 id = add();
  EXPECT_EQ(set(0, id, kNoExist), -EINVAL);
  EXPECT_EQ(set(3, 999), -E2BIG);
  EXPECT_EQ(set(0, 999), -EBADF);
  EXPECT_EQ(set(0, 0), -EBADF);
  EXPECT_EQ(set(0, add(-EINVAL)), -EINVAL);
  EXPECT_EQ(remove(*map_, 0), -ENOENT);
  EXPECT_EQ(remove(*map_, 3), -E2BIG);
  EXPECT_EQ(put(*map_, 0, 0), -EINVAL);
  EXPECT_EQ(set(0, id), 0);
  EXPECT_EQ(remove(*map_, 0), 0);
  Batch batch = {.start = nullptr,
                 .end = nullptr,
                 .keys = nullptr,
                 .values = nullptr,
                 .count = 1,
                 .elem_flags = 0,
                 .flags = 0};
  EXPECT_EQ(map_->lookup_batch(batch), -kEnotsupp);
  EXPECT_EQ(map_->update_batch(batch), -kEnotsupp);
}

TEST_F(ProgramArrayTest, AReplacedProgramLivesUntilItIsTaken) {
  std::weak_ptr<Program> first;
  {
    const u32 id = add();
    first = programs_[0];
    ASSERT_EQ(set(0, id), 0);
    ASSERT_EQ(set(0, id), 0);  // by itself
  }
  programs_.clear();
  EXPECT_FALSE(first.expired());
  ASSERT_EQ(set(0, add()), 0);
  EXPECT_FALSE(first.expired());
  table_->take_retired();
  EXPECT_TRUE(first.expired());
}

TEST_F(ProgramArrayTest, ReleasesAllWhenTold) {
  ASSERT_EQ(set(0, add()), 0);
  ASSERT_EQ(set(2, add()), 0);
  map_->release_objects();
  EXPECT_EQ(table_->take_retired().size(), 2u);
  const u32 index = 2;
  EXPECT_EQ(map_->lookup(&index, 0), nullptr);
  ASSERT_EQ(set(1, add()), 0);
  map_.reset();
  EXPECT_EQ(table_->take_retired().size(), 1u);
}

}  // namespace
}  // namespace skep::runtime::maps
