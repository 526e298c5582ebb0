// SPDX-License-Identifier: Apache-2.0
// A tristate number: what is known of the 64 bits of a value. A bit set in mask is unknown (value
// then has 0 there), any other bit is as in value. Arithmetic keeps the set of possible values
// covered; the algorithms for sums, differences and products are those of Vishwanathan, Shachnai,
// Narayana, Nagarakatte, "Sound, Precise, and Fast Abstract Interpretation with Tristate Numbers"
// (CGO 2022), which are also what Linux computes, so that verdicts agree.
//
//   value 0b0100, mask 0b0011   stands for   0b0100 0b0101 0b0110 0b0111
//
// Source: the paper; kernel/bpf/tnum.c for what each result must be.  Tested by tnum_test.cc
#pragma once

#include <string>

#include "support/ints.h"

namespace skep::verify {

struct Tnum {
  u64 value = 0;
  u64 mask = 0;

  /// Exactly x.
  static constexpr Tnum known(u64 x) { return {x, 0}; }
  /// Any value at all.
  static constexpr Tnum unknown() { return {0, ~u64{0}}; }
  /// The bits that all values from min to max (unsigned) share; unknown when they share none.
  static constexpr Tnum range(u64 min, u64 max);

  constexpr bool is_known() const { return mask == 0; }
  constexpr bool is_unknown() const { return mask == ~u64{0}; }
  constexpr bool is(u64 x) const { return mask == 0 && value == x; }
  /// Whether the low 32 bits are all known.
  constexpr bool is_low_known() const { return static_cast<u32>(mask) == 0; }
  /// Whether x may be the value.
  constexpr bool contains(u64 x) const { return ((x ^ value) & ~mask) == 0; }
  /// Whether every value of other is a value of this.
  constexpr bool contains(Tnum other) const {
    return (other.mask & ~mask) == 0 && ((other.value ^ value) & ~mask) == 0;
  }
  /// The largest value, unsigned.
  constexpr u64 max() const { return value | mask; }
  /// Whether all values are multiples of size, a power of two.
  constexpr bool is_aligned(u64 size) const { return ((value | mask) & (size - 1)) == 0; }

  /// The low `bytes` bytes, the rest 0.
  constexpr Tnum truncated(u32 bytes) const {
    if (bytes >= 8) return *this;
    const u64 keep = (u64{1} << (bytes * 8)) - 1;
    return {value & keep, mask & keep};
  }
  constexpr Tnum low() const { return truncated(4); }
  /// The high 32 bits, the low ones 0.
  constexpr Tnum high() const { return {value >> 32 << 32, mask >> 32 << 32}; }
  /// This with its low 32 bits replaced by those of other.
  constexpr Tnum with_low(Tnum other) const {
    const Tnum l = other.low();
    const Tnum h = high();
    return {h.value | l.value, h.mask | l.mask};
  }

  constexpr bool operator==(const Tnum&) const = default;
};

namespace tnum_detail {
constexpr Tnum make(u64 value, u64 mask) {
  return {value & ~mask, mask};
}
}  // namespace tnum_detail

constexpr Tnum Tnum::range(u64 min, u64 max) {
  const u64 differ = min ^ max;
  if (differ == 0) return known(min);
  const int top = 63 - __builtin_clzll(differ);
  if (top == 63) return unknown();
  const u64 below = (u64{2} << top) - 1;
  return {min & ~below, below};
}

constexpr Tnum operator+(Tnum a, Tnum b) {
  const u64 sum = a.value + b.value;
  // Where the largest and the smallest sum differ, a carry may or may not have arrived.
  const u64 carries = (sum + (a.mask + b.mask)) ^ sum;
  return tnum_detail::make(sum, carries | a.mask | b.mask);
}
constexpr Tnum operator-(Tnum a, Tnum b) {
  const u64 difference = a.value - b.value;
  const u64 borrows = (difference + a.mask) ^ (difference - b.mask);
  return tnum_detail::make(difference, borrows | a.mask | b.mask);
}
constexpr Tnum operator&(Tnum a, Tnum b) {
  const u64 ones = a.value & b.value;
  return {ones, a.max() & b.max() & ~ones};
}
constexpr Tnum operator|(Tnum a, Tnum b) {
  const u64 ones = a.value | b.value;
  return {ones, (a.mask | b.mask) & ~ones};
}
constexpr Tnum operator^(Tnum a, Tnum b) {
  return tnum_detail::make(a.value ^ b.value, a.mask | b.mask);
}
/// Product, one addend a bit of a; known bits of the product of the values are added last.
constexpr Tnum operator*(Tnum a, Tnum b) {
  const u64 product = a.value * b.value;
  Tnum uncertain;
  for (; (a.value | a.mask) != 0; a.value >>= 1, a.mask >>= 1) {
    if ((a.value & 1) != 0) {
      uncertain = uncertain + Tnum{0, b.mask};
    } else if ((a.mask & 1) != 0) {
      uncertain = uncertain + Tnum{0, b.max()};
    }
    b.value <<= 1;
    b.mask <<= 1;
  }
  return Tnum::known(product) + uncertain;
}
/// Shifts by a count below 64.
constexpr Tnum operator<<(Tnum a, u32 count) {
  return {a.value << count, a.mask << count};
}
constexpr Tnum operator>>(Tnum a, u32 count) {
  return {a.value >> count, a.mask >> count};
}
/// Arithmetic right shift of all 64 bits by a count below 64.
constexpr Tnum shift_right_signed(Tnum a, u32 count) {
  return {static_cast<u64>(static_cast<s64>(a.value) >> count),
          static_cast<u64>(static_cast<s64>(a.mask) >> count)};
}
/// Arithmetic right shift of the low 32 bits by a count below 32; the high bits become 0.
constexpr Tnum shift_right_signed_low(Tnum a, u32 count) {
  return {static_cast<u32>(static_cast<s32>(a.value) >> count),
          static_cast<u32>(static_cast<s32>(a.mask) >> count)};
}
/// What both say; where they contradict each other the result has a 1.
constexpr Tnum meet(Tnum a, Tnum b) {
  return tnum_detail::make(a.value | b.value, a.mask & b.mask);
}
/// The smallest tnum that covers both.
constexpr Tnum join(Tnum a, Tnum b) {
  return tnum_detail::make(a.value, a.mask | b.mask | (a.value ^ b.value));
}

/// "(0x10; 0xf)", as the kernel's log writes value and mask.
std::string to_string(Tnum t);

}  // namespace skep::verify
