// SPDX-License-Identifier: Apache-2.0
// Comparisons with a known number. Every ordering is brought to one of two forms, "below k" and
// "k or above" (unsigned or signed), so that each bound is written once.
// Tested by scalar_branch_test.cc
#include "verify/scalar_branch.h"

#include "support/assert.h"

namespace skep::verify {
namespace {

using isa::ebpf::JmpOp;

bool is_power_of_two(u64 x) {
  return x != 0 && (x & (x - 1)) == 0;
}

// Order of the range min..max against "greater than k" (or "k or greater").
template <class T>
std::optional<bool> above(T min, T max, T k, bool or_equal) {
  if (or_equal ? min >= k : min > k) return true;
  if (or_equal ? max < k : max <= k) return false;
  return std::nullopt;
}

std::optional<bool> negated(std::optional<bool> x) {
  return x ? std::optional(!*x) : x;
}

std::optional<bool> decide_bits(JmpOp op, Tnum bits, u64 k) {
  if (op == JmpOp::Jset) {
    if ((bits.value & k) != 0) return true;
    if ((bits.max() & k) == 0) return false;
    return std::nullopt;
  }
  if (!bits.is_known()) return std::nullopt;
  return (bits.value == k) == (op == JmpOp::Jeq);
}

template <class U>
std::optional<bool> decide_order(JmpOp op, const Bounds<U>& b, U k) {
  const auto sk = static_cast<typename Bounds<U>::S>(k);
  switch (op) {
    case JmpOp::Jgt: return above(b.umin, b.umax, k, false);
    case JmpOp::Jge: return above(b.umin, b.umax, k, true);
    case JmpOp::Jlt: return negated(above(b.umin, b.umax, k, true));
    case JmpOp::Jle: return negated(above(b.umin, b.umax, k, false));
    case JmpOp::Jsgt: return above(b.smin, b.smax, sk, false);
    case JmpOp::Jsge: return above(b.smin, b.smax, sk, true);
    case JmpOp::Jslt: return negated(above(b.smin, b.smax, sk, true));
    case JmpOp::Jsle: return negated(above(b.smin, b.smax, sk, false));
    case JmpOp::Jeq:
    case JmpOp::Jne:
    case JmpOp::Jset: break;
  }
  unreachable();
}

// upper learns "greater than k" ("k or greater"), lower the opposite. A k at the end of T's order
// wraps here; then one way out cannot happen, or nothing is learnt, and either is right.
template <class T>
void split(T& upper_min, T& lower_max, T k, bool or_equal) {
  using U = std::make_unsigned_t<T>;
  const T next = static_cast<T>(static_cast<U>(k) + 1);
  const T previous = static_cast<T>(static_cast<U>(k) - 1);
  upper_min = std::max(upper_min, or_equal ? k : next);
  lower_max = std::min(lower_max, or_equal ? previous : k);
}

template <class U>
void refine_order(JmpOp op, Bounds<U>& taken, Bounds<U>& fallen, U k) {
  const auto sk = static_cast<typename Bounds<U>::S>(k);
  switch (op) {
    case JmpOp::Jgt: return split(taken.umin, fallen.umax, k, false);
    case JmpOp::Jge: return split(taken.umin, fallen.umax, k, true);
    case JmpOp::Jlt: return split(fallen.umin, taken.umax, k, true);
    case JmpOp::Jle: return split(fallen.umin, taken.umax, k, false);
    case JmpOp::Jsgt: return split(taken.smin, fallen.smax, sk, false);
    case JmpOp::Jsge: return split(taken.smin, fallen.smax, sk, true);
    case JmpOp::Jslt: return split(fallen.smin, taken.smax, sk, true);
    case JmpOp::Jsle: return split(fallen.smin, taken.smax, sk, false);
    case JmpOp::Jeq:
    case JmpOp::Jne:
    case JmpOp::Jset: break;
  }
  unreachable();
}

void set_equal(u32 width, Scalar& x, u64 k) {
  if (width == 32) {
    x.bits = x.bits.with_low(Tnum::known(k));
    x.low = Bounds<u32>::exactly(static_cast<u32>(k));
  } else {
    x = Scalar::known(k);
  }
}

void refine_set(u32 width, Scalar& taken, Scalar& fallen, u64 k) {
  fallen.whole = {};
  fallen.low = {};
  if (width == 32) {
    const u64 low = static_cast<u32>(k);
    fallen.bits = fallen.bits.with_low(fallen.bits.low() & Tnum::known(~low));
    if (is_power_of_two(low)) taken.bits = taken.bits | Tnum::known(low);
  } else {
    fallen.bits = fallen.bits & Tnum::known(~k);
    if (is_power_of_two(k)) taken.bits = taken.bits | Tnum::known(k);
  }
}

}  // namespace

std::optional<bool> decide(JmpOp op, u32 width, const Scalar& x, u64 k) {
  if (op == JmpOp::Jeq || op == JmpOp::Jne || op == JmpOp::Jset) {
    return width == 32 ? decide_bits(op, x.bits.low(), static_cast<u32>(k))
                       : decide_bits(op, x.bits, k);
  }
  return width == 32 ? decide_order(op, x.low, static_cast<u32>(k)) : decide_order(op, x.whole, k);
}

void refine(JmpOp op, u32 width, Scalar& taken, Scalar& fallen, u64 k) {
  if (op == JmpOp::Jeq || op == JmpOp::Jne) {
    set_equal(width, op == JmpOp::Jeq ? taken : fallen, k);
  } else if (op == JmpOp::Jset) {
    refine_set(width, taken, fallen, k);
  } else if (width == 32) {
    refine_order(op, taken.low, fallen.low, static_cast<u32>(k));
  } else {
    refine_order(op, taken.whole, fallen.whole, k);
  }
  // What was learnt of one half has to reach the other; Linux 6.1 gives up what it cannot derive.
  if (width == 32) {
    fallen.rebuild_whole();
    taken.rebuild_whole();
  } else {
    fallen.rebuild_low();
    taken.rebuild_low();
  }
}

void refine_equal(Scalar& a, Scalar& b) {
  a.whole.umin = b.whole.umin = std::max(a.whole.umin, b.whole.umin);
  a.whole.umax = b.whole.umax = std::min(a.whole.umax, b.whole.umax);
  a.whole.smin = b.whole.smin = std::max(a.whole.smin, b.whole.smin);
  a.whole.smax = b.whole.smax = std::min(a.whole.smax, b.whole.smax);
  a.bits = b.bits = meet(a.bits, b.bits);
  a.sync();
  b.sync();
}

JmpOp flipped(JmpOp op) {
  switch (op) {
    case JmpOp::Jeq:
    case JmpOp::Jne:
    case JmpOp::Jset: return op;
    case JmpOp::Jgt: return JmpOp::Jlt;
    case JmpOp::Jge: return JmpOp::Jle;
    case JmpOp::Jlt: return JmpOp::Jgt;
    case JmpOp::Jle: return JmpOp::Jge;
    case JmpOp::Jsgt: return JmpOp::Jslt;
    case JmpOp::Jsge: return JmpOp::Jsle;
    case JmpOp::Jslt: return JmpOp::Jsgt;
    case JmpOp::Jsle: return JmpOp::Jsge;
  }
  unreachable();
}

}  // namespace skep::verify
