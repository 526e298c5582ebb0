// SPDX-License-Identifier: Apache-2.0
// Every case of every *.verify file of this folder.
#include <gtest/gtest.h>

#include <filesystem>

#include "asm/ebpf_assembler.h"
#include "case.h"
#include "verify/verify.h"

namespace skep::verify {
namespace {

bool says(const Report& report, const std::string& words, u32 pc) {
  for (const Finding& finding : report.findings) {
    const bool here = finding.pc == pc;
    if (here && (finding.kernel.find(words) != std::string::npos ||
                 finding.words.find(words) != std::string::npos)) {
      return true;
    }
  }
  return false;
}

void check(const Case& test) {
  const auto insns = assembler::ebpf::assemble(test.text);
  ASSERT_TRUE(insns.has_value()) << to_string(insns.error());
  WalkInput input;
  input.insns = *insns;
  input.functions = test.functions;
  input.rights = test.rights;
  input.level = test.level;
  input.strict_alignment = test.strict;
  TableWorld world(test.type, test.rights, test.maps);
  world.traits().gpl = test.gpl;
  Report report;
  const Result<Verified> result = verify(input, world, &report);
  if (test.error.empty()) {
    ASSERT_TRUE(result.has_value()) << report.to_text() << report.kernel_log;
    EXPECT_EQ(report.error_number, 0);
    EXPECT_EQ(result->facts.size(), insns->size());
  } else {
    ASSERT_FALSE(result.has_value());
    EXPECT_TRUE(says(report, test.error, test.error_pc)) << report.to_text();
    EXPECT_NE(report.error_number, 0);
    if (test.error_number != 0) {
      EXPECT_EQ(report.error_number, test.error_number);
    }
  }
  if (test.max_states) {
    EXPECT_LE(report.stats.total_states, *test.max_states);
  }
  if (test.max_insns) {
    EXPECT_LE(report.stats.insns_processed, *test.max_insns);
  }
}

TEST(VerifyFiles, EveryProgramGetsItsVerdict) {
  u32 count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SKEP_VERIFY_FOLDER)) {
    if (entry.path().extension() != ".verify") continue;
    const auto cases = read_cases(entry.path().string());
    ASSERT_TRUE(cases.has_value()) << entry.path() << ": " << to_string(cases.error());
    for (const Case& test : *cases) {
      SCOPED_TRACE(entry.path().filename().string() + ":" + std::to_string(test.line) + ": " +
                   test.name);
      check(test);
      ++count;
    }
  }
  EXPECT_GT(count, 50U);
}

}  // namespace
}  // namespace skep::verify
