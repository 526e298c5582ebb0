// SPDX-License-Identifier: Apache-2.0
// What is printed is read back: every operation of the table, in every notation, with corner and
// random operands.
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <set>

#include "asm/ebpf_assembler.h"
#include "asm/ebpf_disassembler.h"
#include "asm/ebpf_names.h"
#include "isa/ebpf_codec.h"

namespace skep::assembler::ebpf {
namespace {

using namespace isa::ebpf;  // NOLINT: a test file

constexpr Notation kNotations[] = {Notation::Llvm, Notation::Kernel, Notation::Mnemonic};

template <class T>
T pick(std::mt19937_64& random) {
  constexpr T kCorners[] = {
      0, 1, 5, std::numeric_limits<T>::max(), std::numeric_limits<T>::min(), T{-1}};
  if (random() % 2 == 0) return kCorners[random() % std::size(kCorners)];
  return static_cast<T>(random());
}

/// The operation with operands where it has some.
Insn random_insn(Op op, std::mt19937_64& random) {
  const OpInfo& facts = info(op);
  Insn insn{.op = op};
  if ((facts.fields & kDst) != 0) insn.dst = static_cast<u8>(random() % kRegisterCount);
  if ((facts.fields & kSrc) != 0) insn.src = static_cast<u8>(random() % kRegisterCount);
  if ((facts.fields & kOff) != 0) insn.off = pick<s16>(random);
  if ((facts.fields & kImm) != 0) insn.imm = pick<s32>(random);
  if (facts.kind == Kind::Lddw) insn.imm = pick<s64>(random);
  return insn;
}

TEST(RoundTrip, EveryOperationInEveryNotation) {
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i < kOpCount; ++i) {
    const Op op = static_cast<Op>(i);
    if (op == Op::LddwHigh) continue;
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::vector<Insn> program = {random_insn(op, random)};
      if (info(op).kind == Kind::Lddw) program.push_back(Insn{.op = Op::LddwHigh});
      for (Notation notation : kNotations) {
        const std::string text = disassemble(program, notation);
        const auto again = assemble(text);
        ASSERT_TRUE(again.has_value()) << text << to_string(again.error());
        ASSERT_EQ(*again, program) << text;
      }
    }
  }
}

TEST(RoundTrip, WholeProgramsWithIndexes) {
  std::mt19937_64 random(2);
  std::vector<Insn> program;
  for (int i = 0; i < 2000; ++i) {
    const Op op = static_cast<Op>(random() % (kOpCount - 1));
    program.push_back(random_insn(op, random));
    if (info(op).kind == Kind::Lddw) program.push_back(Insn{.op = Op::LddwHigh});
  }
  for (Notation notation : kNotations) {
    const auto again = assemble(disassemble(program, notation, {.indexes = true}));
    ASSERT_TRUE(again.has_value()) << to_string(again.error());
    EXPECT_EQ(*again, program);
  }
}

TEST(RoundTrip, TextSurvivesTheBytesToo) {
  std::mt19937_64 random(3);
  std::vector<Insn> program;
  for (std::size_t i = 0; i + 1 < kOpCount; ++i) {
    program.push_back(random_insn(static_cast<Op>(i), random));
    if (info(program.back().op).kind == Kind::Lddw) program.push_back(Insn{.op = Op::LddwHigh});
  }
  const auto decoded = decode(encode(program));
  ASSERT_TRUE(decoded.has_value()) << to_string(decoded.error());
  EXPECT_EQ(disassemble(*decoded, Notation::Llvm), disassemble(program, Notation::Llvm));
}

TEST(Names, NoTwoOperationsShareNameAndOperands) {
  std::set<std::string> seen;
  for (const OpInfo& op : kOpInfo) {
    if (op.kind == Kind::LddwHigh) continue;
    const std::string both = mnemonic(op) + " " + std::string(operands(op));
    EXPECT_TRUE(seen.insert(both).second) << both;
  }
}

}  // namespace
}  // namespace skep::assembler::ebpf
