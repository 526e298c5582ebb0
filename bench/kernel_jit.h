// SPDX-License-Identifier: Apache-2.0
// The running kernel's JIT on the sched_cls form of a sample program, through BPF_PROG_TEST_RUN,
// where bpf(2) is allowed. Its time includes two map look-ups and the test run's own loop, some
// nanoseconds a run. Nothing is attached.
#pragma once

#include <memory>
#include <optional>

#include "programs/programs.h"

namespace skep::bench {

class KernelJit {
 public:
  /// Loads the program and gives it its input; nothing where the kernel (or this build) cannot.
  static std::optional<KernelJit> load(const programs::Program& sample);
  KernelJit(KernelJit&&) noexcept;
  ~KernelJit();

  /// Mean nanoseconds of a run, over so many runs.
  double run_ns(u32 repeat) const;
  /// What the last run returned.
  u64 result() const;

 private:
  struct State;
  explicit KernelJit(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace skep::bench
