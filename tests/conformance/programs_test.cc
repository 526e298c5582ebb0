// SPDX-License-Identifier: Apache-2.0
// The sample programs (programs/README.md) on every engine: the literal results.
#include <gtest/gtest.h>

#include "interp/interp.h"
#include "isa/ebpf_codec.h"
#include "programs/programs.h"

namespace skep::programs {
namespace {

class SamplePrograms : public testing::TestWithParam<std::string> {};

TEST_P(SamplePrograms, ReturnTheLiteralResults) {
  const auto engine = interp::parse_engine(GetParam());
  ASSERT_TRUE(engine.has_value()) << to_string(engine.error());
  for (const Program& sample : all()) {
    auto insns = isa::ebpf::decode(sample.raw, ByteOrder::Little);
    ASSERT_TRUE(insns.has_value()) << sample.name << ": " << to_string(insns.error());
    auto program = runtime::Program::make(*std::move(insns));
    ASSERT_TRUE(program.has_value()) << sample.name << ": " << to_string(program.error());
    const auto executable = interp::Executable::make(*std::move(program), *engine);
    ASSERT_TRUE(executable.has_value()) << to_string(executable.error());
    std::vector<u8> memory = input(sample);
    runtime::RunInput run;
    run.memory = memory;
    const runtime::Outcome outcome = executable->run(run);
    EXPECT_EQ(outcome.trap, runtime::Trap::None) << sample.name << " at " << outcome.pc;
    EXPECT_EQ(outcome.r0, sample.expected) << sample.name;
    EXPECT_EQ(memory, input(sample)) << sample.name << " wrote to its input";
  }
}

std::vector<std::string> engines() {
  std::vector<std::string> names;
  for (const interp::Engine engine : interp::kEngines) names.emplace_back(to_string(engine));
  return names;
}

INSTANTIATE_TEST_SUITE_P(Engines, SamplePrograms, testing::ValuesIn(engines()),
                         [](const testing::TestParamInfo<std::string>& engine) {
                           return engine.param;
                         });

}  // namespace
}  // namespace skep::programs
