// SPDX-License-Identifier: Apache-2.0
// Numbers for the soundness tests of the scalar domain: an abstract number together with concrete
// values that it stands for. Made by choosing the values first, near the places where ranges wrap,
// and covering them; so the check "every concrete result is in the abstract one" needs no search.
#pragma once

#include <array>
#include <random>
#include <vector>

#include "verify/scalar.h"

namespace skep::verify {

struct Sample {
  Scalar scalar;
  std::vector<u64> values;
};

class Sampler {
 public:
  explicit Sampler(u64 seed) : random_(seed) {}

  u64 next() { return random_(); }

  /// A value near a boundary, or any value.
  u64 value() {
    static constexpr std::array<u64, 9> kPlaces = {
        0,           0x7fffffff,         0x80000000,         0xffffffff,        0x100000000,
        0x1ffffffff, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffff80000000};
    switch (next() % 4) {
      case 0: return next();
      case 1: return next() & 0xff;
      case 2: return kPlaces[static_cast<std::size_t>(next() % kPlaces.size())] + next() % 64 - 32;
      default: return next() >> (next() % 64);
    }
  }

  /// A number that covers one to five values, known loosely in some of its parts.
  Sample sample() {
    Sample s;
    const u64 first = value();
    const bool near = next() % 2 == 0;
    const u64 count = next() % 4 == 0 ? 1 : 1 + next() % 5;
    for (u64 i = 0; i < count; ++i) {
      s.values.push_back(i == 0 ? first : near ? first + next() % 32 : value());
    }
    s.scalar = cover(s.values);
    loosen(s.scalar);
    s.scalar.sync();
    return s;
  }

 private:
  static Scalar cover(const std::vector<u64>& values) {
    Scalar x = Scalar::known(values.front());
    for (const u64 v : values) {
      const auto low = static_cast<u32>(v);
      x.bits = join(x.bits, Tnum::known(v));
      x.whole.umin = std::min(x.whole.umin, v);
      x.whole.umax = std::max(x.whole.umax, v);
      x.whole.smin = std::min(x.whole.smin, static_cast<s64>(v));
      x.whole.smax = std::max(x.whole.smax, static_cast<s64>(v));
      x.low.umin = std::min(x.low.umin, low);
      x.low.umax = std::max(x.low.umax, low);
      x.low.smin = std::min(x.low.smin, static_cast<s32>(low));
      x.low.smax = std::max(x.low.smax, static_cast<s32>(low));
    }
    return x;
  }

  void loosen(Scalar& x) {
    const u64 how = next();
    if ((how & 1) != 0) x.bits.mask |= next() & next();
    if ((how & 2) != 0) x.bits = Tnum::unknown();
    x.bits.value &= ~x.bits.mask;
    if ((how & 4) != 0) x.whole.forget_signed();
    if ((how & 8) != 0) x.whole.forget_unsigned();
    if ((how & 16) != 0) x.low.forget_signed();
    if ((how & 32) != 0) x.low.forget_unsigned();
  }

  std::mt19937_64 random_;
};

}  // namespace skep::verify
