// SPDX-License-Identifier: Apache-2.0
#include "runtime/helpers.h"

#include <gtest/gtest.h>

namespace skep::runtime {
namespace {

u64 first(u64 r1, u64, u64, u64, u64, void*) {
  return r1;
}

TEST(HelperTable, FindsByNumber) {
  HelperTable table;
  for (const u32 number : {7U, 1U, 300U}) {
    ASSERT_TRUE(table.add({.number = number, .name = "h", .call = first}).has_value());
  }
  ASSERT_NE(table.find(7), nullptr);
  EXPECT_EQ(table.find(7)->number, 7U);
  EXPECT_EQ(table.find(300)->number, 300U);
  EXPECT_EQ(table.find(2), nullptr);
  EXPECT_EQ(table.find(-1), nullptr);
  EXPECT_EQ(HelperTable{}.find(0), nullptr);
}

TEST(HelperTable, ReplacesOneOfTheSameNumber) {
  HelperTable table;
  ASSERT_TRUE(table.add({.number = 1, .name = "old", .call = first}).has_value());
  ASSERT_TRUE(table.add({.number = 1, .name = "new", .call = first}).has_value());
  EXPECT_EQ(table.size(), 1U);
  EXPECT_EQ(table.find(1)->name, "new");
}

TEST(HelperTable, RefusesRowsThatMakeNoSense) {
  HelperTable table;
  EXPECT_EQ(table.add({.number = 1}).error().message, "helper 1 has no function");
  EXPECT_FALSE(table.add({.number = 0x80000000, .call = first}).has_value());
  EXPECT_EQ(table.add({.number = 2, .call = first, .args = {Arg::Bytes}}).error().message,
            "helper 2: argument 1 is a size but no memory stands before it");
  EXPECT_EQ(table.size(), 0U);
  EXPECT_TRUE(table.add({.number = 12, .name = "tail_call", .tail_call = true}).has_value());
}

}  // namespace
}  // namespace skep::runtime
