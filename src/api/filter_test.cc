// SPDX-License-Identifier: Apache-2.0
#include "skep/filter.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace skep {
namespace {

// ldh [12]; jeq #0x800, 0, 1; ret #96; ret #0
const std::vector<ClassicInsn> kIpOnly = {
    {0x28, 0, 0, 12}, {0x15, 0, 1, 0x800}, {0x06, 0, 0, 96}, {0x06, 0, 0, 0}};

std::array<std::uint8_t, 60> frame(std::uint8_t type_high, std::uint8_t type_low) {
  std::array<std::uint8_t, 60> bytes = {};
  bytes[12] = type_high;
  bytes[13] = type_low;
  return bytes;
}

TEST(ApiFilter, RunsAClassicProgramOnBothEngines) {
  for (const FilterEngine engine : {FilterEngine::Threaded, FilterEngine::Switch}) {
    const auto filter = Filter::load(kIpOnly, ClassicRules::Linux, engine);
    ASSERT_TRUE(filter) << filter.error().message;
    EXPECT_EQ(filter->match(frame(0x08, 0x00)), 96u);
    EXPECT_EQ(filter->match(frame(0x86, 0xdd)), 0u);
    EXPECT_EQ(filter->match({}), 0u);
  }
}

TEST(ApiFilter, ReadsTheLengthOnTheWire) {
  const std::vector<ClassicInsn> length = {{0x80, 0, 0, 0}, {0x16, 0, 0, 0}};  // ld #len; ret a
  const auto filter = Filter::load(length, ClassicRules::Linux);
  ASSERT_TRUE(filter);
  EXPECT_EQ(filter->match(frame(0, 0)), 60u);
  EXPECT_EQ(filter->match(frame(0, 0), 1514), 1514u);
}

TEST(ApiFilter, ReadsMetadata) {
  const std::vector<ClassicInsn> mark = {{0x20, 0, 0, 0xfffff000 + 20}, {0x16, 0, 0, 0}};
  const auto filter = Filter::load(mark, ClassicRules::Linux);
  ASSERT_TRUE(filter);
  EXPECT_EQ(filter->match(frame(0, 0), 0, {.mark = 0x1234}), 0x1234u);
}

TEST(ApiFilter, RulesDiffer) {
  const std::vector<ClassicInsn> shift = {
      {0x00, 0, 0, 1}, {0x01, 0, 0, 33}, {0x6c, 0, 0, 0}, {0x16, 0, 0, 0}};  // 1 << 33
  EXPECT_EQ(Filter::load(shift, ClassicRules::Linux)->match(frame(0, 0)), 2u);
  EXPECT_EQ(Filter::load(shift, ClassicRules::Libpcap)->match(frame(0, 0)), 0u);
  EXPECT_EQ(Filter::load(kIpOnly, ClassicRules::Seccomp).error().where->pc, 0u);
}

TEST(ApiFilter, RefusesProgramsThatBreakTheRules) {
  EXPECT_FALSE(Filter::load({}, ClassicRules::Linux));
  const std::vector<ClassicInsn> no_return = {{0x28, 0, 0, 12}};
  EXPECT_FALSE(Filter::load(no_return, ClassicRules::Linux));
  const std::vector<ClassicInsn> far = {{0x15, 9, 9, 0}, {0x06, 0, 0, 0}};
  EXPECT_EQ(Filter::load(far, ClassicRules::Linux).error().code, Code::BadJump);
}

TEST(ApiFilter, CompilesExpressionsWhereLibpcapIsBuiltIn) {
  const auto filter = Filter::compile("ip");
  if (!filter && filter.error().code == Code::Unsupported) GTEST_SKIP() << filter.error().message;
  ASSERT_TRUE(filter) << filter.error().message;
  EXPECT_EQ(filter->match(frame(0x08, 0x00)), 262144u);
  EXPECT_EQ(filter->match(frame(0x86, 0xdd)), 0u);
  EXPECT_EQ(Filter::compile("ip and").error().code, Code::Syntax);
}

}  // namespace
}  // namespace skep
