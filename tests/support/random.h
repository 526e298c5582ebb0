// SPDX-License-Identifier: Apache-2.0
// A small deterministic random number generator for tests, generators and benchmarks: the same
// seed gives the same numbers on every machine (splitmix64, Steele, Lea and Flood 2014).
#pragma once

#include <array>

#include "support/ints.h"

namespace skep::testing {

class Random {
 public:
  explicit Random(u64 seed) : state_(seed) {}

  u64 next() {
    state_ += 0x9e3779b97f4a7c15;
    u64 z = state_;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  u32 word() { return static_cast<u32>(next() >> 32); }
  /// A number from 0 to limit - 1.
  u32 below(u32 limit) { return static_cast<u32>((u64{word()} * limit) >> 32); }
  /// A number from low to high, both included.
  u32 between(u32 low, u32 high) { return low + below(high - low + 1); }
  /// True in percent of 100 cases.
  bool chance(u32 percent) { return below(100) < percent; }
  /// One of the given values.
  template <class T, std::size_t N>
  T pick(const T (&values)[N]) {
    return values[below(static_cast<u32>(N))];
  }

 private:
  u64 state_;
};

}  // namespace skep::testing
