// SPDX-License-Identifier: Apache-2.0
// skep_kernel_vectors FOLDER EXCEPTIONS [ENGINE]: runs the kernel's BPF tests (extract.py) on every
// engine, or on one, and prints what failed and a line of counts for each engine. EXCEPTIONS names
// the tests that cannot apply to an engine, each with its reason; such a test must fail, so that
// the list stays true. Exit status 0, 1 (a surprise), 2 (usage) or 77 (no tests in FOLDER).
#include <cstdio>
#include <fstream>
#include <map>
#include <string>

#include "engines.h"

namespace skep::kernel {
namespace {

/// (engine, test) -> reason. A line is "ENGINE | TEST | REASON".
using Exceptions = std::map<std::pair<std::string, std::string>, std::string>;

Exceptions read_exceptions(const char* path) {
  Exceptions exceptions;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(" | ");
    if (line.empty() || line[0] == '#' || first == std::string::npos) continue;
    const std::size_t last = line.rfind(" | ");
    const std::string name = line.substr(first + 3, last - first - 3);
    exceptions[{line.substr(0, first), name}] = line.substr(last + 3);
  }
  return exceptions;
}

struct Counts {
  unsigned tests = 0, runs = 0, failed = 0, excepted = 0;
};

/// What went wrong on the engine, or "".
std::string failure(const Engine& engine, const Vector& test, Counts& counts) {
  auto loaded = engine.load(test);
  if ((test.flags & kExpectedFail) != 0) {
    counts.runs += static_cast<unsigned>(test.runs.size());
    return loaded ? "was accepted, but must be refused" : "";
  }
  if (!loaded) return "refused: " + to_string(loaded.error());
  for (const Run& run : test.runs) {
    const Result<u32> result = (*loaded)(test, run);
    ++counts.runs;
    if (!result) return to_string(result.error());
    if (*result != run.result)
      return "with " + std::to_string(run.size) + " bytes gave " + std::to_string(*result) +
             " instead of " + std::to_string(run.result);
  }
  return "";
}

/// Whether this build has the engine at all.
bool exists(const Engine& engine, const Vectors& vectors) {
  for (const Vector& test : vectors.tests) {
    if (test.classic != engine.classic) continue;
    const auto loaded = engine.load(test);
    return loaded || loaded.error().code != Code::NoEngine;
  }
  return false;
}

Counts run_all(const Engine& engine, const Vectors& vectors, const Exceptions& exceptions) {
  Counts counts;
  for (const Vector& test : vectors.tests) {
    if (test.classic != engine.classic) continue;
    ++counts.tests;
    const std::string what = failure(engine, test, counts);
    const bool excepted = exceptions.count({std::string(engine.name), test.name}) != 0;
    if (excepted && !what.empty()) {
      ++counts.excepted;
    } else if (excepted || !what.empty()) {
      ++counts.failed;
      std::printf(
          "%s: %s: %s\n", std::string(engine.name).c_str(), test.name.c_str(),
          excepted ? "passes, although the list of exceptions says that it cannot" : what.c_str());
    }
  }
  return counts;
}

int run(int argc, char** argv) {
  if (argc < 3 || argc > 4) {
    std::fprintf(stderr, "usage: skep_kernel_vectors FOLDER EXCEPTIONS [ENGINE]\n");
    return 2;
  }
  const auto vectors = read_vectors(argv[1]);
  if (!vectors) {
    std::printf("skipped: %s (tests/kernel/run.sh fetches and extracts them)\n",
                to_string(vectors.error()).c_str());
    return vectors.error().code == Code::NotFound ? 77 : 1;
  }
  const Exceptions exceptions = read_exceptions(argv[2]);
  unsigned failed = 0, engines_run = 0;
  for (const Engine& engine : engines()) {
    if (argc == 4 && engine.name != argv[3]) continue;
    if (!exists(engine, *vectors)) {
      std::printf("%-22s is not in this build\n", std::string(engine.name).c_str());
      continue;
    }
    const Counts counts = run_all(engine, *vectors, exceptions);
    std::printf("%-22s %4u tests, %4u sub-tests: %u failed, %u cannot apply\n",
                std::string(engine.name).c_str(), counts.tests, counts.runs, counts.failed,
                counts.excepted);
    std::fflush(stdout);
    failed += counts.failed;
    ++engines_run;
  }
  return failed != 0 || engines_run == 0 ? 1 : 0;
}

}  // namespace
}  // namespace skep::kernel

int main(int argc, char** argv) {
  return skep::kernel::run(argc, argv);
}
