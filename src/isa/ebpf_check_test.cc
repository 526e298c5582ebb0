// SPDX-License-Identifier: Apache-2.0
#include "isa/ebpf_check.h"

#include <gtest/gtest.h>

#include <vector>

namespace skep::isa::ebpf {
namespace {

std::string verdict(std::vector<Insn> program) {
  const Status status = check_structure(program);
  return status.has_value() ? "ok" : to_string(status.error());
}

const Insn kExit{.op = Op::Exit};

TEST(EbpfCheck, AcceptsAProgramThatEnds) {
  EXPECT_EQ(verdict({{.op = Op::Mov64K, .dst = 0, .imm = 1}, kExit}), "ok");
  EXPECT_EQ(verdict({{.op = Op::Jeq64K, .off = 0}, {.op = Op::Ja, .off = -2}}), "ok");
}

TEST(EbpfCheck, RefusesJumpsOutOfTheProgram) {
  EXPECT_EQ(verdict({{.op = Op::Ja, .off = 1}, kExit}),
            "insn 0: jump to 2, outside of the program's 0 to 1");
  EXPECT_EQ(verdict({{.op = Op::Jne32X, .off = -2}, kExit}),
            "insn 0: jump to -1, outside of the program's 0 to 1");
  EXPECT_EQ(verdict({{.op = Op::Ja32, .imm = 0x7fffffff}, kExit}),
            "insn 0: jump to 2147483648, outside of the program's 0 to 1");
  EXPECT_EQ(verdict({{.op = Op::CallLocal, .imm = 1}, kExit}),
            "insn 0: jump to 2, outside of the program's 0 to 1");
  EXPECT_EQ(verdict({{.op = Op::MayGoto, .off = 9}, kExit}),
            "insn 0: jump to 10, outside of the program's 0 to 1");
}

TEST(EbpfCheck, RefusesJumpsIntoAConstant) {
  EXPECT_EQ(verdict({{.op = Op::Ja, .off = 1}, {.op = Op::Lddw}, {.op = Op::LddwHigh}, kExit}),
            "insn 0: jump to 2, the middle of a 64-bit constant");
}

TEST(EbpfCheck, RefusesRunningPastTheEnd) {
  EXPECT_NE(verdict({{.op = Op::Mov64K}}), "ok");
  EXPECT_NE(verdict({{.op = Op::Jeq64K, .off = -1}}), "ok");
  EXPECT_NE(verdict({{.op = Op::Lddw}, {.op = Op::LddwHigh}}), "ok");
  EXPECT_EQ(verdict({}), "the program has no instructions");
}

TEST(EbpfCheck, RefusesWritesToTheFramePointer) {
  const std::string message = "insn 0: r10, the frame pointer, cannot be written";
  EXPECT_EQ(verdict({{.op = Op::Add64K, .dst = 10, .imm = 8}, kExit}), message);
  EXPECT_EQ(verdict({{.op = Op::LdxW, .dst = 10, .src = 1}, kExit}), message);
  EXPECT_EQ(verdict({{.op = Op::FetchAdd64, .dst = 1, .src = 10}, kExit}), message);
  EXPECT_EQ(verdict({{.op = Op::Xchg32, .dst = 1, .src = 10}, kExit}), message);
  EXPECT_EQ(verdict({{.op = Op::StxDw, .dst = 10, .src = 1}, kExit}), "ok");
  EXPECT_EQ(verdict({{.op = Op::CmpXchg64, .dst = 10, .src = 10}, kExit}), "ok");
}

TEST(EbpfCheck, RefusesMoreThanAMillionInstructions) {
  std::vector<Insn> program(kMaxInsns + 1, kExit);
  const Status status = check_structure(program);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, Code::TooLong);
}

}  // namespace
}  // namespace skep::isa::ebpf
