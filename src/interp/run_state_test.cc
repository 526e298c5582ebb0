// SPDX-License-Identifier: Apache-2.0
// What programs that run for a hook get from their RunState, on every engine.
#include "runtime/run_state.h"

#include <array>

#include "interp/every_engine.h"

namespace skep::interp {
namespace {

using runtime::RunInput;
using runtime::RunState;

u64 cpu_of(u64, u64, u64, u64, u64, void* user) {
  return static_cast<const RunState*>(user)->cpu;
}
u64 number_of(u64, u64, u64, u64, u64, void* user) {
  return *static_cast<const u32*>(user);
}

TEST_P(EveryEngine, GivesHelpersTheStateOrTheirOwnPointer) {
  u32 number = 400;
  runtime::HelperTable helpers;
  ASSERT_TRUE(helpers.add({.number = 8, .name = "cpu", .call = cpu_of, .wants_run_state = true}));
  ASSERT_TRUE(helpers.add({.number = 9, .name = "number", .call = number_of, .user = &number}));
  RunState state{.cpu = 33};
  EXPECT_EQ(r0({call(8), mov_reg(6, 0), call(9), add_reg(0, 6), kExit}, {.state = &state}, helpers),
            433U);
}

TEST_P(EveryEngine, StartsWithTheContext) {
  alignas(8) std::array<u8, 8> context = {};
  RunState state{.context = context.data()};
  EXPECT_EQ(r0({mov_reg(0, 1), kExit}, {.state = &state}), runtime::to_address(context.data()));
}

TEST_P(EveryEngine, ReadsTheStatesPacket) {
  const std::array<u8, 4> packet = {1, 2, 3, 4};
  RunState state{.packet = packet, .network_offset = 2};
  EXPECT_EQ(r0({{.op = Op::LdAbsH, .imm = 1}, kExit}, {.state = &state}), 0x0203U);
  EXPECT_EQ(r0({{.op = Op::LdAbsB, .imm = -0x100000 + 1}, kExit}, {.state = &state}), 4U);
  EXPECT_EQ(r0({{.op = Op::LdAbsB, .imm = 4}, kExit}, {.state = &state}), 0U);
}

}  // namespace
}  // namespace skep::interp
