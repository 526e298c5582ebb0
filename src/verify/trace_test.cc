// SPDX-License-Identifier: Apache-2.0
#include "verify/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verify/table_world.h"
#include "verify/verify.h"

namespace skep::verify {
namespace {

using isa::ebpf::Insn;
using isa::ebpf::Op;
using testing::HasSubstr;

std::string log_of(const std::vector<Insn>& insns, u32 level) {
  const SourceLine lines[] = {{0, "a.c", 1, 1, "  int x = 0;"}};
  WalkInput input;
  input.insns = insns;
  input.lines = lines;
  input.log_level = level;
  const TableWorld world(prog_type::kSocketFilter, input.rights);
  Report report;
  static_cast<void>(verify(input, world, &report));
  return report.kernel_log;
}

TEST(Trace, ARefusedPathIsShownInstructionByInstruction) {
  const std::string log = log_of({{Op::Mov64K, 0, 0, 0, 0}, {Op::LdxW, 0, 0, 0}, {Op::Exit}}, 1);
  EXPECT_THAT(log, HasSubstr("0: R1=ctx(off=0,imm=0) R10=fp0\n"
                             "; int x = 0;\n"
                             "0: (b7) r0 = 0                        ; R0_w=0\n"
                             "1: (61) r0 = *(u32 *)(r0 +0)\n"
                             "R0 invalid mem access 'scalar'\n"));
}

TEST(Trace, LevelTwoShowsWherePathsStartAndWhatIsPrecise) {
  const std::string log = log_of({{Op::LdxW, 2, 1, 0},
                                  {Op::Mov64K, 0, 0, 0, 0},
                                  {Op::Jeq64K, 2, 0, 1, 0},
                                  {Op::Mov64K, 0, 0, 0, 1},
                                  {Op::Jeq64K, 0, 0, 0, 5},
                                  {Op::Exit}},
                                 2);
  EXPECT_THAT(log, HasSubstr("from 2 to 4:"));
  EXPECT_THAT(log, HasSubstr("last_idx 4 first_idx 0\n"));
  EXPECT_THAT(log, HasSubstr("regs=1 stack=0 before 3: (b7) r0 = 1\n"));
}

TEST(Trace, LevelOneForgetsPathsThatWentWell) {
  const std::string log = log_of({{Op::LdxW, 2, 1, 0},
                                  {Op::Mov64K, 0, 0, 0, 0},
                                  {Op::Jeq64K, 2, 0, 1, 0},
                                  {Op::Exit},
                                  {Op::LdxW, 0, 0, 0},
                                  {Op::Exit}},
                                 1);
  EXPECT_THAT(log, testing::Not(HasSubstr("3: (95) exit")));
  EXPECT_THAT(log, HasSubstr("4: (61) r0 = *(u32 *)(r0 +0)\n"));
}

}  // namespace
}  // namespace skep::verify
