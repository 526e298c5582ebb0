// SPDX-License-Identifier: Apache-2.0
// Comparisons as intervals of 32-bit numbers, which may wrap around: "jeq #7" holds in [7, 7],
// "jgt #7" in [8, 0xffffffff], and what does not hold in [8, 6] holds in [7, 7]. One test,
// `v - low <= span`, serves all of them, and the threaded machine can join several without a
// branch between them. Tested by interval_test.cc
#pragma once

#include <optional>

#include "isa/cbpf_semantics.h"

namespace skep::cbpf {

/// The numbers low, low + 1, ..., low + span (modulo 2^32): never empty.
struct Interval {
  u32 low = 0;
  u32 span = 0;

  constexpr bool contains(u32 v) const { return v - low <= span; }
  constexpr bool wraps() const { return low + span < low; }
  bool operator==(const Interval&) const = default;
};

/// What is not in the interval; nothing if that is empty.
constexpr std::optional<Interval> complement(Interval in) {
  if (in.span == ~u32{0}) return std::nullopt;
  return Interval{in.low + in.span + 1, ~in.span - 1};
}

/// What is in both; nothing if that is empty or one of them wraps around.
constexpr std::optional<Interval> intersection(Interval p, Interval q) {
  if (p.wraps() || q.wraps()) return std::nullopt;
  const u32 low = p.low > q.low ? p.low : q.low;
  const u32 high = p.low + p.span < q.low + q.span ? p.low + p.span : q.low + q.span;
  if (low > high) return std::nullopt;
  return Interval{low, high - low};
}

/// Where the comparison of v with k holds (Jset: of v & k with 0, as if k was all ones); nothing
/// if nowhere. Only for the four comparisons of classic BPF.
constexpr std::optional<Interval> holds_in(isa::cbpf::JmpOp op, u32 k) {
  constexpr u32 kMax = ~u32{0};
  using isa::cbpf::JmpOp;
  if (op == JmpOp::Jeq) return Interval{k, 0};
  if (op == JmpOp::Jge) return Interval{k, kMax - k};
  if (op == JmpOp::Jset) return Interval{1, kMax - 1};
  if (k == kMax) return std::nullopt;
  return Interval{k + 1, kMax - (k + 1)};
}

}  // namespace skep::cbpf
