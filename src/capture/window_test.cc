// SPDX-License-Identifier: Apache-2.0
#include "capture/window.h"

#include <gtest/gtest.h>

#include <vector>

namespace skep::capture {
namespace {

std::vector<u8> counting(std::size_t size) {
  std::vector<u8> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<u8>(i * 7 + (i >> 8));
  return bytes;
}

TEST(Window, GivesEveryByteOnceWhateverTheSteps) {
  const std::vector<u8> all = counting(3 * kBlockBytes + 123);
  Window window(memory_source(all));
  std::size_t at = 0;
  for (std::size_t step = 1; at < all.size(); step = step * 3 % 100003 + 1) {
    const std::size_t have = window.want(step).value();
    const std::size_t n = std::min(step, have);
    ASSERT_EQ(window.offset(), at);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(window.bytes()[i], all[at + i]);
    window.advance(n);
    at += n;
  }
  EXPECT_EQ(window.want(1).value(), 0u);
}

TEST(Window, WantsMoreThanABlock) {
  const std::vector<u8> all = counting(5 * kBlockBytes);
  Window window(memory_source(all));
  ASSERT_GE(window.want(10).value(), 10u);
  window.advance(3);
  ASSERT_GE(window.want(3 * kBlockBytes).value(), 3 * kBlockBytes);
  EXPECT_EQ(window.bytes()[3 * kBlockBytes - 1], all[3 * kBlockBytes + 2]);
}

TEST(Window, SkipsBytesThatAreNotInMemory) {
  const std::vector<u8> all = counting(4 * kBlockBytes);
  Window window(memory_source(all));
  ASSERT_TRUE(window.skip(3 * kBlockBytes + 5).value());
  ASSERT_GE(window.want(1).value(), 1u);
  EXPECT_EQ(window.bytes()[0], all[3 * kBlockBytes + 5]);
  EXPECT_EQ(window.offset(), 3 * kBlockBytes + 5);
  EXPECT_FALSE(window.skip(kBlockBytes).value());
}

}  // namespace
}  // namespace skep::capture
