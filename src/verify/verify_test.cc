// SPDX-License-Identifier: Apache-2.0
// What verify() hands over: facts, errors, the report, the log.
#include "verify/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verify/table_world.h"

namespace skep::verify {
namespace {

using isa::ebpf::Insn;
using isa::ebpf::Op;
using testing::HasSubstr;

Result<Verified> judge(const std::vector<Insn>& insns, Report* report = nullptr,
                       u32 type = prog_type::kXdp) {
  const SourceLine lines[] = {{0, "a.bpf.c", 6, 3, "data = ctx->data;"},
                              {1, "a.bpf.c", 7, 9, "x = data[0];"}};
  WalkInput input;
  input.insns = insns;
  input.lines = lines;
  const TableWorld world(type, input.rights, {map_facts(map_type::kArray, 4, 64, 1)});
  return verify(input, world, report);
}

TEST(Verify, FactsNameRegionsFieldsAndOffsets) {
  const auto verified = judge({{Op::LdxW, 2, 1, 0},
                               {Op::LdxW, 3, 1, 4},
                               {Op::Mov64X, 4, 2},
                               {Op::Add64K, 4, 0, 0, 8},
                               {Op::Mov64K, 0, 0, 0, 1},
                               {Op::Jgt64X, 4, 3, 2},
                               {Op::LdxW, 5, 2, 4},
                               {Op::StxDw, 10, 5, -16},
                               {Op::Exit}});
  ASSERT_TRUE(verified.has_value());
  const Facts& facts = verified->facts;
  EXPECT_EQ(facts[0].region, Region::Ctx);
  EXPECT_EQ(facts[0].field, 0U);
  EXPECT_EQ(facts[1].field, 1U);
  EXPECT_EQ(facts[2].region, Region::None);
  EXPECT_TRUE(facts[5].jumps);
  EXPECT_TRUE(facts[5].falls_through);
  EXPECT_EQ(facts[6].region, Region::Packet);
  EXPECT_EQ(facts[6].min_off, 4);
  EXPECT_EQ(facts[6].max_off, 4);
  EXPECT_EQ(facts[7].region, Region::Stack);
  EXPECT_EQ(facts[7].min_off, -16);
  EXPECT_TRUE(facts[7].own_frame);
  EXPECT_EQ(verified->stack_bytes, std::vector<u32>{16});
  EXPECT_EQ(verified->functions, std::vector<u32>{0});
}

TEST(Verify, DeadCodeAndDecidedBranchesAreFacts) {
  const auto verified = judge(
      {{Op::Mov64K, 0, 0, 0, 0}, {Op::Jeq64K, 0, 0, 1, 0}, {Op::Mov64K, 0, 0, 0, 1}, {Op::Exit}});
  ASSERT_TRUE(verified.has_value());
  EXPECT_TRUE(verified->facts[1].jumps);
  EXPECT_FALSE(verified->facts[1].falls_through);
  EXPECT_FALSE(verified->facts[2].reachable);
  EXPECT_TRUE(verified->facts[3].reachable);
}

TEST(Verify, MapsOfValuesAndCallsAreFacts) {
  const auto verified = judge({{Op::StW, 10, 0, -4, 0},
                               {Op::Mov64X, 2, 10},
                               {Op::Add64K, 2, 0, 0, -4},
                               {Op::LddwMapIdx, 1},
                               {Op::LddwHigh},
                               {Op::Call, 0, 0, 0, 1},
                               {Op::Jeq64K, 0, 0, 1, 0},
                               {Op::LdxW, 0, 0, 8},
                               {Op::Exit}});
  ASSERT_TRUE(verified.has_value());
  EXPECT_EQ(verified->facts[5].map, 1U);
  EXPECT_EQ(verified->facts[7].map, 1U);
  EXPECT_EQ(verified->facts[7].region, Region::MapValue);
}

TEST(Verify, ARefusalSaysWhereWhyAndWhatTheRegistersHold) {
  Report report;
  const auto verified = judge({{Op::LdxW, 2, 1, 0}, {Op::LdxB, 0, 2, 0}, {Op::Exit}}, &report);
  ASSERT_FALSE(verified.has_value());
  EXPECT_EQ(verified.error().code, Code::Rejected);
  EXPECT_EQ(verified.error().where->pc, 1U);
  EXPECT_EQ(report.error_number, EACCES);
  const std::string text = report.to_text();
  EXPECT_THAT(text, HasSubstr("insn 1: r2 may point behind the packet"));
  EXPECT_THAT(text, HasSubstr("because offset 0, size 1 of the packet in r2"));
  EXPECT_THAT(text, HasSubstr("in: a.bpf.c:7:9: x = data[0];"));
  EXPECT_THAT(text, HasSubstr("r2: a packet pointer at offset 0"));
  EXPECT_THAT(report.kernel_log, HasSubstr("R2 offset is outside of the packet\n"));
  EXPECT_THAT(report.kernel_log, HasSubstr("processed 2 insns (limit 1000000)"));
}

TEST(Verify, ErrnosHaveCodes) {
  const auto code = [](const std::vector<Insn>& insns) { return judge(insns).error().code; };
  EXPECT_EQ(code({}), Code::TooLong);
  EXPECT_EQ(code({{Op::Mov64K, 0}}), Code::InvalidArgument);
  EXPECT_EQ(code({{Op::Exit}}), Code::Rejected);
  EXPECT_EQ(code({{Op::CallKfunc, 0, 0, 0, 7}, {Op::Exit}}), Code::Unsupported);
}

TEST(Verify, WhatIsNotBuiltIsNoRefusal) {
  Report report;
  const auto verified = judge({{Op::MayGoto, 0, 0, 0}, {Op::Mov64K, 0}, {Op::Exit}}, &report);
  ASSERT_FALSE(verified.has_value());
  EXPECT_EQ(report.error_number, kUnsupported);
}

TEST(Verify, CallsOfNothingStandInDeadCodeOnly) {
  EXPECT_TRUE(
      judge({{Op::Mov64K, 0}, {Op::Jeq64K, 0, 0, 1, 0}, {Op::CallKfunc, 0, 0, 0, 0}, {Op::Exit}})
          .has_value());
  Report report;
  EXPECT_FALSE(
      judge({{Op::CallKfunc, 0, 0, 0, 0}, {Op::Mov64K, 0}, {Op::Exit}}, &report).has_value());
  EXPECT_EQ(report.error_number, EINVAL);
}

TEST(Verify, MemoryForStatesIsLimited) {
  std::vector<Insn> insns = {{Op::LdxW, 2, 1, 12}, {Op::Mov64K, 0}};
  for (int i = 0; i < 200; ++i) {
    insns.push_back({Op::Jset64K, 2, 0, 1, 1 << (i % 30)});
    insns.push_back({Op::Add64K, 0, 0, 0, 1});
    insns.push_back({Op::StxDw, 10, 0, static_cast<s16>(-8 * (1 + i % 60))});
    insns.push_back({Op::LdxDw, 3, 10, static_cast<s16>(-8 * (1 + i % 60))});
  }
  insns.push_back({Op::Exit});
  WalkInput input;
  input.insns = insns;
  input.max_bytes = 50'000;
  const TableWorld world(prog_type::kXdp, input.rights);
  const auto verified = verify(input, world);
  ASSERT_FALSE(verified.has_value());
  EXPECT_EQ(verified.error().code, Code::OutOfMemory);
}

}  // namespace
}  // namespace skep::verify
