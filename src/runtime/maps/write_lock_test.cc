// SPDX-License-Identifier: Apache-2.0
#include "runtime/maps/write_lock.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace skep::runtime::maps {
namespace {

TEST(WriteLock, LetsOneThreadInAtATime) {
  constexpr u32 kThreads = 4;
  constexpr u32 kRounds = 2000;
  u32 word = 0;
  u32 counter = 0;  // not atomic: the lock must do it
  std::vector<std::thread> threads;
  for (u32 t = 0; t < kThreads; t++) {
    threads.emplace_back([&] {
      for (u32 i = 0; i < kRounds; i++) {
        const WriteLock guard(&word);
        counter++;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter, kThreads * kRounds);
  EXPECT_EQ(word, 0u);
}

}  // namespace
}  // namespace skep::runtime::maps
