// SPDX-License-Identifier: Apache-2.0
// The same programs on every engine, with literal results; and each ALU operation and jump against
// isa/semantics.h with corner values.
#include "interp/interp.h"

#include "interp/every_engine.h"
#include "isa/semantics.h"
#include "runtime/access.h"

namespace skep::interp {
namespace {

using isa::ebpf::Kind;
using runtime::Outcome;
using runtime::RunInput;
using runtime::Trap;

INSTANTIATE_TEST_SUITE_P(Interp, EveryEngine, testing::ValuesIn(kEngines),
                         [](const auto& name) { return std::string(to_string(name.param)); });

const std::vector<u64> kCorners = {0,
                                   1,
                                   2,
                                   31,
                                   33,
                                   64,
                                   0x7f,
                                   0x80,
                                   0xffff,
                                   0x7fffffff,
                                   0x80000000,
                                   0xffffffff,
                                   0x123456789abcdef0,
                                   0x7fffffffffffffff,
                                   0x8000000000000000,
                                   0xfffffffffffffffe,
                                   0xffffffffffffffff};

// What semantics.h says, found at run time from the row; the engines find it at compile time.
u64 expected_value(const isa::ebpf::OpInfo& facts, u64 dst, u64 operand) {
  const bool wide = facts.width == 64;
  const u32 dst32 = static_cast<u32>(dst);
  const u32 operand32 = static_cast<u32>(operand);
  if (facts.kind == Kind::Alu) {
    return wide ? isa::ebpf::eval<u64>(facts.alu, dst, operand)
                : isa::ebpf::eval<u32>(facts.alu, dst32, operand32);
  }
  if (facts.kind == Kind::MovSx) {
    return wide ? isa::ebpf::sign_extend<u64>(operand, facts.from_bits)
                : isa::ebpf::sign_extend<u32>(operand32, facts.from_bits);
  }
  if (facts.kind == Kind::Neg) return wide ? isa::ebpf::negate(dst) : isa::ebpf::negate(dst32);
  return isa::ebpf::swap(facts.end, dst);
}

bool expected_taken(const isa::ebpf::OpInfo& facts, u64 dst, u64 operand) {
  return facts.width == 64
             ? isa::ebpf::holds<u64>(facts.jmp, dst, operand)
             : isa::ebpf::holds<u32>(facts.jmp, static_cast<u32>(dst), static_cast<u32>(operand));
}

TEST_P(EveryEngine, ComputesWhatTheSemanticsSay) {
  for (std::size_t i = 0; i < isa::ebpf::kOpCount; ++i) {
    const Op op = static_cast<Op>(i);
    const isa::ebpf::OpInfo& facts = info(op);
    const bool value = facts.kind == Kind::Alu || facts.kind == Kind::MovSx ||
                       facts.kind == Kind::Neg || facts.kind == Kind::End;
    if (!value && facts.kind != Kind::Jmp) continue;
    const bool immediate = facts.source == isa::ebpf::Source::K;
    for (const u64 a : kCorners) {
      for (const u64 corner : kCorners) {
        const u64 b = immediate ? static_cast<u64>(s64{static_cast<s32>(corner)}) : corner;
        Insn insn{.op = op, .dst = 3, .src = 4, .imm = immediate ? static_cast<s64>(b) : 0};
        if (value) {
          EXPECT_EQ(r0(concat({constant(3, a), constant(4, b), {insn, mov_reg(0, 3), kExit}})),
                    expected_value(facts, a, b))
              << facts.name << " " << a << " " << b;
        } else {
          insn.off = 1;
          EXPECT_EQ(
              r0(concat({constant(3, a), constant(4, b), {mov(0, 1), insn, mov(0, 0), kExit}})),
              expected_taken(facts, a, b) ? 1U : 0U)
              << facts.name << " " << a << " " << b;
        }
      }
    }
  }
}

TEST_P(EveryEngine, ComputesWithOneRegisterAsBothOperands) {
  EXPECT_EQ(r0({mov(0, 21), {.op = Op::Add64X, .dst = 0, .src = 0}, kExit}), 42U);
  EXPECT_EQ(r0({mov(0, -1), {.op = Op::Xor32X, .dst = 0, .src = 0}, kExit}), 0U);
}

TEST_P(EveryEngine, LoadsAndStoresEveryWidthInMemory) {
  std::vector<u8> memory = {0x80, 0x91, 0xa2, 0xb3, 0xc4, 0xd5, 0xe6, 0xf7, 0, 0, 0, 0, 0, 0, 0, 0};
  const RunInput input{.memory = memory};
  const auto loaded = [&](Op op, s16 off) {
    return r0({{.op = op, .dst = 0, .src = 1, .off = off}, kExit}, input);
  };
  EXPECT_EQ(loaded(Op::LdxB, 1), 0x91U);
  EXPECT_EQ(loaded(Op::LdxH, 1), 0xa291U);
  EXPECT_EQ(loaded(Op::LdxW, 3), 0xe6d5c4b3U);
  EXPECT_EQ(loaded(Op::LdxDw, 0), 0xf7e6d5c4b3a29180U);
  EXPECT_EQ(loaded(Op::LdxSxB, 0), 0xffffffffffffff80U);
  EXPECT_EQ(loaded(Op::LdxSxH, 1), 0xffffffffffffa291U);
  EXPECT_EQ(loaded(Op::LdxSxW, 4), 0xfffffffff7e6d5c4U);

  const auto stored = [&](Op op) {
    const bool immediate = info(op).source == isa::ebpf::Source::K;
    run({mov(3, -2),
         {.op = op, .dst = 1, .src = 3, .off = 8, .imm = immediate ? -2 : 0},
         {.op = Op::LdxDw, .dst = 0, .src = 1, .off = 8},
         kExit},
        input);
    const u64 result = load_host<u64>(memory.data() + 8);
    store_host<u64>(memory.data() + 8, 0);
    return result;
  };
  EXPECT_EQ(stored(Op::StB), 0xfeU);
  EXPECT_EQ(stored(Op::StxB), 0xfeU);
  EXPECT_EQ(stored(Op::StH), 0xfffeU);
  EXPECT_EQ(stored(Op::StxH), 0xfffeU);
  EXPECT_EQ(stored(Op::StW), 0xfffffffeU);
  EXPECT_EQ(stored(Op::StxW), 0xfffffffeU);
  EXPECT_EQ(stored(Op::StDw), 0xfffffffffffffffeU);
  EXPECT_EQ(stored(Op::StxDw), 0xfffffffffffffffeU);
}

TEST_P(EveryEngine, PassesMemoryInTheFirstTwoRegisters) {
  std::vector<u8> memory(5);
  EXPECT_EQ(r0({mov_reg(0, 2), kExit}, {.memory = memory}), 5U);
  EXPECT_EQ(r0({mov_reg(0, 1), kExit}, {.memory = memory}), runtime::to_address(memory.data()));
  EXPECT_EQ(r0({mov_reg(0, 1), kExit}), 0U);
}

TEST_P(EveryEngine, HasAStackOf512Bytes) {
  EXPECT_EQ(r0({{.op = Op::StDw, .dst = 10, .off = -512, .imm = 7},
                {.op = Op::StDw, .dst = 10, .off = -8, .imm = 8},
                {.op = Op::LdxDw, .dst = 0, .src = 10, .off = -512},
                {.op = Op::LdxDw, .dst = 1, .src = 10, .off = -8},
                {.op = Op::Add64X, .dst = 0, .src = 1},
                kExit}),
            15U);
}

TEST_P(EveryEngine, Loops) {
  // r0 = 1 + 2 + ... + 100, counted with a backward jump.
  EXPECT_EQ(r0({mov(0, 0),
                mov(3, 100),
                {.op = Op::Add64X, .dst = 0, .src = 3},
                add(3, -1),
                {.op = Op::Jne64K, .dst = 3, .off = -3, .imm = 0},
                kExit}),
            5050U);
  EXPECT_EQ(r0({mov(0, 1), {.op = Op::Ja32, .imm = 1}, mov(0, 2), kExit}), 1U);
  EXPECT_EQ(r0({{.op = Op::Ja, .off = 2}, mov(0, 3), kExit, {.op = Op::Ja, .off = -3}}), 3U);
}

TEST_P(EveryEngine, KeepsCalleeSavedRegistersAndFrames) {
  // Caller: r6..r9 and a stack slot, then f(5); f overwrites all of them and returns r1 * 2.
  EXPECT_EQ(r0({mov(6, 1),
                mov(7, 2),
                mov(8, 3),
                mov(9, 4),
                {.op = Op::StDw, .dst = 10, .off = -8, .imm = 100},
                mov(1, 5),
                {.op = Op::CallLocal, .src = 1, .imm = 8},
                {.op = Op::Add64X, .dst = 0, .src = 6},
                {.op = Op::Add64X, .dst = 0, .src = 7},
                {.op = Op::Add64X, .dst = 0, .src = 8},
                {.op = Op::Add64X, .dst = 0, .src = 9},
                {.op = Op::LdxDw, .dst = 3, .src = 10, .off = -8},
                {.op = Op::Add64X, .dst = 0, .src = 3},
                kExit,
                mov_reg(0, 1),  // never executed
                mov(6, 50),
                mov(7, 60),
                mov(8, 70),
                mov(9, 80),
                {.op = Op::StDw, .dst = 10, .off = -8, .imm = 999},
                mov_reg(0, 1),
                {.op = Op::Add64X, .dst = 0, .src = 1},
                kExit}),
            10U + 1 + 2 + 3 + 4 + 100);
}

TEST_P(EveryEngine, GivesACalleeTheCallersStack) {
  EXPECT_EQ(r0({{.op = Op::StDw, .dst = 10, .off = -16, .imm = 6},
                mov_reg(1, 10),
                add(1, -16),
                {.op = Op::CallLocal, .src = 1, .imm = 2},
                {.op = Op::LdxDw, .dst = 0, .src = 10, .off = -16},
                kExit,
                {.op = Op::StDw, .dst = 1, .off = 0, .imm = 77},
                mov(0, 0),
                kExit}),
            77U);
}

// f(n) = n == 0 ? 0 : f(n - 1) + 1
std::vector<Insn> recursion(s64 depth) {
  return {mov(1, depth),
          {.op = Op::CallLocal, .src = 1, .imm = 1},
          kExit,
          mov(0, 0),
          {.op = Op::Jeq64K, .dst = 1, .off = 3, .imm = 0},
          add(1, -1),
          {.op = Op::CallLocal, .src = 1, .imm = -4},
          add(0, 1),
          kExit};
}

TEST_P(EveryEngine, HasEightFrames) {
  EXPECT_EQ(r0(recursion(6)), 6U);
  EXPECT_EQ(run(recursion(7)), (Outcome{.r0 = 0, .trap = Trap::StackOverflow, .pc = 6}));
}

TEST_P(EveryEngine, NamesTheExitThatEndedTheRun) {
  EXPECT_EQ(run({mov(0, 9), {.op = Op::Jeq64K, .dst = 0, .off = 1, .imm = 9}, kExit, kExit}),
            (Outcome{.r0 = 9, .trap = Trap::None, .pc = 3}));
}

TEST_P(EveryEngine, CallsHelpersWithFiveArguments) {
  u64 user = 100000;
  runtime::HelperTable helpers;
  const auto digits = [](u64 r1, u64 r2, u64 r3, u64 r4, u64 r5, void* base) {
    return *static_cast<u64*>(base) + r1 * 10000 + r2 * 1000 + r3 * 100 + r4 * 10 + r5;
  };
  const auto other = [](u64 r1, u64, u64, u64, u64, void*) { return r1 + 1; };
  ASSERT_TRUE(helpers.add({.number = 6, .name = "digits", .call = digits, .user = &user}));
  ASSERT_TRUE(helpers.add({.number = 2, .name = "other", .call = other}));
  const Outcome outcome = run({mov(1, 1),
                               mov(2, 2),
                               mov(3, 3),
                               mov(4, 4),
                               mov(5, 5),
                               {.op = Op::Call, .imm = 6},
                               mov_reg(1, 0),
                               {.op = Op::Call, .imm = 2},
                               kExit},
                              {}, helpers);
  EXPECT_EQ(outcome.trap, Trap::None);
  EXPECT_EQ(outcome.r0, 112346U);
}

TEST_P(EveryEngine, DoesAtomicsInMemory) {
  alignas(8) std::array<u8, 16> memory{};
  const RunInput input{.memory = memory};
  const auto after = [&](Op op, u64 old, s64 source, s64 r0_before) {
    store_host<u64>(memory.data() + 8, old);
    return r0({mov(0, r0_before),
               mov(3, source),
               {.op = op, .dst = 1, .src = 3, .off = 8},
               {.op = Op::Lsh64K, .dst = 3, .imm = 8},
               {.op = Op::Or64X, .dst = 0, .src = 3},
               kExit},
              input);
  };
  const auto left = [&] { return load_host<u64>(memory.data() + 8); };
  EXPECT_EQ(after(Op::AtomicAdd64, 5, 2, 0), 0x200U);
  EXPECT_EQ(left(), 7U);
  EXPECT_EQ(after(Op::FetchAdd64, 5, 2, 0), 0x500U);
  EXPECT_EQ(left(), 7U);
  EXPECT_EQ(after(Op::FetchAdd32, 0x1ffffffff, 2, 0), 0xffffffff00U);
  EXPECT_EQ(left(), 0x100000001U);
  EXPECT_EQ(after(Op::Xchg64, 5, 2, 0), 0x500U);
  EXPECT_EQ(left(), 2U);
  EXPECT_EQ(after(Op::CmpXchg64, 5, 2, 5), 0x205U);
  EXPECT_EQ(left(), 2U);
  EXPECT_EQ(after(Op::CmpXchg64, 6, 2, 5), 0x206U);
  EXPECT_EQ(left(), 6U);
  EXPECT_EQ(after(Op::StoreRelDw, 6, 2, 1), 0x201U);
  EXPECT_EQ(left(), 2U);
  EXPECT_EQ(r0({{.op = Op::LoadAcqB, .dst = 0, .src = 1, .off = 8}, kExit}, input), 2U);
}

TEST_P(EveryEngine, TrapsOnMisalignedAtomics) {
  alignas(8) std::array<u8, 16> memory{};
  EXPECT_EQ(
      run({mov(3, 1), {.op = Op::AtomicAdd64, .dst = 1, .src = 3, .off = 4}, mov(0, 0), kExit},
          {.memory = memory}),
      (Outcome{.r0 = 0, .trap = Trap::Misaligned, .pc = 1}));
  EXPECT_EQ(
      run({{.op = Op::LoadAcqW, .dst = 0, .src = 1, .off = 2}, kExit}, {.memory = memory}).trap,
      Trap::Misaligned);
}

TEST_P(EveryEngine, ReadsThePacketBigEndian) {
  const std::vector<u8> packet = {1, 2, 3, 4, 5};
  const RunInput input{.memory = {}, .packet = packet};
  EXPECT_EQ(r0({{.op = Op::LdAbsW, .imm = 1}, kExit}, input), 0x02030405U);
  EXPECT_EQ(r0({{.op = Op::LdAbsH, .imm = 0}, kExit}, input), 0x0102U);
  EXPECT_EQ(r0({mov(7, 3), {.op = Op::LdIndB, .src = 7, .imm = 1}, kExit}, input), 5U);
  EXPECT_EQ(r0({mov(7, -1), {.op = Op::LdIndB, .src = 7, .imm = 1}, kExit}, input), 1U);
}

TEST_P(EveryEngine, EndsTheFunctionWithZeroOutsideOfThePacket) {
  const std::vector<u8> packet = {1, 2, 3};
  const RunInput input{.memory = {}, .packet = packet};
  EXPECT_EQ(run({mov(0, 9), {.op = Op::LdAbsW, .imm = 0}, mov(0, 1), kExit}, input),
            (Outcome{.r0 = 0, .trap = Trap::None, .pc = 1}));
  // In a callee the caller goes on.
  EXPECT_EQ(r0({{.op = Op::CallLocal, .src = 1, .imm = 2},
                add(0, 4),
                kExit,
                {.op = Op::LdAbsW, .imm = 0},
                mov(0, 1),
                kExit},
               input),
            4U);
}

TEST_P(EveryEngine, LimitsMayGoto) {
  // 0: r0 = 0; 1: may_goto 4; 2: r0 += 1; 3: goto 1; 4: exit
  EXPECT_EQ(
      r0({mov(0, 0), {.op = Op::MayGoto, .off = 2}, add(0, 1), {.op = Op::Ja, .off = -3}, kExit}),
      u64{runtime::kMayGotoLoops});
}

TEST(Engines, HaveNames) {
  for (const Engine engine : kEngines) {
    ASSERT_TRUE(parse_engine(to_string(engine)).has_value());
    EXPECT_EQ(*parse_engine(to_string(engine)), engine);
  }
  EXPECT_EQ(parse_engine("jit").error().message,
            "no engine is called 'jit'; there are: switch, threaded, checked");
}

}  // namespace
}  // namespace skep::interp
