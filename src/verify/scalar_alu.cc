// SPDX-License-Identifier: Apache-2.0
// Transfer functions. Each computes the ranges of the low half and of the whole from the operands'
// ranges of that width, and the bits from the operands' bits; sync() lets them refine each other.
// A range that may have wrapped around is given up.
// Tested by scalar_alu_test.cc
#include "verify/scalar_alu.h"

#include "support/assert.h"

namespace skep::verify {
namespace {

using isa::ebpf::AluOp;

template <class U>
void add(Bounds<U>& d, const Bounds<U>& s) {
  typename Bounds<U>::S smin = 0;
  typename Bounds<U>::S smax = 0;
  U umin = 0;
  U umax = 0;
  if (__builtin_add_overflow(d.smin, s.smin, &smin) ||
      __builtin_add_overflow(d.smax, s.smax, &smax)) {
    d.forget_signed();
  } else {
    d.smin = smin;
    d.smax = smax;
  }
  if (__builtin_add_overflow(d.umin, s.umin, &umin) ||
      __builtin_add_overflow(d.umax, s.umax, &umax)) {
    d.forget_unsigned();
  } else {
    d.umin = umin;
    d.umax = umax;
  }
}

template <class U>
void sub(Bounds<U>& d, const Bounds<U>& s) {
  typename Bounds<U>::S smin = 0;
  typename Bounds<U>::S smax = 0;
  if (__builtin_sub_overflow(d.smin, s.smax, &smin) ||
      __builtin_sub_overflow(d.smax, s.smin, &smax)) {
    d.forget_signed();
  } else {
    d.smin = smin;
    d.smax = smax;
  }
  if (d.umin < s.umax) {
    d.forget_unsigned();
  } else {
    d.umin = d.umin - s.umax;
    d.umax = d.umax - s.umin;
  }
}

template <class U>
void mul(Bounds<U>& d, const Bounds<U>& s) {
  // Factors of at most half the width cannot wrap; negative ones are not tried.
  constexpr U kHalf = Bounds<U>::kUMax >> (std::numeric_limits<U>::digits / 2);
  if (s.smin < 0 || d.smin < 0 || s.umax > kHalf || d.umax > kHalf) {
    d = {};
    return;
  }
  d.umin = d.umin * s.umin;
  d.umax = d.umax * s.umax;
  if (d.umax > static_cast<U>(Bounds<U>::kSMax)) {
    d.forget_signed();
  } else {
    d.smin = static_cast<typename Bounds<U>::S>(d.umin);
    d.smax = static_cast<typename Bounds<U>::S>(d.umax);
  }
}

// The signed range of a bit operation: the unsigned one where no operand can be negative.
template <class U>
void signed_like_unsigned(Bounds<U>& d, bool positive) {
  if (positive) {
    d.smin = static_cast<typename Bounds<U>::S>(d.umin);
    d.smax = static_cast<typename Bounds<U>::S>(d.umax);
  } else {
    d.forget_signed();
  }
}

// result: the bits of d op s, of U's width.
template <class U>
void bitwise(AluOp op, Bounds<U>& d, const Bounds<U>& s, Tnum result) {
  const bool positive = d.smin >= 0 && s.smin >= 0;
  const U least = static_cast<U>(result.value);
  const U most = static_cast<U>(result.max());
  if (op == AluOp::And) {
    // x & y <= min(x, y)
    d.umin = least;
    d.umax = std::min(d.umax, s.umax);
  } else if (op == AluOp::Or) {
    // x | y >= max(x, y)
    d.umin = std::max(d.umin, s.umin);
    d.umax = most;
  } else {
    d.umin = least;
    d.umax = most;
  }
  signed_like_unsigned(d, positive);
}

void bitwise(AluOp op, Scalar& dst, const Scalar& src) {
  dst.bits = op == AluOp::And  ? dst.bits & src.bits
             : op == AluOp::Or ? dst.bits | src.bits
                               : dst.bits ^ src.bits;
  if (dst.bits.is_low_known() && src.bits.is_low_known()) {
    dst.low = Bounds<u32>::exactly(static_cast<u32>(dst.bits.value));
  } else {
    bitwise(op, dst.low, src.low, dst.bits.low());
  }
  if (dst.is_known() && src.is_known()) {
    dst = Scalar::known(dst.bits.value);
  } else {
    bitwise(op, dst.whole, src.whole, dst.bits);
  }
}

// Left shift of an unsigned range by min..max, if the largest value keeps below the top bit.
template <class U>
void shift_left_unsigned(Bounds<U>& d, u64 min, u64 max) {
  constexpr u64 kTop = std::numeric_limits<U>::digits - 1;
  if (max > kTop || d.umax > (U{1} << (kTop - max))) {
    d.forget_unsigned();
  } else {
    d.umin = static_cast<U>(d.umin << min);
    d.umax = static_cast<U>(d.umax << max);
  }
}

void lsh32(Scalar& dst, const Scalar& src) {
  dst.low.forget_signed();
  shift_left_unsigned(dst.low, src.low.umin, src.low.umax);
  dst.bits = (dst.bits.low() << src.low.umin).low();
  dst.whole = {};
  dst.low.narrow(dst.bits);
}

void lsh64(Scalar& dst, const Scalar& src) {
  const u64 min = src.whole.umin;
  const u64 max = src.whole.umax;
  if (min == 32 && max == 32) {
    // The low half, signed, keeps its order when it becomes the high one.
    dst.whole.smin = static_cast<s64>(u64{static_cast<u32>(dst.low.smin)} << 32);
    dst.whole.smax = static_cast<s64>(u64{static_cast<u32>(dst.low.smax)} << 32);
  } else {
    dst.whole.forget_signed();
  }
  shift_left_unsigned(dst.whole, min, max);
  dst.low.forget_signed();
  shift_left_unsigned(dst.low, min, max);
  dst.bits = dst.bits << static_cast<u32>(min);
}

void rsh32(Scalar& dst, const Scalar& src) {
  dst.low.forget_signed();
  dst.bits = dst.bits.low() >> src.low.umin;
  dst.low.umin >>= src.low.umax;
  dst.low.umax >>= src.low.umin;
  dst.whole = {};
  dst.low.narrow(dst.bits);
}

void rsh64(Scalar& dst, const Scalar& src) {
  dst.whole.forget_signed();
  dst.bits = dst.bits >> static_cast<u32>(src.whole.umin);
  dst.whole.umin >>= src.whole.umax;
  dst.whole.umax >>= src.whole.umin;
  dst.low = {};
}

void arsh32(Scalar& dst, const Scalar& src) {
  dst.low.smin = dst.low.smin >> src.low.umin;
  dst.low.smax = dst.low.smax >> src.low.umin;
  dst.bits = shift_right_signed_low(dst.bits, src.low.umin);
  dst.low.forget_unsigned();
  dst.whole = {};
  dst.low.narrow(dst.bits);
}

void arsh64(Scalar& dst, const Scalar& src) {
  const auto count = static_cast<u32>(src.whole.umin);
  dst.whole.smin >>= count;
  dst.whole.smax >>= count;
  dst.bits = shift_right_signed(dst.bits, count);
  dst.whole.forget_unsigned();
  dst.low = {};
}

// False if the count is too large for anything to be known.
bool shift(AluOp op, u32 width, Scalar& dst, const Scalar& src) {
  if (src.whole.umax >= width) {
    dst = Scalar::unknown();
    return false;
  }
  if (op == AluOp::Lsh) {
    width == 32 ? lsh32(dst, src) : lsh64(dst, src);
  } else if (op == AluOp::Rsh) {
    width == 32 ? rsh32(dst, src) : rsh64(dst, src);
  } else {
    width == 32 ? arsh32(dst, src) : arsh64(dst, src);
  }
  return true;
}

template <class U>
bool contradictory(const Bounds<U>& b, bool known) {
  return b.is_empty() || (known && !b.is_single());
}

}  // namespace

bool alu_is_tracked(AluOp op, u32 width, const Scalar& src) {
  const bool known = width == 32 ? src.bits.is_low_known() : src.is_known();
  const bool bad = width == 32 ? contradictory(src.low, known) : contradictory(src.whole, known);
  return !bad && (known || op == AluOp::Add || op == AluOp::Sub || op == AluOp::And);
}

bool apply_alu(AluOp op, u32 width, Scalar& dst, const Scalar& src) {
  if (!alu_is_tracked(op, width, src)) {
    dst = Scalar::unknown();
    return false;
  }
  bool kept = true;
  switch (op) {
    case AluOp::Add:
      add(dst.low, src.low);
      add(dst.whole, src.whole);
      dst.bits = dst.bits + src.bits;
      break;
    case AluOp::Sub:
      sub(dst.low, src.low);
      sub(dst.whole, src.whole);
      dst.bits = dst.bits - src.bits;
      break;
    case AluOp::Mul:
      dst.bits = dst.bits * src.bits;
      mul(dst.low, src.low);
      mul(dst.whole, src.whole);
      break;
    case AluOp::And:
    case AluOp::Or:
    case AluOp::Xor: bitwise(op, dst, src); break;
    case AluOp::Lsh:
    case AluOp::Rsh:
    case AluOp::Arsh: kept = shift(op, width, dst, src); break;
    case AluOp::Div:
    case AluOp::Mod:
    case AluOp::SDiv:
    case AluOp::SMod:
    case AluOp::Mov:
      dst = Scalar::unknown();
      kept = false;
      break;
  }
  if (width == 32) dst.zero_extend_low();
  dst.sync();
  return kept;
}

}  // namespace skep::verify
