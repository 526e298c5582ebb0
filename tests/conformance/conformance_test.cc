// SPDX-License-Identifier: Apache-2.0
// Every case of every conformance file on every engine, and the demand that together they use every
// operation there is.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "case.h"
#include "interp/interp.h"

namespace skep::conformance {
namespace {

/// One way of running a program.
struct Config {
  const char* name;
  interp::Engine engine;
  bool zeroed_stack;
};

void PrintTo(const Config& config, std::ostream* out) {
  *out << config.name;
}

constexpr Config kConfigs[] = {
    {"switch", interp::Engine::Switch, false},
    {"threaded", interp::Engine::Threaded, false},
    {"checked", interp::Engine::Checked, false},
    {"checked_zeroed_stack", interp::Engine::Checked, true},
};

std::vector<std::string> files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(SKEP_CONFORMANCE_FOLDER))
    if (entry.path().extension() == ".test") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<Case> cases_of(const std::string& file) {
  auto cases = read_cases(std::string(SKEP_CONFORMANCE_FOLDER) + "/" + file + ".test");
  if (!cases) {
    ADD_FAILURE() << file << ": " << to_string(cases.error());
    return {};
  }
  return *std::move(cases);
}

/// Helper 1 of the cases: each argument counts by its place.
u64 weighted_sum(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5, void*) {
  return r1 + 2 * r2 + 3 * r3 + 4 * r4 + 5 * r5;
}

runtime::HelperTable helpers() {
  runtime::HelperTable table;
  EXPECT_TRUE(table.add({.number = 1, .name = "weighted_sum", .call = weighted_sum}).has_value());
  return table;
}

/// "r0 = 0x..." or the name of the error or trap.
std::string run(const Case& test, const Config& config) {
  auto insns = instructions(test);
  if (!insns) return std::string(to_string(insns.error().code));
  auto program = runtime::Program::make(*std::move(insns), helpers());
  if (!program) return std::string(to_string(program.error().code));
  const auto executable = interp::Executable::make(*std::move(program), config.engine);
  if (!executable) return std::string(to_string(executable.error().code));
  std::vector<u8> memory = test.memory;
  runtime::RunInput input;
  input.memory = memory;
  input.packet = test.packet;
  input.zeroed_stack = config.zeroed_stack;
  if (test.budget) input.budget = *test.budget;
  const runtime::Outcome outcome = executable->run(input);
  if (outcome.trap != runtime::Trap::None) return std::string(to_string(outcome.trap));
  std::ostringstream text;
  text << "r0 = 0x" << std::hex << outcome.r0;
  return text.str();
}

std::string expected(const Case& test) {
  if (!test.result) return test.error;
  std::ostringstream text;
  text << "r0 = 0x" << std::hex << *test.result;
  return text.str();
}

/// Whether the case says anything about this configuration.
bool applies(const Case& test, const Config& config) {
  if (test.error_engine.empty()) return true;
  return test.error_engine == interp::to_string(config.engine) &&
         !(config.zeroed_stack && test.error == "UninitialisedStack");
}

using Parameter = std::tuple<std::string, Config>;
class Conformance : public testing::TestWithParam<Parameter> {};

TEST_P(Conformance, ResultsAreTheLiteralOnes) {
  const auto& [file, config] = GetParam();
  for (const Case& test : cases_of(file)) {
    if (!applies(test, config)) continue;
    EXPECT_EQ(run(test, config), expected(test))
        << file << ".test:" << test.line << ": " << test.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Conformance,
                         testing::Combine(testing::ValuesIn(files()), testing::ValuesIn(kConfigs)),
                         [](const testing::TestParamInfo<Parameter>& parameter) {
                           return std::get<0>(parameter.param) + "_" +
                                  std::get<1>(parameter.param).name;
                         });

TEST(ConformanceFiles, UseEveryOperation) {
  std::set<isa::ebpf::Op> used;
  for (const std::string& file : files()) {
    for (const Case& test : cases_of(file)) {
      const auto insns = instructions(test);
      if (!insns) continue;
      for (const isa::ebpf::Insn& insn : *insns) used.insert(insn.op);
    }
  }
  for (std::size_t i = 0; i < isa::ebpf::kOpCount; ++i) {
    const auto op = static_cast<isa::ebpf::Op>(i);
    EXPECT_TRUE(used.count(op) == 1) << "no conformance file uses " << isa::ebpf::info(op).name;
  }
}

}  // namespace
}  // namespace skep::conformance
