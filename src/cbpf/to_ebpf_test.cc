// SPDX-License-Identifier: Apache-2.0
#include "cbpf/to_ebpf.h"

#include <gtest/gtest.h>

#include <cstddef>

#include "cbpf/vm_cases.h"
#include "isa/ebpf_check.h"

namespace skep::cbpf {
namespace {

using EInsn = isa::ebpf::Insn;
using EOp = isa::ebpf::Op;

static_assert(offsetof(EbpfContext, packet_address) == 8);
static_assert(offsetof(EbpfContext, metadata) == 16);

Translation must(const std::vector<RawInsn>& raw, Rules rules = Rules::Linux) {
  return to_ebpf(check(raw, rules).value()).value();
}

TEST(ClassicToEbpf, APortFilter) {
  const Translation translation =
      must({{0x28, 0, 0, 12}, {0x15, 0, 1, 0x86dd}, {0x06, 0, 0, 0xffffffff}, kRetA});
  const std::vector<EInsn> expected = {{EOp::Mov32K, 0, 0, 0, 0},      {EOp::Mov32K, 7, 0, 0, 0},
                                       {EOp::Mov64X, 6, 1, 0, 0},      {EOp::LdAbsH, 0, 0, 0, 12},
                                       {EOp::Jne32K, 0, 0, 2, 0x86dd}, {EOp::Mov32K, 0, 0, 0, -1},
                                       {EOp::Exit, 0, 0, 0, 0},        {EOp::Exit, 0, 0, 0, 0}};
  EXPECT_EQ(translation.insns, expected);
  EXPECT_EQ(translation.starts, (std::vector<u32>{3, 4, 5, 7}));
  EXPECT_TRUE(translation.packet_loads);
  EXPECT_TRUE(translation.forward_only);
  EXPECT_FALSE(translation.calls_helpers);
  EXPECT_EQ(translation.stack_bytes, 0u);
}

TEST(ClassicToEbpf, MetadataIsReadThroughTheContext) {
  const Translation translation = must({{0x20, 0, 0, 0xfffff014}, kRetA});
  EXPECT_EQ(translation.insns[3], (EInsn{EOp::LdxW, 0, 6, 16 + offsetof(Metadata, mark), 0}));
  EXPECT_FALSE(translation.packet_loads);
}

TEST(ClassicToEbpf, ScratchMemoryIsOnTheStack) {
  const Translation translation = must({{0x02, 0, 0, 15}, kRetA});
  EXPECT_EQ(translation.insns[3], (EInsn{EOp::StxW, 10, 0, -64, 0}));
  EXPECT_EQ(translation.stack_bytes, 64u);
}

TEST(ClassicToEbpf, UnreachedCodeIsLeftOut) {
  const Translation translation = must({{0x05, 0, 0, 1}, {0x07, 0, 0, 0}, kRetA});
  ASSERT_EQ(translation.insns.size(), 5u);
  EXPECT_EQ(translation.insns[3], (EInsn{EOp::Ja, 0, 0, 0, 0}));
}

TEST(ClassicToEbpf, BackwardJumpsAreRefused) {
  const Result<Translation> translation =
      to_ebpf(*check(std::vector<RawInsn>{{0x05, 0, 0, 0xffffffff}, kRetA}, Rules::Libpcap));
  ASSERT_FALSE(translation);
  EXPECT_EQ(translation.error().code, Code::Unsupported);
}

TEST(ClassicToEbpf, JumpsThatDoNotFitAreRefused) {
  std::vector<RawInsn> raw{{0x05, 0, 0, 40'000}};
  // Reached, or they would be left out.
  raw.insert(raw.begin(), {0x15, 1, 0, 0});
  for (int i = 0; i < 40'000; ++i) raw.push_back({0x04, 0, 0, 1});
  raw.push_back(kRetA);
  EXPECT_EQ(to_ebpf(*check(raw, Rules::Libpcap)).error().code, Code::TooLong);
}

TEST(ClassicToEbpf, AllCasesHaveAValidStructure) {
  for (const VmCase& c : vm_cases()) {
    const Result<Program> program = check(c.raw, c.rules);
    ASSERT_TRUE(program) << c.name;
    const Result<Translation> translation = to_ebpf(*program);
    if (program->facts().backward_jumps) continue;
    ASSERT_TRUE(translation) << c.name;
    const Status structure = isa::ebpf::check_structure(translation->insns);
    EXPECT_TRUE(structure) << c.name << ": " << to_string(structure.error());
  }
}

}  // namespace
}  // namespace skep::cbpf
