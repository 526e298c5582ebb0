// SPDX-License-Identifier: Apache-2.0
// Both compilations of the handlers, with and without fusing, against the switch interpreter; and
// which runs get fused.
#include "interp/threaded.h"

#include <gtest/gtest.h>

#include "interp/interp.h"
#include "interp/random_program.h"
#include "interp/threaded_table.h"

namespace skep::interp::threaded {
namespace {

using isa::ebpf::Insn;
using isa::ebpf::Op;

std::vector<const Variant*> variants() {
  std::vector<const Variant*> all = {&labels_variant()};
  if (calls_variant() != nullptr) all.push_back(calls_variant());
  return all;
}

runtime::Program program(std::vector<Insn> insns) {
  Result<runtime::Program> made = runtime::Program::make(std::move(insns));
  EXPECT_TRUE(made.has_value()) << to_string(made.error());
  return std::move(*made);
}

TEST(Threaded, EveryVariantComputesWhatTheSwitchDoes) {
  for (u32 seed = 0; seed < 3000; ++seed) {
    const runtime::Program random = program(RandomProgram(seed).make(60));
    const runtime::Outcome expected = run_switch(random, {});
    for (const Variant* variant : variants()) {
      for (const bool fuse : {false, true}) {
        const Result<Records> records = prepare(random, *variant, fuse);
        ASSERT_TRUE(records.has_value());
        ASSERT_EQ(run(*records, random, {}), expected)
            << "seed " << seed << ", " << variant->name << (fuse ? ", fused" : "");
      }
    }
  }
}

// The number of the handler that the instruction at pc got.
std::size_t handler(std::vector<Insn> insns, std::size_t pc) {
  const Result<Records> records = prepare(program(std::move(insns)), labels_variant());
  const std::uintptr_t* handlers = labels_variant().handlers();
  return static_cast<std::size_t>(
      std::find(handlers, handlers + kHandlerCount, records->first[pc].handler) - handlers);
}
std::size_t number(Fused fused) {
  return isa::ebpf::kOpCount + static_cast<std::size_t>(fused);
}
std::size_t number(Op op) {
  return static_cast<std::size_t>(op);
}

const Insn kExit{.op = Op::Exit};

TEST(Threaded, FusesAMoveWithTheOperationOnItsResult) {
  const std::vector<Insn> fits = {
      {.op = Op::Mov64X, .dst = 0, .src = 1}, {.op = Op::Add64X, .dst = 0, .src = 2}, kExit};
  EXPECT_EQ(handler(fits, 0), number(Fused::Chain_Mov64X_Add64X));
  // A jump may land on the second: it keeps its own handler.
  EXPECT_EQ(handler(fits, 1), number(Op::Add64X));
  EXPECT_EQ(
      handler(
          {{.op = Op::Mov64X, .dst = 0, .src = 1}, {.op = Op::Add64X, .dst = 0, .src = 0}, kExit},
          0),
      number(Op::Mov64X));
  EXPECT_EQ(
      handler(
          {{.op = Op::Mov64X, .dst = 3, .src = 1}, {.op = Op::Add64X, .dst = 0, .src = 2}, kExit},
          0),
      number(Op::Mov64X));
}

}  // namespace
}  // namespace skep::interp::threaded
