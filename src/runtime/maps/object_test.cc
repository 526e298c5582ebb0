// SPDX-License-Identifier: Apache-2.0
#include "runtime/maps/object.h"

#include <gtest/gtest.h>

namespace skep::runtime::maps {
namespace {

class Thing : public Object {
 public:
  explicit Thing(int& alive) : alive_(alive) { alive_++; }
  ~Thing() override { alive_--; }
  int may_enter(const Map&) const noexcept override { return 0; }

 private:
  int& alive_;
};

class ObjectTableTest : public testing::Test {
 protected:
  std::shared_ptr<ObjectTable> table_ = ObjectTable::make(4).value();
  int alive_ = 0;
};

TEST_F(ObjectTableTest, FindsById) {
  const auto thing = std::make_shared<Thing>(alive_);
  const Result<u32> id = table_->add(thing);
  ASSERT_TRUE(id.has_value());
  EXPECT_EQ(*id, 1u);
  EXPECT_EQ(thing->id(), 1u);
  EXPECT_EQ(table_->add(thing).value(), 1u);
  EXPECT_EQ(table_->find(1), thing.get());
  EXPECT_EQ(table_->find(0), nullptr);
  EXPECT_EQ(table_->find(2), nullptr);
  EXPECT_EQ(table_->find(1'000'000), nullptr);
}

TEST_F(ObjectTableTest, DoesNotKeepWhatNoElementHolds) {
  auto thing = std::make_shared<Thing>(alive_);
  ASSERT_TRUE(table_->add(thing).has_value());
  thing.reset();
  EXPECT_EQ(alive_, 0);
  EXPECT_EQ(table_->find(1), nullptr);
  EXPECT_EQ(table_->hold(1), nullptr);
}

TEST_F(ObjectTableTest, WhatTheLastElementReleasesLivesUntilItIsTaken) {
  auto thing = std::make_shared<Thing>(alive_);
  ASSERT_TRUE(table_->add(thing).has_value());
  EXPECT_EQ(table_->hold(1), thing);
  EXPECT_EQ(table_->hold(1), thing);
  thing.reset();
  table_->release(1);
  EXPECT_EQ(alive_, 1);
  EXPECT_TRUE(table_->take_retired().empty());
  table_->release(1);
  EXPECT_EQ(alive_, 1);
  EXPECT_NE(table_->find(1), nullptr);  // a run may be using it
  EXPECT_EQ(table_->take_retired().size(), 1u);
  EXPECT_EQ(alive_, 0);
  EXPECT_EQ(table_->find(1), nullptr);
  table_->release(1);  // of nobody: no effect
}

TEST_F(ObjectTableTest, IdsAreUsedAgainWhenAllAreUsed) {
  std::vector<std::shared_ptr<Thing>> things;
  for (int i = 0; i < 3; i++) {
    things.push_back(std::make_shared<Thing>(alive_));
    EXPECT_EQ(table_->add(things.back()).value(), static_cast<u32>(i + 1));
  }
  const auto more = std::make_shared<Thing>(alive_);
  EXPECT_EQ(table_->add(more).error().code, Code::TooLong);
  things.erase(things.begin() + 1);
  EXPECT_EQ(table_->add(more).value(), 2u);
}

TEST_F(ObjectTableTest, AnObjectIsInOneTable) {
  const auto thing = std::make_shared<Thing>(alive_);
  ASSERT_TRUE(table_->add(thing).has_value());
  const auto other = ObjectTable::make(4).value();
  EXPECT_EQ(other->add(thing).error().code, Code::InvalidArgument);
}

TEST_F(ObjectTableTest, TheTableMayDieFirst) {
  const auto thing = std::make_shared<Thing>(alive_);
  ASSERT_TRUE(table_->add(thing).has_value());
  table_.reset();
  EXPECT_EQ(alive_, 1);
}

}  // namespace
}  // namespace skep::runtime::maps
