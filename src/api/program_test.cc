// SPDX-License-Identifier: Apache-2.0
#include "skep/program.h"

#include <gtest/gtest.h>

#include <array>

namespace skep {
namespace {

class ApiProgram : public testing::TestWithParam<Engine> {
 protected:
  ApiProgram() : cpus_(*Cpus::create(1)), thread_(cpus_.attach()) {}

  Program assemble(std::string_view text, std::vector<Helper> helpers = {}) {
    auto program = Program::assemble(text, {.engine = GetParam(), .helpers = std::move(helpers)});
    EXPECT_TRUE(program) << program.error().message;
    return *std::move(program);
  }

  Cpus cpus_;
  Thread thread_;
};

INSTANTIATE_TEST_SUITE_P(Engines, ApiProgram,
                         testing::Values(Engine::Checked, Engine::Switch, Engine::Threaded));

TEST_P(ApiProgram, ReadsAndWritesMemory) {
  const Program program = assemble("r0 = *(u8 *)(r1 + 1)\n*(u8 *)(r1 + 0) = r2\nexit\n");
  std::array<std::uint8_t, 3> memory = {1, 42, 3};
  const Outcome outcome = program.run(thread_, {.memory = memory});
  EXPECT_EQ(outcome.trap, Trap::None);
  EXPECT_EQ(outcome.r0, 42u);
  EXPECT_EQ(memory[0], 3);  // r2 = the length
}

TEST_P(ApiProgram, CallsHelpersByNumber) {
  int calls = 0;
  const Helper helper = {.number = 77,
                         .name = "add",
                         .function =
                             [](std::uint64_t a, std::uint64_t b, std::uint64_t, std::uint64_t,
                                std::uint64_t, void* user) {
                               ++*static_cast<int*>(user);
                               return a + b;
                             },
                         .user = &calls};
  const Program program = assemble("r1 = 40\nr2 = 2\ncall 77\nexit\n", {helper});
  EXPECT_EQ(program.run(thread_).r0, 42u);
  EXPECT_EQ(calls, 1);
}

TEST_P(ApiProgram, ReadsThePacketBesideTheMemory) {
  const Program program = assemble("r6 = r1\nr0 = *(u16 *)skb[1]\nexit\n");
  const std::array<std::uint8_t, 3> packet = {1, 2, 3};
  EXPECT_EQ(program.run(thread_, {.packet = packet}).r0, 0x0203u);
}

TEST_P(ApiProgram, LoadsTheBytecodeThatItPrints) {
  const std::array<std::uint8_t, 16> code = {0xb7, 0, 0, 0, 9, 0, 0, 0, 0x95, 0, 0, 0, 0, 0, 0, 0};
  const auto program = Program::load(code, {.engine = GetParam()});
  ASSERT_TRUE(program);
  EXPECT_EQ(program->size(), 2u);
  EXPECT_EQ(program->run(thread_).r0, 9u);
}

TEST_P(ApiProgram, RefusesWhatCannotRun) {
  const LoadOptions options = {.engine = GetParam()};
  const std::array<std::uint8_t, 8> unknown = {0xff};
  EXPECT_EQ(Program::load(unknown, options).error().code, Code::BadInsn);
  EXPECT_EQ(Program::load({}, options).error().code, Code::BadInsn);
  EXPECT_EQ(Program::load(std::span(unknown).first(7), options).error().code, Code::Truncated);
  EXPECT_EQ(Program::assemble("r0 = 1\nbogus\n", options).error().where->line, 2u);
  EXPECT_EQ(Program::assemble("goto +7\nexit\n", options).error().code, Code::BadJump);
  EXPECT_EQ(Program::assemble("call 5\nexit\n", options).error().code, Code::NotFound);
}

TEST_P(ApiProgram, RefusesTwoHelpersOfOneNumber) {
  const Helper helper = {
      .number = 1, .name = "one", .function = [](auto...) -> std::uint64_t { return 0; }};
  const auto program =
      Program::assemble("exit\n", {.engine = GetParam(), .helpers = {helper, helper}});
  EXPECT_EQ(program.error().code, Code::InvalidArgument);
}

TEST(ApiProgramChecked, TrapsNameTheInstruction) {
  Cpus cpus = *Cpus::create(1);
  Thread thread = cpus.attach();
  const auto program = Program::assemble("r0 = *(u8 *)(r1 + 3)\nexit\n");
  ASSERT_TRUE(program);
  std::array<std::uint8_t, 3> memory = {};
  const Outcome outcome = program->run(thread, {.memory = memory});
  EXPECT_EQ(outcome.trap, Trap::OutOfBounds);
  EXPECT_EQ(outcome.pc, 0u);
  EXPECT_FALSE(to_string(outcome.trap).empty());
}

TEST(ApiProgramChecked, TheBudgetEndsEndlessLoops) {
  Cpus cpus = *Cpus::create(1);
  Thread thread = cpus.attach();
  const auto program = Program::assemble("goto -1\n");
  ASSERT_TRUE(program);
  EXPECT_EQ(program->run(thread, {.budget = 1000}).trap, Trap::BudgetExhausted);
}

}  // namespace
}  // namespace skep
