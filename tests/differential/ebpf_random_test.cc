// SPDX-License-Identifier: Apache-2.0
// Random valid eBPF programs: every interpreter gives the same r0 and leaves the same memory as the
// switch reference; programs of numbers and stack only give the same as the running kernel, where
// it may be asked. SKEP_LONG=1 in the environment: a hundred times the work.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "asm/ebpf_disassembler.h"
#include "interp/interp.h"
#include "tests/support/kernel_filter.h"
#include "tests/support/random_ebpf.h"
#include "tests/support/shrink.h"

namespace skep {
namespace {

using isa::ebpf::Insn;

u32 times(u32 normal) {
  return std::getenv("SKEP_LONG") != nullptr ? 100 * normal : normal;
}

struct Result {
  runtime::Outcome outcome;
  std::vector<u8> memory;
  bool operator==(const Result&) const = default;
};

Result run(const std::vector<Insn>& insns, interp::Engine engine, std::vector<u8> memory,
           Bytes packet) {
  auto program = runtime::Program::make(insns);
  if (!program) {
    ADD_FAILURE() << to_string(program.error());
    return {};
  }
  const auto executable = interp::Executable::make(*std::move(program), engine);
  if (!executable) {
    ADD_FAILURE() << to_string(executable.error());
    return {};
  }
  runtime::RunInput input;
  input.memory = memory;
  input.packet = packet;
  const runtime::Outcome outcome = executable->run(input);
  return {outcome, std::move(memory)};
}

std::string text(const std::vector<Insn>& insns) {
  return disassemble(insns, assembler::ebpf::Notation::Llvm, {.indexes = true, .helpers = {}});
}

/// Whether the checked interpreter finds nothing wrong, so that the others may run the program.
bool runs_safely(const std::vector<Insn>& insns, const std::vector<u8>& memory, Bytes packet) {
  auto program = runtime::Program::make(insns);
  if (!program) return false;
  const auto checked = interp::Executable::make(*std::move(program), interp::Engine::Checked);
  std::vector<u8> bytes = memory;
  runtime::RunInput input;
  input.memory = bytes;
  input.packet = packet;
  input.budget = 1'000'000;
  return checked.has_value() && checked->run(input).trap == runtime::Trap::None;
}

/// The smallest program on which the engine differs from the reference, as a conformance case. The
/// third engine must agree with the reference, or programs that return an address would count.
std::string smallest(const std::vector<Insn>& insns, interp::Engine engine,
                     const std::vector<u8>& memory, Bytes packet) {
  using interp::Engine;
  const Engine witness = engine == Engine::Checked ? Engine::Threaded : Engine::Checked;
  const std::vector<Insn> small = testing::shrink(insns, [&](const std::vector<Insn>& candidate) {
    if (!runs_safely(candidate, memory, packet)) return false;
    const Result reference = run(candidate, Engine::Switch, memory, packet);
    return run(candidate, witness, memory, packet) == reference &&
           !(run(candidate, engine, memory, packet) == reference);
  });
  const u64 result = run(small, Engine::Switch, memory, packet).outcome.r0;
  return testing::conformance_case("random", small, memory, packet, result);
}

/// A different mix of sizes and features for every program.
testing::RandomEbpfOptions options_for(testing::Random& random) {
  testing::RandomEbpfOptions options;
  options.statements = random.between(5, 80);
  options.functions = random.below(4);
  options.memory_bytes = random.chance(80) ? 16u << random.below(4) : 0;
  return options;
}

std::vector<u8> random_bytes(testing::Random& random, u32 size) {
  std::vector<u8> bytes(size);
  for (u8& byte : bytes) byte = static_cast<u8>(random.next());
  return bytes;
}

TEST(EbpfRandom, ProgramsUseEveryOperationThatRunsRaw) {
  using isa::ebpf::Op;
  std::set<Op> used = {Op::Call,        Op::CallKfunc,  Op::LddwMapFd,       Op::LddwMapValue,
                       Op::LddwVarAddr, Op::LddwMapIdx, Op::LddwMapIdxValue, Op::LddwCodeAddr};
  for (u32 seed = 0; seed < 500; ++seed) {
    testing::Random random(seed);
    for (const Insn& insn : random_ebpf(random)) used.insert(insn.op);
  }
  for (std::size_t i = 0; i < isa::ebpf::kOpCount; ++i)
    EXPECT_EQ(used.count(static_cast<Op>(i)), 1u) << info(static_cast<Op>(i)).name;
}

TEST(EbpfRandom, EnginesAgree) {
  u32 ended_early = 0;
  const u32 count = times(5000);
  for (u32 seed = 0; seed < count; ++seed) {
    testing::Random random(seed);
    const testing::RandomEbpfOptions options = options_for(random);
    const std::vector<Insn> insns = random_ebpf(random, options);
    const std::vector<u8> memory = random_bytes(random, options.memory_bytes);
    const std::vector<u8> packet = random_bytes(random, 40);
    const Result expected = run(insns, interp::Engine::Switch, memory, packet);
    ASSERT_EQ(expected.outcome.trap, runtime::Trap::None)
        << "seed " << seed << ": " << to_string(expected.outcome.trap) << "\n"
        << text(insns);
    ended_early += expected.outcome.r0 == 0 ? 1 : 0;
    for (const interp::Engine engine : interp::kEngines) {
      const Result got = run(insns, engine, memory, packet);
      ASSERT_EQ(got, expected) << "seed " << seed << ", " << to_string(engine)
                               << " gives r0 = " << got.outcome.r0 << " ("
                               << to_string(got.outcome.trap) << " at " << got.outcome.pc
                               << ") instead of " << expected.outcome.r0 << "\n"
                               << smallest(insns, engine, memory, packet);
    }
  }
  // Packet loads out of range end a program; not many may, or little is tested.
  EXPECT_LT(ended_early, count / 4);
}

TEST(EbpfRandom, KernelAgrees) {
  if (const auto reason = testing::kernel_refuses()) GTEST_SKIP() << *reason;
  const std::vector<u8> packet(64);
  u32 too_complex = 0;
  const u32 count = times(400);
  for (u32 seed = 0; seed < count; ++seed) {
    testing::Random random(seed);
    testing::RandomEbpfOptions options = options_for(random);
    options.statements = random.between(5, 40);
    options.memory_bytes = 0;
    options.unaligned = false;
    options.packet_loads = false;
    options.may_goto = false;
    const std::vector<Insn> insns = random_ebpf(random, options);
    const testing::KernelRun kernel = testing::run_in_kernel(insns, packet);
    if (kernel.error == E2BIG) {
      ++too_complex;
      continue;
    }
    ASSERT_EQ(kernel.error, 0) << "seed " << seed << "\n" << kernel.log << "\n" << text(insns);
    for (const interp::Engine engine : interp::kEngines) {
      const Result got = run(insns, engine, {}, packet);
      ASSERT_EQ(static_cast<u32>(got.outcome.r0), kernel.result)
          << "seed " << seed << ", " << to_string(engine) << "\n"
          << text(insns);
    }
  }
  RecordProperty("too_complex", static_cast<int>(too_complex));
  EXPECT_LT(too_complex, count / 5) << "programs that the kernel's verifier gave up on";
}

TEST(Shrink, LeavesOnlyWhatTheFailureNeeds) {
  testing::Random random(1);
  const std::vector<Insn> insns = random_ebpf(random);
  const std::vector<u8> memory(64), packet(40);
  const auto fails = [&](const std::vector<Insn>& candidate) {
    bool multiplies = false;
    for (const Insn& insn : candidate) multiplies |= insn.op == isa::ebpf::Op::Mul64K;
    return multiplies && runs_safely(candidate, memory, packet);
  };
  const std::vector<Insn> small = testing::shrink(insns, fails);
  EXPECT_TRUE(fails(small));
  EXPECT_LE(small.size(), 4u) << text(small);
}

TEST(Shrink, JumpsAcrossWhatIsTakenOutKeepTheirTargets) {
  using isa::ebpf::Op;
  const std::vector<Insn> program = {{.op = Op::Ja, .off = 2, .imm = 0},
                                     {.op = Op::Mov64K, .off = 0, .imm = 1},
                                     {.op = Op::Mov64K, .off = 0, .imm = 2},
                                     {.op = Op::Exit, .off = 0, .imm = 0}};
  EXPECT_EQ(testing::without(program, 1, 1)[0].off, 1);
  EXPECT_EQ(testing::without(program, 1, 2)[0].off, 0);
  EXPECT_EQ(testing::conformance_case("x", testing::without(program, 0, 2), {}, {}, 2),
            "---- x\n-- asm\nr0 = 0x2\nexit\n-- result\n0x2\n");
}

}  // namespace
}  // namespace skep
