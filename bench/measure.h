// SPDX-License-Identifier: Apache-2.0
// Timing for comparisons on shared, noisy machines: the candidates are run in turn, round after
// round, and each one's median is kept. Only ratios within one run mean something.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <vector>

namespace skep::bench {

/// Median nanoseconds of one call of each candidate, called `rounds` times in turn (and once
/// before, to warm up).
inline std::vector<double> median_ns(const std::vector<std::function<void()>>& candidates,
                                     int rounds) {
  using Clock = std::chrono::steady_clock;
  std::vector<std::vector<double>> times(candidates.size());
  for (int round = -1; round < rounds; ++round) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const Clock::time_point start = Clock::now();
      candidates[i]();
      const std::chrono::duration<double, std::nano> took = Clock::now() - start;
      if (round >= 0) times[i].push_back(took.count());
    }
  }
  std::vector<double> medians;
  for (std::vector<double>& of_one : times) {
    const auto middle = of_one.begin() + static_cast<std::ptrdiff_t>(of_one.size() / 2);
    std::nth_element(of_one.begin(), middle, of_one.end());
    medians.push_back(*middle);
  }
  return medians;
}

/// Geometric mean; 0 for no values.
inline double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return values.empty() ? 0 : std::exp(sum / static_cast<double>(values.size()));
}

/// Keeps x from being optimised away.
template <class T>
void keep(const T& x) {
  asm volatile("" : : "g"(&x) : "memory");
}

}  // namespace skep::bench
