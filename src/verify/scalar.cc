// SPDX-License-Identifier: Apache-2.0
// How the five views of a number learn from each other. The order of the steps is Linux 6.1's: it
// decides how much is learnt in one round.
// Tested by scalar_test.cc
#include "verify/scalar.h"

#include <fmt/format.h>

#include "support/assert.h"

namespace skep::verify {
namespace {

constexpr u64 kLowMask = 0xffffffff;

void narrow_both(Scalar& x) {
  x.low.narrow(x.bits.low());
  x.whole.narrow(x.bits);
}

template <class U>
bool fits(s64 min, s64 max) {
  return min >= std::numeric_limits<U>::min() && max <= std::numeric_limits<U>::max();
}

}  // namespace

void Scalar::sync() {
  narrow_both(*this);
  low.share();
  whole.share();
  const Tnum from_whole = meet(bits, Tnum::range(whole.umin, whole.umax));
  const Tnum from_low = meet(from_whole.low(), Tnum::range(low.umin, low.umax));
  bits = from_whole.high() | from_low;
  narrow_both(*this);
}

void Scalar::zero_extend_low() {
  bits = bits.low();
  whole.umin = low.umin;
  whole.umax = low.umax;
  // The signed view agrees only if the low half is never negative.
  const bool positive = low.smin >= 0 && low.smax >= 0;
  whole.smin = positive ? low.smin : 0;
  whole.smax = positive ? s64{low.smax} : s64{kLowMask};
}

void Scalar::truncate(u32 bytes) {
  if (bytes >= 8) return;
  bits = bits.truncated(bytes);
  const u64 keep = (u64{1} << (bytes * 8)) - 1;
  if ((whole.umin & ~keep) == (whole.umax & ~keep)) {
    whole.umin &= keep;
    whole.umax &= keep;
  } else {
    whole.umin = 0;
    whole.umax = keep;
  }
  whole.smin = static_cast<s64>(whole.umin);
  whole.smax = static_cast<s64>(whole.umax);
  // Of 4 bytes the low ranges still hold.
  if (bytes < 4) rebuild_low();
}

void Scalar::sign_extend(u32 from_bits, u32 width) {
  const s64 top = s64{1} << (from_bits - 1);
  const Tnum narrow = bits.truncated(from_bits / 8);
  const u64 above = from_bits == 64 ? 0 : ~((u64{1} << from_bits) - 1);
  const auto sign = static_cast<u64>(top);
  bits = narrow;
  if ((narrow.mask & sign) != 0) {
    bits.mask |= above;
  } else if ((narrow.value & sign) != 0) {
    bits.value |= above;
  }
  whole = {};
  whole.smin = -top;
  whole.smax = top - 1;
  low = {};
  low.smin = static_cast<s32>(std::max<s64>(-top, Bounds<u32>::kSMin));
  low.smax = static_cast<s32>(std::min<s64>(top - 1, Bounds<u32>::kSMax));
  sync();
  if (width == 32) {
    zero_extend_low();
    sync();
  }
}

void Scalar::rebuild_whole() {
  if (bits.high().is(0)) {
    zero_extend_low();
  } else {
    whole = {};
  }
  sync();
}

void Scalar::rebuild_low() {
  low = {};
  if (fits<s32>(whole.smin, whole.smin) && fits<s32>(whole.smax, whole.smax)) {
    low.smin = static_cast<s32>(whole.smin);
    low.smax = static_cast<s32>(whole.smax);
  }
  if (whole.umin <= kLowMask && whole.umax <= kLowMask) {
    low.umin = static_cast<u32>(whole.umin);
    low.umax = static_cast<u32>(whole.umax);
  }
  sync();
}

std::string to_string(Tnum t) {
  const auto hex = [](u64 x) { return x == 0 ? std::string("0x0") : fmt::format("{:#x}", x); };
  return fmt::format("({}; {})", hex(t.value), hex(t.mask));
}

std::string describe(const Scalar& x) {
  if (x.is_known()) return fmt::format("{}", static_cast<s64>(x.bits.value));
  if (x.is_unknown()) return "any value";
  std::string text;
  const auto add = [&text](const std::string& part) {
    if (!text.empty()) text += ", ";
    text += part;
  };
  if (x.whole.umin != 0 || x.whole.umax != Bounds<u64>::kUMax) {
    add(fmt::format("{}..{}", x.whole.umin, x.whole.umax));
  }
  const bool same = static_cast<u64>(x.whole.smin) == x.whole.umin &&
                    static_cast<u64>(x.whole.smax) == x.whole.umax;
  if (!same && (x.whole.smin != Bounds<u64>::kSMin || x.whole.smax != Bounds<u64>::kSMax)) {
    add(fmt::format("signed {}..{}", x.whole.smin, x.whole.smax));
  }
  if (!x.bits.is_unknown()) {
    add(fmt::format("bits {:#x} known, {:#x} unknown", x.bits.value, x.bits.mask));
  }
  if (text.empty()) {
    add(fmt::format("low half {}..{}, signed {}..{}", x.low.umin, x.low.umax, x.low.smin,
                    x.low.smax));
  }
  return text;
}

}  // namespace skep::verify
