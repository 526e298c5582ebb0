// SPDX-License-Identifier: Apache-2.0
// What the checked interpreter lets programs do and what it stops, trap by trap.
#include "interp/checked.h"

#include <array>

#include "interp/every_engine.h"
#include "interp/random_program.h"
#include "runtime/access.h"

namespace skep::interp {
namespace {

using runtime::Arg;
using runtime::Outcome;
using runtime::RunInput;
using runtime::Trap;

Outcome run(std::vector<Insn> insns, const RunInput& input = {},
            const runtime::HelperTable& helpers = {}, Engine engine = Engine::Checked) {
  return executable(std::move(insns), helpers, engine).run(input);
}

#define EXPECT_TRAP(outcome, reason, at) \
  EXPECT_EQ(outcome, (Outcome{.r0 = 0, .trap = Trap::reason, .pc = at}))

class Checked : public testing::Test {
 protected:
  alignas(8) std::array<u8, 16> memory_ = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const RunInput input_{.memory = memory_};
};

TEST_F(Checked, AgreesWithTheSwitchOnPrograms) {
  for (u32 seed = 0; seed < 3000; ++seed) {
    const std::vector<Insn> insns = RandomProgram(seed).make(60);
    ASSERT_EQ(run(insns), run(insns, {}, {}, Engine::Switch)) << "seed " << seed;
  }
}

TEST_F(Checked, BoundsEveryAccessToMemory) {
  EXPECT_EQ(run({load(Op::LdxDw, 0, 1, 8), kExit}, input_).r0, 9U);
  EXPECT_TRAP(run({load(Op::LdxDw, 0, 1, 9), kExit}, input_), OutOfBounds, 0);
  EXPECT_TRAP(run({load(Op::LdxB, 0, 1, 16), kExit}, input_), OutOfBounds, 0);
  EXPECT_TRAP(run({load(Op::LdxB, 0, 1, -1), kExit}, input_), OutOfBounds, 0);
  EXPECT_TRAP(run({mov(0, 0), store_imm(Op::StH, 1, 15, 1), kExit}, input_), OutOfBounds, 1);
  EXPECT_TRAP(run({{.op = Op::LoadAcqDw, .dst = 0, .src = 1, .off = 16}, kExit}, input_),
              OutOfBounds, 0);
}

TEST_F(Checked, LetsAPointerLeaveItsObjectAndComeBack) {
  EXPECT_EQ(run({add(1, 1000), add(1, -999), load(Op::LdxB, 0, 1, 0), kExit}, input_).r0, 2U);
  EXPECT_EQ(run({mov(3, 3), {.op = Op::Add64X, .dst = 3, .src = 1}, load(Op::LdxB, 0, 3, 0), kExit},
                input_)
                .r0,
            4U);
  EXPECT_EQ(
      run({add(1, 11), {.op = Op::And64K, .dst = 1, .imm = -8}, load(Op::LdxB, 0, 1, 0), kExit},
          input_)
          .r0,
      9U);
}

TEST_F(Checked, TakesNoNumberForAPointer) {
  EXPECT_TRAP(run({load(Op::LdxB, 0, 2, 0), kExit}, input_), NotAPointer, 0);
  // Not even the right number.
  const s64 address = static_cast<s64>(runtime::to_address(memory_.data()));
  EXPECT_TRAP(run({{.op = Op::Lddw, .dst = 3, .imm = address},
                   {.op = Op::LddwHigh},
                   load(Op::LdxB, 0, 3, 0),
                   kExit},
                  input_),
              NotAPointer, 2);
  // r1 is a number where there is no memory.
  EXPECT_TRAP(run({load(Op::LdxB, 0, 1, 0), kExit}), NotAPointer, 0);
}

TEST_F(Checked, MakesNumbersOfPointersThatWereComputedWith) {
  EXPECT_TRAP(run({{.op = Op::Mul64K, .dst = 1, .imm = 1}, load(Op::LdxB, 0, 1, 0), kExit}, input_),
              NotAPointer, 1);
  EXPECT_TRAP(run({{.op = Op::Add32K, .dst = 1, .imm = 0}, load(Op::LdxB, 0, 1, 0), kExit}, input_),
              NotAPointer, 1);
  // The difference of two pointers is a number.
  EXPECT_EQ(
      run({mov_reg(0, 1), add(0, 5), {.op = Op::Sub64X, .dst = 0, .src = 1}, kExit}, input_).r0,
      5U);
  EXPECT_TRAP(
      run({mov_reg(3, 1), {.op = Op::Sub64X, .dst = 3, .src = 1}, load(Op::LdxB, 0, 3, 0), kExit},
          input_),
      NotAPointer, 2);
}

TEST_F(Checked, BoundsTheStack) {
  EXPECT_TRAP(run({mov(0, 0), store_imm(Op::StDw, 10, -520, 1), kExit}), OutOfBounds, 1);
  EXPECT_TRAP(run({mov(0, 0), store_imm(Op::StB, 10, 0, 1), kExit}), OutOfBounds, 1);
  EXPECT_TRAP(run({mov(0, 0), store_imm(Op::StDw, 10, -4, 1), kExit}), OutOfBounds, 1);
}

TEST_F(Checked, KnowsWhichStackBytesWereWritten) {
  EXPECT_TRAP(run({load(Op::LdxB, 0, 10, -1), kExit}), UninitialisedStack, 0);
  EXPECT_TRAP(run({store_imm(Op::StW, 10, -8, 1), load(Op::LdxDw, 0, 10, -8), kExit}),
              UninitialisedStack, 1);
  EXPECT_EQ(run({store_imm(Op::StW, 10, -8, 1), load(Op::LdxH, 0, 10, -8), kExit}).r0, 1U);
  EXPECT_EQ(run({store_imm(Op::StW, 10, -8, 1), store_imm(Op::StW, 10, -4, 2),
                 load(Op::LdxDw, 0, 10, -8), kExit})
                .r0,
            0x200000001U);
  // Across two slots.
  EXPECT_EQ(run({store_imm(Op::StDw, 10, -13, 7), load(Op::LdxDw, 0, 10, -13), kExit}).r0, 7U);
  EXPECT_TRAP(run({store_imm(Op::StDw, 10, -13, 7), load(Op::LdxDw, 0, 10, -14), kExit}),
              UninitialisedStack, 1);
}

TEST_F(Checked, GivesAZeroedStackOnRequest) {
  EXPECT_EQ(run({load(Op::LdxDw, 0, 10, -512), kExit}, {.zeroed_stack = true}),
            (Outcome{.r0 = 0, .trap = Trap::None, .pc = 1}));
}

TEST_F(Checked, KeepsPointersThatAreSpilled) {
  EXPECT_EQ(
      run({store(Op::StxDw, 10, -8, 1), load(Op::LdxDw, 3, 10, -8), load(Op::LdxB, 0, 3, 1), kExit},
          input_)
          .r0,
      2U);
  // A changed byte makes it a number, and so does memory that is not the stack.
  EXPECT_TRAP(run({store(Op::StxDw, 10, -8, 1), store_imm(Op::StB, 10, -8, 0),
                   load(Op::LdxDw, 3, 10, -8), load(Op::LdxB, 0, 3, 1), kExit},
                  input_),
              NotAPointer, 3);
  EXPECT_TRAP(
      run({store(Op::StxDw, 1, 0, 1), load(Op::LdxDw, 3, 1, 0), load(Op::LdxB, 0, 3, 1), kExit},
          input_),
      NotAPointer, 2);
}

TEST_F(Checked, StopsReadsOfUnwrittenRegisters) {
  EXPECT_TRAP(run({kExit}), UninitialisedRegister, 0);
  EXPECT_TRAP(run({mov_reg(0, 5), kExit}), UninitialisedRegister, 0);
  EXPECT_TRAP(run({{.op = Op::Xor64X, .dst = 0, .src = 0}, kExit}), UninitialisedRegister, 0);
  EXPECT_TRAP(run({{.op = Op::Jeq64K, .dst = 7}, mov(0, 0), kExit}), UninitialisedRegister, 0);
  EXPECT_TRAP(run({store(Op::StxB, 10, -1, 7), mov(0, 0), kExit}), UninitialisedRegister, 0);
  EXPECT_TRAP(run({load(Op::LdxB, 0, 7, 0), kExit}), UninitialisedRegister, 0);
  EXPECT_TRAP(run({store_imm(Op::StDw, 10, -8, 0),
                   {.op = Op::CmpXchg64, .dst = 10, .src = 1, .off = -8},
                   kExit}),
              UninitialisedRegister, 1);
}

TEST_F(Checked, HidesTheCallersRegistersFromTheCallee) {
  EXPECT_TRAP(
      run({mov(6, 1), {.op = Op::CallLocal, .src = 1, .imm = 1}, kExit, mov_reg(0, 6), kExit}),
      UninitialisedRegister, 3);
}

TEST_F(Checked, TakesTheStackOfAFunctionThatEnded) {
  EXPECT_TRAP(run({{.op = Op::CallLocal, .src = 1, .imm = 2},
                   load(Op::LdxDw, 0, 0, -8),
                   kExit,
                   store_imm(Op::StDw, 10, -8, 1),
                   mov_reg(0, 10),
                   kExit}),
              OutOfBounds, 1);
}

TEST_F(Checked, CountsInstructions) {
  const std::vector<Insn> endless = {mov(0, 0), add(0, 1), {.op = Op::Ja, .off = -2}};
  EXPECT_TRAP(run(endless, {.budget = 1000}), BudgetExhausted, 2);
  const std::vector<Insn> five = {mov(0, 0), mov(0, 0), mov(0, 0), mov(0, 0), kExit};
  EXPECT_EQ(run(five, {.budget = 5}).trap, Trap::None);
  EXPECT_TRAP(run(five, {.budget = 4}), BudgetExhausted, 4);
  EXPECT_EQ(run(five, {.budget = ~u64{0}}).trap, Trap::None);
  // Calls and returns begin a new line.
  const std::vector<Insn> calls = {
      {.op = Op::CallLocal, .src = 1, .imm = 1}, kExit, mov(0, 0), kExit};
  EXPECT_EQ(run(calls, {.budget = 4}).trap, Trap::None);
  EXPECT_TRAP(run(calls, {.budget = 3}), BudgetExhausted, 1);
}

TEST_F(Checked, ChecksWhatHelpersAreGiven) {
  runtime::HelperTable helpers;
  const auto sum = [](u64 r1, u64 r2, u64, u64, u64, void*) {
    u64 total = 0;
    for (u64 i = 0; i < r2; ++i) total += runtime::load_plain<u8>(r1 + i);
    return total;
  };
  const auto clear = [](u64 r1, u64 r2, u64, u64, u64, void*) {
    std::memset(runtime::to_pointer(r1), 0, static_cast<std::size_t>(r2));
    return u64{0};
  };
  ASSERT_TRUE(
      helpers.add({.number = 1, .name = "sum", .call = sum, .args = {Arg::Memory, Arg::Bytes}}));
  ASSERT_TRUE(helpers.add(
      {.number = 2, .name = "clear", .call = clear, .args = {Arg::WritableMemory, Arg::Bytes}}));
  const auto with = [&](std::vector<Insn> insns) { return run(std::move(insns), input_, helpers); };
  const Insn call_sum{.op = Op::Call, .imm = 1};
  const Insn call_clear{.op = Op::Call, .imm = 2};

  EXPECT_EQ(with({mov(2, 3), call_sum, kExit}).r0, 6U);
  EXPECT_TRAP(with({mov(2, 17), call_sum, kExit}), BadHelperArgument, 1);
  EXPECT_TRAP(with({mov(1, 0), mov(2, 1), call_sum, kExit}), BadHelperArgument, 2);
  // The stack: read only where written; written by the helper afterwards.
  EXPECT_TRAP(with({mov_reg(1, 10), add(1, -8), mov(2, 8), call_sum, kExit}), BadHelperArgument, 3);
  EXPECT_EQ(
      with({mov_reg(1, 10), add(1, -8), mov(2, 8), call_clear, load(Op::LdxDw, 0, 10, -8), kExit}),
      (Outcome{.r0 = 0, .trap = Trap::None, .pc = 5}));
}

TEST_F(Checked, LetsProgramsUseWhatHelpersReturn) {
  std::array<u64, 2> values = {40, 0};
  runtime::HelperTable helpers;
  const auto value = [](u64 r1, u64, u64, u64, u64, void* user) {
    return r1 == 0 ? 0 : runtime::to_address(static_cast<u64*>(user));
  };
  ASSERT_TRUE(helpers.add(
      {.number = 1, .name = "value", .call = value, .user = values.data(), .result_bytes = 8}));
  const auto with = [&](std::vector<Insn> insns) { return run(std::move(insns), {}, helpers); };
  EXPECT_EQ(with({mov(1, 1), call(1), load(Op::LdxDw, 0, 0, 0), kExit}).r0, 40U);
  EXPECT_TRAP(with({mov(1, 1), call(1), load(Op::LdxDw, 0, 0, 1), kExit}), OutOfBounds, 2);
  EXPECT_TRAP(with({mov(1, 0), call(1), load(Op::LdxDw, 0, 0, 0), kExit}), NotAPointer, 2);
}

}  // namespace
}  // namespace skep::interp
