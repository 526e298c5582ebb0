// SPDX-License-Identifier: Apache-2.0
// The handlers, with and without fusing, against the switch interpreter; and
// which runs get fused.
#include "interp/threaded.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "interp/interp.h"
#include "interp/random_program.h"
#include "interp/threaded_ops.h"
#include "interp/threaded_table.h"

namespace skep::interp::threaded {
namespace {

using isa::ebpf::Insn;
using isa::ebpf::Op;

runtime::Program program(std::vector<Insn> insns) {
  Result<runtime::Program> made = runtime::Program::make(std::move(insns));
  EXPECT_TRUE(made.has_value()) << to_string(made.error());
  return std::move(*made);
}

TEST(Threaded, ComputesWhatTheSwitchDoes) {
  for (u32 seed = 0; seed < 3000; ++seed) {
    const runtime::Program random = program(RandomProgram(seed).make(60));
    const runtime::Outcome expected = run_switch(random, {});
    for (const Variant* handlers : {&variant()}) {
      for (const bool fuse : {false, true}) {
        const Result<Records> records = prepare(random, *handlers, fuse);
        ASSERT_TRUE(records.has_value());
        ASSERT_EQ(run(*records, random, {}), expected)
            << "seed " << seed << ", " << handlers->name << (fuse ? ", fused" : "");
      }
    }
  }
}

// A row of threaded_fused.def as instructions. Registers: r6 points into the stack, r7 is 8, r1-r3
// are numbers; links are made true, sources otherwise drawn.
struct Row {
  std::string name;
  std::vector<Step> steps;
};

std::vector<Row> rows() {
  // clang-format off
  return {
#define STEP(link, op) Step{Link::link, Op::op}
#define FUSE2(a, l1, b) {#a " " #l1 " " #b, {STEP(then, a), STEP(l1, b)}},
#define FUSE3(a, l1, b, l2, c) \
  {#a " " #l1 " " #b " " #l2 " " #c, {STEP(then, a), STEP(l1, b), STEP(l2, c)}},
#define FUSE4(a, l1, b, l2, c, l3, d) \
  {#a " " #l1 " " #b " " #l2 " " #c " " #l3 " " #d, \
   {STEP(then, a), STEP(l1, b), STEP(l2, c), STEP(l3, d)}},
#define ROTATE(name, ...) {#name, {}},
#include "interp/threaded_fused.def"
#undef STEP
  };
  // clang-format on
}

class RowProgram {
 public:
  RowProgram(const Row& row, u32 seed) : random_(seed) {
    for (u8 reg = 0; reg < 6; ++reg) {
      code_.push_back({.op = Op::Lddw, .dst = reg, .imm = static_cast<s64>(word())});
      code_.push_back({.op = Op::LddwHigh});
    }
    for (s16 off = -64; off < 0; off = static_cast<s16>(off + 8)) {
      code_.push_back({.op = Op::StxDw, .dst = 10, .src = pick({0, 1, 2, 3}), .off = off});
    }
    code_.push_back({.op = Op::Mov64X, .dst = 6, .src = 10});
    code_.push_back({.op = Op::Add64K, .dst = 6, .imm = -48});
    code_.push_back({.op = Op::Mov64K, .dst = 7, .imm = 8});
    start = code_.size();
    pointers_ = std::any_of(row.steps.begin(), row.steps.end(), [](const Step& step) {
      return step.link == Link::addr || step.link == Link::base;
    });
    for (std::size_t i = 0; i < row.steps.size(); ++i) add(row.steps, i);
    finish();
  }
  std::vector<Insn> take() { return std::move(code_); }
  std::size_t start = 0;  ///< where the run begins

 private:
  u64 word() { return (u64{random_()} << 32) | random_(); }
  u8 pick(std::initializer_list<int> regs) {
    return static_cast<u8>(regs.begin()[random_() % regs.size()]);
  }

  void add(const std::vector<Step>& steps, std::size_t at) {
    const isa::ebpf::OpInfo& facts = info(steps[at].op);
    const Link link = steps[at].link;
    Insn insn{.op = steps[at].op, .dst = pick({1, 2, 3}), .src = 0};
    const u8 before = at > 0 ? code_.back().dst : u8{0};
    const bool moves = facts.kind == isa::ebpf::Kind::Alu && facts.alu == isa::ebpf::AluOp::Mov;
    if (pointers_ && at == 0 && !moves) insn.dst = 6;
    if (link == Link::same || link == Link::addr) insn.dst = before;
    if (facts.source == isa::ebpf::Source::K) {
      insn.imm = pointers_ ? 8 : static_cast<s32>(random_());
    } else {
      do {
        insn.src = pointers_ ? (moves ? u8{6} : u8{7}) : pick({1, 2, 3, 4, 5});
      } while (link == Link::same && insn.src == before);
    }
    using isa::ebpf::Kind;
    if (facts.kind == Kind::Ldx) {
      const bool linked = link == Link::addr || link == Link::base;
      insn.src = linked ? before : u8{10};
      insn.off = linked ? s16{4} : s16{-24};
    } else if (facts.kind == Kind::Stx) {
      insn.dst = 10;
      insn.off = -16;
    } else if (facts.kind == Kind::Jmp) {
      insn.off = 1;
      // Often equal, so that both arms are taken.
      if (facts.source == isa::ebpf::Source::K) insn.imm = pick({0, 1, -1, 8});
    }
    if (moves || facts.kind == Kind::Ldx) points_[insn.dst] = moves && insn.src == 6;
    code_.push_back(insn);
  }
  void finish() {
    // Where the stack lies must not reach r0.
    for (u8 reg = 1; reg < 6; ++reg) {
      if (points_[reg]) code_.push_back({.op = Op::Sub64X, .dst = reg, .src = 10});
    }
    code_.push_back({.op = Op::Mul64K, .dst = 0, .imm = 77});
    for (u8 reg = 1; reg < 6; ++reg) {
      code_.push_back({.op = Op::Mul64K, .dst = 0, .imm = 0x01000193});
      code_.push_back({.op = Op::Xor64X, .dst = 0, .src = reg});
    }
    code_.push_back({.op = Op::LdxDw, .dst = 1, .src = 10, .off = -16});
    code_.push_back({.op = Op::Xor64X, .dst = 0, .src = 1});
    code_.push_back({.op = Op::Exit});
  }

  std::mt19937 random_;
  std::vector<Insn> code_;
  bool pointers_ = false;
  std::array<bool, 11> points_{};
};

std::size_t number_of(const Variant& handlers_of, std::uintptr_t handler) {
  const std::uintptr_t* handlers = handlers_of.handlers();
  return static_cast<std::size_t>(std::find(handlers, handlers + kHandlerCount, handler) -
                                  handlers);
}

TEST(Threaded, EveryFusedRunComputesWhatItsOperationsDo) {
  const std::vector<Row> all = rows();
  ASSERT_EQ(all.size(), static_cast<std::size_t>(Fused::End));
  for (const Variant* handlers : {&variant()}) {
    for (std::size_t row = 0; row < all.size(); ++row) {
      if (all[row].steps.empty()) continue;  // rotations have a test of their own
      bool used = false;
      for (u32 seed = 0; seed < 20; ++seed) {
        RowProgram made(all[row], seed);
        const std::size_t start = made.start;
        const runtime::Program made_program = program(made.take());
        const Result<Records> records = prepare(made_program, *handlers);
        used |= number_of(*handlers, records->first[start].handler) == isa::ebpf::kOpCount + row;
        ASSERT_EQ(run(*records, made_program, {}), run_switch(made_program, {}))
            << all[row].name << ", seed " << seed << ", " << handlers->name;
      }
      EXPECT_TRUE(used) << all[row].name << " is never chosen";
    }
  }
}

// xor x, y | mov t, x | rsh t, k | (mov u, x) | lsh, n | or, then all three registers into r0.
std::vector<Insn> rotation(bool wide, bool copies, u8 x, u8 t, u8 u, s64 left) {
  const Op mov = wide ? Op::Mov64X : Op::Mov32X;
  std::vector<Insn> code;
  for (u8 reg = 0; reg < 5; ++reg) {
    code.push_back({.op = Op::Lddw, .dst = reg, .imm = s64{reg + 1} * 0x123456789abcdef});
    code.push_back({.op = Op::LddwHigh});
  }
  code.push_back({.op = wide ? Op::Xor64X : Op::Xor32X, .dst = x, .src = 4});
  code.push_back({.op = mov, .dst = t, .src = x});
  code.push_back({.op = wide ? Op::Rsh64K : Op::Rsh32K, .dst = t, .imm = (wide ? 64 : 32) - left});
  if (copies) code.push_back({.op = mov, .dst = u, .src = x});
  const u8 to = copies ? u : x;
  code.push_back({.op = wide ? Op::Lsh64K : Op::Lsh32K, .dst = to, .imm = left});
  code.push_back({.op = wide ? Op::Or64X : Op::Or32X, .dst = to, .src = t});
  for (u8 reg = 1; reg < 5; ++reg) {
    code.push_back({.op = Op::Mul64K, .dst = 0, .imm = 31});
    code.push_back({.op = Op::Add64X, .dst = 0, .src = reg});
  }
  code.push_back({.op = Op::Exit});
  return code;
}

TEST(Threaded, RotationsComputeWhatTheirOperationsDo) {
  std::vector<bool> used(kHandlerCount);
  for (const Variant* handlers : {&variant()}) {
    for (u32 bits = 0; bits < 4 * 64; ++bits) {
      const u8 x = 1 + (bits >> 2) % 4, t = 1 + (bits >> 4) % 4, u = 1 + (bits >> 6) % 4;
      for (const s64 left : {1, 13, 31}) {
        const runtime::Program made =
            program(rotation((bits & 1) != 0, (bits & 2) != 0, x, t, u, left));
        const Result<Records> records = prepare(made, *handlers);
        for (std::size_t pc = 10; pc < 12; ++pc) {
          used[number_of(*handlers, records->first[pc].handler)] = true;
        }
        ASSERT_EQ(run(*records, made, {}), run_switch(made, {}))
            << bits << " " << left << " " << handlers->name;
      }
    }
  }
  for (const Fused fused :
       {Fused::Rotate64, Fused::Rotate32, Fused::RotateTo64, Fused::RotateTo32, Fused::XorRotate64,
        Fused::XorRotate32, Fused::XorRotateTo64, Fused::XorRotateTo32}) {
    EXPECT_TRUE(used[isa::ebpf::kOpCount + static_cast<std::size_t>(fused)]);
  }
}

// The number of the handler that the instruction at pc got.
std::size_t handler(std::vector<Insn> insns, std::size_t pc) {
  const Result<Records> records = prepare(program(std::move(insns)), variant());
  return number_of(variant(), records->first[pc].handler);
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
      {.op = Op::Mov64X, .dst = 0, .src = 1}, {.op = Op::Mod64X, .dst = 0, .src = 2}, kExit};
  EXPECT_EQ(handler(fits, 0), number(Fused::Mov64X_same_Mod64X));
  // A jump may land on the second: it keeps its own handler.
  EXPECT_EQ(handler(fits, 1), number(Op::Mod64X));
  EXPECT_EQ(
      handler(
          {{.op = Op::Mov64X, .dst = 0, .src = 1}, {.op = Op::Mod64X, .dst = 0, .src = 0}, kExit},
          0),
      number(Op::Mov64X));
  EXPECT_EQ(
      handler(
          {{.op = Op::Mov64X, .dst = 3, .src = 1}, {.op = Op::Mod64X, .dst = 0, .src = 2}, kExit},
          0),
      number(Op::Mov64X));
}

}  // namespace
}  // namespace skep::interp::threaded
