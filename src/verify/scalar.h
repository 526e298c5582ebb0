// SPDX-License-Identifier: Apache-2.0
// What the verifier knows of a number: its bits (a tnum) and four ranges, unsigned and signed, of
// all 64 bits and of the low 32. Each of the five tells something about the others; sync() moves
// that knowledge around the way Linux 6.1 does, no more and no less, since what a program may do
// with a number decides whether it is accepted.
//
//      bits <-----> whole.umin..umax <--> whole.smin..smax
//        ^                                                      all of the same 64-bit value
//        +--------> low.umin..umax   <--> low.smin..smax
//
// The two widths share their code: Bounds<u64> and Bounds<u32>.
// Source: kernel/bpf/verifier.c (reg_bounds_sync and what it calls).  Tested by scalar_test.cc
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>

#include "support/ints.h"
#include "verify/tnum.h"

namespace skep::verify {

/// Unsigned and signed range of a value of U's width; both hold at once.
template <class U>
struct Bounds {
  using S = std::make_signed_t<U>;
  static constexpr U kUMax = std::numeric_limits<U>::max();
  static constexpr S kSMin = std::numeric_limits<S>::min();
  static constexpr S kSMax = std::numeric_limits<S>::max();

  U umin = 0;
  U umax = kUMax;
  S smin = kSMin;
  S smax = kSMax;

  static constexpr Bounds exactly(U x) { return {x, x, static_cast<S>(x), static_cast<S>(x)}; }
  constexpr void forget_signed() {
    smin = kSMin;
    smax = kSMax;
  }
  constexpr void forget_unsigned() {
    umin = 0;
    umax = kUMax;
  }
  /// Whether the ranges are empty or contradict each other (a path that cannot happen).
  constexpr bool is_empty() const { return umin > umax || smin > smax; }
  constexpr bool is_single() const { return umin == umax && smin == smax; }
  constexpr bool is_unbounded() const { return *this == Bounds{}; }
  constexpr bool contains(U x) const {
    return umin <= x && x <= umax && smin <= static_cast<S>(x) && static_cast<S>(x) <= smax;
  }
  /// Whether other's ranges lie inside these.
  constexpr bool contains(const Bounds& other) const {
    return umin <= other.umin && umax >= other.umax && smin <= other.smin && smax >= other.smax;
  }
  /// Narrows to what bits, of U's width, allow.
  constexpr void narrow(Tnum bits) {
    constexpr U kSign = U{1} << (std::numeric_limits<U>::digits - 1);
    const U value = static_cast<U>(bits.value);
    const U mask = static_cast<U>(bits.mask);
    umin = std::max(umin, value);
    umax = std::min(umax, static_cast<U>(value | mask));
    smin = std::max(smin, static_cast<S>(value | (mask & kSign)));
    smax = std::min(smax, static_cast<S>(value | (mask & static_cast<U>(~kSign))));
  }
  /// Lets the signed and the unsigned range learn from each other.
  constexpr void share();

  constexpr bool operator==(const Bounds&) const = default;
};

struct Scalar {
  Tnum bits = Tnum::unknown();
  Bounds<u64> whole = {};
  Bounds<u32> low = {};

  static constexpr Scalar unknown() { return {}; }
  static constexpr Scalar known(u64 x) {
    return {Tnum::known(x), Bounds<u64>::exactly(x), Bounds<u32>::exactly(static_cast<u32>(x))};
  }

  constexpr bool is_known() const { return bits.is_known(); }
  constexpr bool is_unknown() const {
    return bits.is_unknown() && whole.is_unbounded() && low.is_unbounded();
  }
  /// Whether x may be the value.
  constexpr bool contains(u64 x) const {
    return bits.contains(x) && whole.contains(x) && low.contains(static_cast<u32>(x));
  }
  /// Whether every value that other allows is allowed here, component by component.
  constexpr bool contains(const Scalar& other) const {
    return whole.contains(other.whole) && low.contains(other.low) && bits.contains(other.bits);
  }

  /// Spreads what each part knows over the others.
  void sync();
  /// Makes the value its low 32 bits, zero-extended, taking the ranges from the low ones. The
  /// caller syncs.
  void zero_extend_low();
  /// The value became its low `bytes` (1, 2, 4 or 8) bytes, zero-extended: what a narrow load does.
  void truncate(u32 bytes);
  /// The value became its low from_bits (8, 16, 32) bits, sign-extended to width (32, then
  /// zero-extended to 64, or 64) bits.
  void sign_extend(u32 from_bits, u32 width);
  /// After the low 32 bits changed: the 64-bit ranges follow from them if the high bits are 0, else
  /// are given up.
  void rebuild_whole();
  /// After the whole changed: the low ranges follow from the whole's where it fits in 32 bits, else
  /// are given up.
  void rebuild_low();

  constexpr bool operator==(const Scalar&) const = default;
};

template <class U>
constexpr void Bounds<U>::share() {
  // A signed range on one side of 0, or an unsigned one that does not cross the sign bit, has the
  // same order in both views.
  const bool signed_one_side = smin >= 0 || smax < 0;
  if (signed_one_side) {
    umin = std::max(static_cast<U>(smin), umin);
    umax = std::min(static_cast<U>(smax), umax);
    smin = static_cast<S>(umin);
    smax = static_cast<S>(umax);
  } else if (static_cast<S>(umax) >= 0) {
    // Not negative at all: the signed minimum, below 0 here, says nothing.
    smin = static_cast<S>(umin);
    umax = std::min(static_cast<U>(smax), umax);
    smax = static_cast<S>(umax);
  } else if (static_cast<S>(umin) < 0) {
    umin = std::max(static_cast<U>(smin), umin);
    smin = static_cast<S>(umin);
    smax = static_cast<S>(umax);
  }
}

/// "5", "unknown" or the parts that say something: "[0, 31] bits 0bxxxx1": for reports.
std::string describe(const Scalar& scalar);

}  // namespace skep::verify
