// SPDX-License-Identifier: Apache-2.0
// The interpreters of extended BPF on the ten sample programs (programs/README.md): run time as a
// multiple of the same C source compiled for this machine by clang -O2 without the vectorizers,
// and, as a measure of dispatch, nanoseconds an executed instruction for each of them. Where the
// kernel's JIT can be asked (kernel_jit.h), its multiple of native code stands in the last column.
//
//   ebpf_bench [ROUNDS]   the table; the last line has the geometric means
//
// An engine that returns anything but the literal result makes the exit status 1.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bench/measure.h"
#ifdef SKEP_TC_FOLDER
#include "bench/kernel_jit.h"
#endif
#include "interp/interp.h"
#include "isa/ebpf_codec.h"
#include "programs/programs.h"

namespace skep::bench {
namespace {

constexpr double kBatchNs = 400'000;  // how long one sample of one candidate takes

interp::Executable load(const programs::Program& sample, interp::Engine engine) {
  auto insns = isa::ebpf::decode(sample.raw, ByteOrder::Little);
  if (!insns) std::exit(1);
  auto program = runtime::Program::make(*std::move(insns));
  if (!program) std::exit(1);
  auto executable = interp::Executable::make(*std::move(program), engine);
  if (!executable) std::exit(1);
  return *std::move(executable);
}

/// Instructions that one run executes: the budget that is just enough for it.
u64 executed(const interp::Executable& checked, std::span<u8> memory) {
  u64 low = 0, high = 1 << 24;
  while (low + 1 < high) {
    const u64 middle = (low + high) / 2;
    runtime::RunInput input;
    input.memory = memory;
    input.budget = middle;
    const bool enough = checked.run(input).trap != runtime::Trap::BudgetExhausted;
    (enough ? high : low) = middle;
  }
  return high;
}

/// How often to call f so that it takes about kBatchNs.
u32 repetitions(const std::function<u64()>& f) {
  const std::vector<double> once = median_ns({[&] { keep(f()); }}, 5);
  return static_cast<u32>(kBatchNs / once[0]) + 1;
}

struct Row {
  std::vector<double> ratios;  // an engine each, as in interp::kEngines
  std::vector<double> ns_per_insn;
  std::vector<double> kernel;  // the kernel JIT's ratio, when there is one
};

/// Median nanoseconds of the kernel's JIT, in as many samples of its own; empty without it.
std::vector<double> kernel_ns([[maybe_unused]] const programs::Program& sample,
                              [[maybe_unused]] double native_ns, [[maybe_unused]] int rounds) {
#ifdef SKEP_TC_FOLDER
  const auto jit = KernelJit::load(sample);
  if (!jit) return {};
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(rounds));
  for (int i = 0; i < rounds; ++i)
    times.push_back(jit->run_ns(static_cast<u32>(kBatchNs / native_ns / 2) + 1));
  if (jit->result() != sample.expected) return {};
  std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
  return {times[static_cast<std::size_t>(rounds / 2)]};
#else
  return {};
#endif
}

/// Measures one program; false in `right` when an engine is wrong.
Row measure(const programs::Program& sample, int rounds, bool& right) {
  std::vector<u8> memory = programs::input(sample);
  std::vector<std::function<u64()>> runs = {
      [&] { return sample.native(memory.data(), static_cast<u32>(memory.size())); }};
  std::vector<interp::Executable> executables;
  executables.reserve(interp::kEngines.size());
  for (const interp::Engine engine : interp::kEngines) executables.push_back(load(sample, engine));
  for (const interp::Executable& executable : executables) {
    runs.push_back([&memory, &executable] {
      runtime::RunInput input;
      input.memory = memory;
      return executable.run(input).r0;
    });
  }
  std::vector<u32> repeats;
  std::vector<std::function<void()>> batches;
  for (const std::function<u64()>& f : runs) {
    right &= f() == sample.expected;
    repeats.push_back(repetitions(f));
    batches.push_back([&f, n = repeats.back()] {
      for (u32 i = 0; i < n; ++i) keep(f());
    });
  }
  const std::vector<double> medians = median_ns(batches, rounds);
  const double native = medians[0] / repeats[0];
  const double insns = static_cast<double>(executed(executables.back(), memory));
  Row row;
  for (std::size_t i = 1; i < medians.size(); ++i) {
    row.ratios.push_back(medians[i] / repeats[i] / native);
    row.ns_per_insn.push_back(medians[i] / repeats[i] / insns);
  }
  for (const double ns : kernel_ns(sample, native, rounds)) row.kernel.push_back(ns / native);
  return row;
}

void print(const std::string& name, const Row& row) {
  std::printf("%-16s", name.c_str());
  for (const double ratio : row.ratios) std::printf(" %9.1f", ratio);
  for (const double ns : row.ns_per_insn) std::printf(" %9.2f", ns);
  for (const double ratio : row.kernel) std::printf(" %9.2f", ratio);
  std::printf("\n");
}

int run(int rounds) {
  static_assert(interp::kEngines.back() == interp::Engine::Checked, "executed() counts with it");
  std::printf("%-16s %-29s %s\n%-16s", "", "  time / native", "  ns an instruction", "");
  for (int i = 0; i < 2; ++i)
    for (const interp::Engine engine : interp::kEngines)
      std::printf(" %9s", std::string(to_string(engine)).c_str());
  std::printf(" kernel JIT / native\n");
  bool right = true;
  std::vector<std::vector<double>> ratios(interp::kEngines.size()), ns(interp::kEngines.size());
  std::vector<double> kernel;
  for (const programs::Program& sample : programs::all()) {
    bool this_right = true;
    const Row row = measure(sample, rounds, this_right);
    print(std::string(sample.name) + (this_right ? "" : " WRONG"), row);
    std::fflush(stdout);
    right &= this_right;
    kernel.insert(kernel.end(), row.kernel.begin(), row.kernel.end());
    for (std::size_t i = 0; i < ratios.size(); ++i) {
      ratios[i].push_back(row.ratios[i]);
      ns[i].push_back(row.ns_per_insn[i]);
    }
  }
  Row means;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    means.ratios.push_back(geometric_mean(ratios[i]));
    means.ns_per_insn.push_back(geometric_mean(ns[i]));
  }
  if (!kernel.empty()) means.kernel = {geometric_mean(kernel)};
  print("geometric mean", means);
  return right ? 0 : 1;
}

}  // namespace
}  // namespace skep::bench

int main(int argc, char** argv) {
  return skep::bench::run(argc > 1 ? std::atoi(argv[1]) : 101);
}
