// SPDX-License-Identifier: Apache-2.0
#include "skep/thread.h"

#include <gtest/gtest.h>

namespace skep {
namespace {

TEST(ApiCpus, GivesOutSlotsByNumber) {
  Expected<Cpus> cpus = Cpus::create(2);
  ASSERT_TRUE(cpus);
  EXPECT_EQ(cpus->count(), 2u);
  Thread first = cpus->attach();
  {
    Thread second = cpus->attach();
    EXPECT_EQ(first.cpu(), 0u);
    EXPECT_EQ(second.cpu(), 1u);
  }
  EXPECT_EQ(cpus->attach().cpu(), 1u);
}

TEST(ApiCpus, RefusesAbsurdCounts) {
  EXPECT_EQ(Cpus::create(Cpus::kMaxSlots + 1).error().code, Code::InvalidArgument);
}

}  // namespace
}  // namespace skep
