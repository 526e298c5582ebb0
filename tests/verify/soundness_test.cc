// SPDX-License-Identifier: Apache-2.0
// Random programs: what is accepted is run on random inputs by the machine that checks everything,
// the exported facts included. SKEP_FULL=1 in the environment: a hundred times the work.
#include <gtest/gtest.h>

#include <cstdlib>

#include "asm/ebpf_disassembler.h"
#include "machine.h"
#include "program_maker.h"
#include "verify/table_world.h"

namespace skep::verify {
namespace {

struct Tally {
  u32 accepted = 0;
  u32 refused = 0;
};

void check_one(u64 seed, const MakerOptions& options, u32 type, const Rights& rights,
               Tally& tally) {
  testing::Random random(seed);
  const std::vector<isa::ebpf::Insn> insns = make_program(random, options);
  WalkInput input;
  input.insns = insns;
  input.rights = rights;
  input.level = Level::Default;  // 6.1 is not sound (deviations.def)
  input.max_steps = 5'000;       // some loops take no end
  const TableWorld world(type, rights, {map_facts(map_type::kArray, 4, 64, 1)});
  const Result<Verified> verified = verify(input, world);
  if (!verified) {
    ++tally.refused;
    return;
  }
  ++tally.accepted;
  for (u32 run = 0; run < 8; ++run) {
    const auto problem = run_checked(input, world, *verified, random);
    ASSERT_FALSE(problem.has_value())
        << "seed " << seed << ": " << *problem << "\n"
        << assembler::ebpf::disassemble(insns, assembler::ebpf::Notation::Llvm, {.indexes = true});
  }
}

u32 rounds() {
  return std::getenv("SKEP_FULL") == nullptr ? 6'000 : 600'000;
}

void check(u64 seed, const MakerOptions& options, u32 type, const Rights& rights) {
  Tally tally;
  for (u32 i = 0; i < rounds(); ++i) {
    ASSERT_NO_FATAL_FAILURE(check_one(seed + i, options, type, rights, tally));
  }
  // A test that refuses (or accepts) nearly everything shows nothing.
  EXPECT_GT(tally.accepted * 20, rounds());
  EXPECT_GT(tally.refused * 20, rounds());
}

TEST(VerifierSoundness, AcceptedSocketFiltersRunWithoutHarm) {
  check(1'000'000, {}, prog_type::kSocketFilter, Rights::privileged());
}

TEST(VerifierSoundness, AcceptedPacketProgramsRunWithoutHarm) {
  check(2'000'000, {.packets = true}, prog_type::kXdp, Rights::privileged());
}

TEST(VerifierSoundness, LongProgramsRunWithoutHarm) {
  check(3'000'000, {.statements = 40, .wild_percent = 1}, prog_type::kSocketFilter,
        Rights::privileged());
}

}  // namespace
}  // namespace skep::verify
