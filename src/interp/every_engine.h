// SPDX-License-Identifier: Apache-2.0
// For tests of the interpreters: short ways to write instructions, and a fixture whose tests run on
// every engine (TEST_P(EveryEngine, ...) in any of the room's test files; interp_test.cc makes the
// instances).
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "interp/interp.h"

namespace skep::interp {

using isa::ebpf::Insn;
using isa::ebpf::Op;

inline const Insn kExit{.op = Op::Exit};

inline Insn mov(u8 dst, s64 imm) {
  return {.op = Op::Mov64K, .dst = dst, .imm = imm};
}
inline Insn mov_reg(u8 dst, u8 src) {
  return {.op = Op::Mov64X, .dst = dst, .src = src};
}
inline Insn add(u8 dst, s64 imm) {
  return {.op = Op::Add64K, .dst = dst, .imm = imm};
}
inline Insn add_reg(u8 dst, u8 src) {
  return {.op = Op::Add64X, .dst = dst, .src = src};
}
inline Insn load(Op op, u8 dst, u8 src, s16 off) {
  return {.op = op, .dst = dst, .src = src, .off = off};
}
inline Insn store(Op op, u8 dst, s16 off, u8 src) {
  return {.op = op, .dst = dst, .src = src, .off = off};
}
inline Insn store_imm(Op op, u8 dst, s16 off, s64 imm) {
  return {.op = op, .dst = dst, .off = off, .imm = imm};
}
inline Insn call(u32 helper) {
  return {.op = Op::Call, .imm = helper};
}
/// A call of the function that starts distance instructions behind the next one.
inline Insn call_local(s64 distance) {
  return {.op = Op::CallLocal, .src = 1, .imm = distance};
}
/// Two slots.
inline std::vector<Insn> constant(u8 dst, u64 value) {
  return {{.op = Op::Lddw, .dst = dst, .imm = static_cast<s64>(value)}, {.op = Op::LddwHigh}};
}
inline std::vector<Insn> concat(std::initializer_list<std::vector<Insn>> parts) {
  std::vector<Insn> all;
  for (const std::vector<Insn>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// The program for one engine; a failure of the test where it cannot be made.
inline Executable executable(std::vector<Insn> insns, const runtime::HelperTable& helpers,
                             Engine engine) {
  Result<runtime::Program> program = runtime::Program::make(std::move(insns), helpers);
  EXPECT_TRUE(program.has_value()) << to_string(program.error());
  Result<Executable> made = Executable::make(std::move(*program), engine);
  EXPECT_TRUE(made.has_value()) << to_string(made.error());
  return std::move(*made);
}

class EveryEngine : public testing::TestWithParam<Engine> {
 protected:
  runtime::Outcome run(std::vector<Insn> insns, const runtime::RunInput& input = {},
                       const runtime::HelperTable& helpers = {}) {
    return executable(std::move(insns), helpers, GetParam()).run(input);
  }
  u64 r0(std::vector<Insn> insns, const runtime::RunInput& input = {},
         const runtime::HelperTable& helpers = {}) {
    const runtime::Outcome outcome = run(std::move(insns), input, helpers);
    EXPECT_EQ(outcome.trap, runtime::Trap::None) << to_string(outcome.trap) << " at " << outcome.pc;
    return outcome.r0;
  }
};

}  // namespace skep::interp
