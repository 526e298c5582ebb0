// SPDX-License-Identifier: Apache-2.0
#include "cbpf/threaded_fuse.h"

#include <gtest/gtest.h>

#include <string>

namespace skep::cbpf {
namespace {

std::string text(Interval in) {
  if (in.span == 0) return std::to_string(in.low);
  return std::to_string(in.low) + ".." + std::to_string(in.low + in.span);
}

std::string text(const Test& test) {
  constexpr std::string_view kKinds[] = {
#define VALUE(kind, op) #kind,
#include "cbpf/threaded_handlers.def"
  };
  std::string out(kKinds[static_cast<std::size_t>(test.kind)]);
  out += "[" + std::to_string(test.k) + "]";
  if (test.mask != ~u32{0}) out += "&" + std::to_string(test.mask);
  out += " in " + text(test.in);
  if (test.alternatives > 1) out += " and " + std::to_string(test.alternatives - 1) + " more";
  return out;
}

// "test -> hit : miss", "test or test -> hit : miss", or "-".
std::string group(std::vector<RawInsn> raw, u32 pc = 0, Rules rules = Rules::Libpcap) {
  const Result<Program> program = check(raw, rules);
  if (!program) return to_string(program.error());
  const std::optional<Group> found = Fuser::make(*program)->group_at(pc);
  if (!found) return "-";
  const u32 miss = found->second ? found->second->miss : found->first.miss;
  return text(found->first) + (found->second ? " or " + text(*found->second) : "") + " -> " +
         std::to_string(found->first.hit) + " : " + std::to_string(miss);
}

constexpr RawInsn kRetA{0x16, 0, 0, 0};
constexpr RawInsn kRet0{0x06, 0, 0, 0};
constexpr RawInsn kRet1{0x06, 0, 0, 1};

TEST(ClassicFuse, LoadAndComparison) {
  EXPECT_EQ(group({{0x28, 0, 0, 12}, {0x15, 0, 1, 0x800}, kRetA, kRet0}),
            "AbsH[12] in 2048 -> 2 : 3");
  EXPECT_EQ(group({{0x30, 0, 0, 14}, {0x54, 0, 0, 240}, {0x25, 0, 1, 64}, kRetA, kRet0}),
            "AbsB[14]&240 in 65..4294967295 -> 3 : 4");
  EXPECT_EQ(group({{0x80, 0, 0, 0}, {0x35, 0, 1, 512}, kRet1, kRet0}),
            "Len[0] in 512..4294967295 -> 2 : 3");
}

TEST(ClassicFuse, AComparisonAloneIsAGroupOnlyWithReturnsBehind) {
  EXPECT_EQ(group({{0x15, 0, 1, 5}, kRetA, kRet0}), "-");
  EXPECT_EQ(group({{0x15, 0, 1, 5}, kRet1, kRet0}), "Acc[0] in 5 -> 1 : 2");
}

TEST(ClassicFuse, JsetOnlyWhereTheAccumulatorIsDead) {
  EXPECT_EQ(group({{0x28, 0, 0, 20}, {0x45, 1, 0, 0x1fff}, kRet1, kRet0}),
            "AbsH[20]&8191 in 1..4294967295 -> 3 : 2");
  EXPECT_EQ(group({{0x28, 0, 0, 20}, {0x45, 1, 0, 0x1fff}, kRetA, kRet0}), "-");
}

TEST(ClassicFuse, TwoComparisonsMakeARange) {
  // ldh [56]; jge #6000, 2, 3; jgt #6008, 3, 4
  EXPECT_EQ(group({{0x28, 0, 0, 56}, {0x35, 0, 1, 6000}, {0x25, 0, 1, 6008}, kRet0, kRet1}),
            "AbsH[56] in 6000..6008 -> 4 : 3");
}

TEST(ClassicFuse, ComparisonsWithOneTargetMakeASet) {
  EXPECT_EQ(
      group({{0x30, 0, 0, 23}, {0x15, 2, 0, 132}, {0x15, 1, 0, 6}, {0x15, 0, 1, 17}, kRet1, kRet0}),
      "AbsB[23] in 132 and 2 more -> 4 : 5");
  // An `and` between them changes the value: two tests.
  EXPECT_EQ(
      group({{0x30, 0, 0, 23}, {0x15, 2, 0, 132}, {0x54, 0, 0, 3}, {0x15, 0, 1, 2}, kRet1, kRet0}),
      "AbsB[23] in 132 -> 4 : 2");
}

TEST(ClassicFuse, TwoValuesWithOneTargetArePaired) {
  // Either port is 80.
  EXPECT_EQ(
      group({{0x48, 0, 0, 14}, {0x15, 2, 0, 80}, {0x48, 0, 0, 16}, {0x15, 0, 1, 80}, kRet1, kRet0}),
      "IndH[14] in 80 or IndH[16] in 80 -> 4 : 5");
  // TCP and not a later fragment: one or the other leads to the second return.
  EXPECT_EQ(group({{0x30, 0, 0, 23},
                   {0x15, 0, 3, 6},
                   {0x28, 0, 0, 20},
                   {0x45, 1, 0, 0x1fff},
                   kRet1,
                   kRet0}),
            "AbsB[23] in 7..5 or AbsH[20]&8191 in 1..4294967295 -> 5 : 4");
}

TEST(ClassicFuse, NoPairWhereTheCommonTargetNeedsTheAccumulator) {
  EXPECT_EQ(
      group({{0x48, 0, 0, 14}, {0x15, 2, 0, 80}, {0x48, 0, 0, 16}, {0x15, 0, 1, 80}, kRetA, kRet0}),
      "IndH[14] in 80 -> 4 : 2");
}

TEST(ClassicFuse, ALoopMayNeedTheAccumulator) {
  // 3: ja back to 0, where the accumulator is stored.
  const std::vector<RawInsn> raw{
      {0x02, 0, 0, 0}, {0x28, 0, 0, 20}, {0x45, 0, 1, 1}, {0x05, 0, 0, 0xfffffffc}, kRet0};
  EXPECT_EQ(group(raw, 1), "-");
}

TEST(ClassicFuse, SeccompLoadsAreNotPacketLoads) {
  EXPECT_EQ(group({{0x20, 0, 0, 4}, {0x15, 0, 1, 5}, kRetA, kRet0}, 0, Rules::Seccomp), "-");
}

}  // namespace
}  // namespace skep::cbpf
