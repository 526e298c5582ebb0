// SPDX-License-Identifier: Apache-2.0
#include "runtime/program.h"

#include <gtest/gtest.h>

namespace skep::runtime {
namespace {

using isa::ebpf::Insn;
using isa::ebpf::Op;

u64 nothing(u64, u64, u64, u64, u64, void*) {
  return 0;
}

HelperTable helpers(std::initializer_list<u32> numbers) {
  HelperTable table;
  for (const u32 number : numbers) {
    EXPECT_TRUE(table.add({.number = number, .name = "h", .call = nothing}).has_value());
  }
  return table;
}

std::string verdict(std::vector<Insn> insns, const HelperTable& table = {}) {
  const Result<Program> program = Program::make(std::move(insns), table);
  return program.has_value() ? "ok" : to_string(program.error());
}

const Insn kExit{.op = Op::Exit};

TEST(Program, BindsEachHelperOnce) {
  const Result<Program> program = Program::make(
      {{.op = Op::Call, .imm = 9}, {.op = Op::Call, .imm = 2}, {.op = Op::Call, .imm = 9}, kExit},
      helpers({1, 2, 9}));
  ASSERT_TRUE(program.has_value());
  ASSERT_EQ(program->helpers().size(), 2U);
  EXPECT_EQ(program->helpers()[0].number, 9U);
  EXPECT_EQ(program->code()[0].off, 0);
  EXPECT_EQ(program->code()[1].off, 1);
  EXPECT_EQ(program->code()[2].off, 0);
}

TEST(Program, RefusesWhatNoEngineCanRun) {
  EXPECT_EQ(verdict({kExit}), "ok");
  EXPECT_EQ(verdict({}), "the program has no instructions");
  EXPECT_EQ(verdict({{.op = Op::Call, .imm = 5}, kExit}), "insn 0: helper 5 is not registered");
  EXPECT_EQ(verdict({{.op = Op::Call, .imm = -1}, kExit}), "insn 0: helper -1 is not registered");
  EXPECT_EQ(verdict({{.op = Op::CallKfunc, .imm = 5}, kExit}),
            "insn 0: calls of kernel functions are not available here");
  EXPECT_EQ(verdict({{.op = Op::LddwMapFd}, {.op = Op::LddwHigh}, kExit}),
            "insn 0: a constant of the kind lddw_map_fd needs a loader that resolves it");
}

TEST(Program, RefusesFieldsThatNoDecoderMakes) {
  EXPECT_EQ(verdict({{.op = Op::Mov64K, .dst = 11}, kExit}),
            "insn 0: no such operation or register");
  EXPECT_EQ(verdict({{.op = static_cast<Op>(5000)}, kExit}),
            "insn 0: no such operation or register");
  EXPECT_EQ(verdict({{.op = Op::Lddw}, kExit}), "insn 1: half of a 64-bit constant");
  EXPECT_EQ(verdict({{.op = Op::LddwHigh}, kExit}), "insn 0: half of a 64-bit constant");
}

}  // namespace
}  // namespace skep::runtime
