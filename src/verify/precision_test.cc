// SPDX-License-Identifier: Apache-2.0
// What is wanted before an instruction, given what is wanted after it.
#include "verify/precision.h"

#include <gtest/gtest.h>

namespace skep::verify {
namespace {

using isa::ebpf::Insn;
using isa::ebpf::Op;

struct Row {
  const char* what;
  Insn insn;
  Wanted after;
  Wanted before;
};

// clang-format off
const Row kRows[] = {
    {"a copy asks for its source",      {Op::Mov64X, 1, 2},        {0b0010, 0}, {0b0100, 0}},
    {"a constant asks for nothing",     {Op::Mov64K, 1, 0, 0, 5},  {0b0010, 0}, {0, 0}},
    {"an operand joins",                {Op::Add64X, 1, 2},        {0b0010, 0}, {0b0110, 0}},
    {"others do not matter",            {Op::Add64X, 1, 2},        {0b1000, 0}, {0b1000, 0}},
    {"a constant operand adds nothing", {Op::Add64K, 1, 0, 0, 5},  {0b0010, 0}, {0b0010, 0}},
    {"a fill asks for its slot",        {Op::LdxDw, 1, 10, -8},    {0b0010, 0}, {0, 0b01}},
    {"and the next slot",               {Op::LdxDw, 1, 10, -16},   {0b0010, 0}, {0, 0b10}},
    {"another load gives any number",   {Op::LdxDw, 1, 2, 0},      {0b0010, 0}, {0, 0}},
    {"a spill asks for its register",   {Op::StxDw, 10, 3, -8},    {0, 0b01},   {0b1000, 0}},
    {"a stored constant asks nothing",  {Op::StDw, 10, 0, -8, 5},  {0, 0b01},   {0, 0}},
    {"a comparison asks for both",      {Op::Jlt64X, 1, 2, 4},     {0b0010, 0}, {0b0110, 0}},
    {"with a constant for nothing",     {Op::Jlt64K, 1, 0, 4, 9},  {0b0010, 0}, {0b0010, 0}},
    {"a helper makes r0",               {Op::Call, 0, 0, 0, 7},    {0b0001, 0}, {0, 0}},
    {"an exchange loads its source",    {Op::Xchg64, 10, 2, -8},   {0b0100, 0}, {0, 0b01}},
};
// clang-format on

TEST(Precision, StepsBackOverInstructions) {
  for (const Row& row : kRows) {
    Wanted wanted = row.after;
    EXPECT_EQ(step_back(row.insn, wanted), Back::Ok) << row.what;
    EXPECT_EQ(wanted.regs, row.before.regs) << row.what;
    EXPECT_EQ(wanted.slots, row.before.slots) << row.what;
  }
}

TEST(Precision, CallsAndReturnsCannotBeSteppedOver) {
  for (const Insn& insn :
       {Insn{Op::CallLocal, 0, 0, 0, 3}, Insn{Op::Exit}, Insn{Op::Call, 0, 0, 0, helper::kLoop}}) {
    Wanted wanted{0b0100'0000, 0};
    EXPECT_EQ(step_back(insn, wanted), Back::Unknown);
  }
}

TEST(Precision, ArgumentsOfAHelperCannotComeFromBehindIt) {
  Wanted wanted{0b0010, 0};
  EXPECT_EQ(step_back({Op::Call, 0, 0, 0, 7}, wanted), Back::Bug);
}

}  // namespace
}  // namespace skep::verify
