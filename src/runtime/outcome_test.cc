// SPDX-License-Identifier: Apache-2.0
#include "runtime/outcome.h"

#include <gtest/gtest.h>

namespace skep::runtime {
namespace {

TEST(Outcome, EveryTrapHasANameAndASentence) {
#define X(name, text)                      \
  EXPECT_EQ(to_string(Trap::name), #name); \
  EXPECT_EQ(sentence(Trap::name), text);
#include "skep/traps.def"
#undef X
}

TEST(Outcome, IsAnOrdinaryEndByDefault) {
  EXPECT_EQ(Outcome{}, (Outcome{.r0 = 0, .trap = Trap::None, .pc = 0}));
}

}  // namespace
}  // namespace skep::runtime
