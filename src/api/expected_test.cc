// SPDX-License-Identifier: Apache-2.0
#include "skep/expected.h"

#include <gtest/gtest.h>

#include <memory>

namespace skep {
namespace {

TEST(Expected, HoldsAValueOrAnError) {
  const Expected<int> value = 7;
  EXPECT_TRUE(value.has_value());
  EXPECT_EQ(*value, 7);
  const Expected<int> error = Error{Code::NotFound, "none"};
  EXPECT_FALSE(error);
  EXPECT_EQ(error.error().message, "none");
}

TEST(Expected, MapKeepsTheError) {
  const auto twice = [](int x) { return 2 * x; };
  EXPECT_EQ(Expected<int>(4).map(twice).value(), 8);
  EXPECT_EQ(Expected<int>(Error{Code::Io, "lost"}).map(twice).error().code, Code::Io);
}

TEST(Expected, MovesOutWhatCannotBeCopied) {
  Expected<std::unique_ptr<int>> made = std::make_unique<int>(5);
  const std::unique_ptr<int> taken = *std::move(made);
  EXPECT_EQ(*taken, 5);
}

}  // namespace
}  // namespace skep
