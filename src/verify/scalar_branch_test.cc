// SPDX-License-Identifier: Apache-2.0
// Soundness: decide() never contradicts isa/semantics.h, and refine() keeps each value on the way
// out that it takes.
#include "verify/scalar_branch.h"

#include <gtest/gtest.h>

#include "isa/semantics.h"
#include "verify/scalar_samples.h"

namespace skep::verify {
namespace {

using isa::ebpf::JmpOp;

constexpr JmpOp kOps[] = {
#define JMP(name, ...) JmpOp::name,
#include "isa/ebpf.def"
};

bool concrete(JmpOp op, u32 width, u64 a, u64 b) {
  return width == 32 ? isa::ebpf::holds(op, static_cast<u32>(a), static_cast<u32>(b))
                     : isa::ebpf::holds(op, a, b);
}

void check(JmpOp op, u32 width, const Sample& s, u64 k) {
  const std::optional<bool> certain = decide(op, width, s.scalar, k);
  Scalar taken = s.scalar;
  Scalar fallen = s.scalar;
  refine(op, width, taken, fallen, k);
  for (const u64 v : s.values) {
    const bool holds = concrete(op, width, v, k);
    if (certain) {
      ASSERT_EQ(*certain, holds) << describe(s.scalar) << " " << v << " " << k;
    }
    ASSERT_TRUE((holds ? taken : fallen).contains(v))
        << static_cast<int>(op) << " " << width << ": " << describe(s.scalar) << " against " << k
        << " -> " << describe(holds ? taken : fallen) << " for " << v;
  }
}

TEST(ScalarBranch, EveryComparisonIsSound) {
  Sampler sampler(3);
  for (int i = 0; i < 60'000; ++i) {
    const Sample s = sampler.sample();
    const u64 near = s.values[static_cast<std::size_t>(sampler.next() % s.values.size())] +
                     sampler.next() % 3 - 1;
    const u64 k = i % 2 == 0 ? sampler.value() : near;
    for (const JmpOp op : kOps) {
      for (const u32 width : {32U, 64U}) ASSERT_NO_FATAL_FAILURE(check(op, width, s, k));
    }
  }
}

TEST(ScalarBranch, EqualNumbersLearnFromEachOther) {
  Sampler sampler(4);
  for (int i = 0; i < 100'000; ++i) {
    Sample a = sampler.sample();
    const Sample b = sampler.sample();
    Scalar x = a.scalar;
    Scalar y = b.scalar;
    refine_equal(x, y);
    for (const u64 v : a.values) {
      if (!a.scalar.contains(v) || !b.scalar.contains(v)) continue;
      ASSERT_TRUE(x.contains(v));
      ASSERT_TRUE(y.contains(v));
    }
  }
}

TEST(ScalarBranch, FlippedComparesTheOtherWayRound) {
  Sampler sampler(5);
  for (int i = 0; i < 10'000; ++i) {
    const u64 a = sampler.value();
    const u64 b = i % 4 == 0 ? a : sampler.value();
    for (const JmpOp op : kOps) {
      EXPECT_EQ(concrete(op, 64, a, b), concrete(flipped(op), 64, b, a));
    }
  }
}

TEST(ScalarBranch, BelowALimitNarrowsTheTakenSide) {
  Scalar taken;
  Scalar fallen;
  refine(JmpOp::Jlt, 64, taken, fallen, 16);
  EXPECT_EQ(taken.whole.umax, 15U);
  EXPECT_EQ(taken.bits, (Tnum{0, 15}));
  EXPECT_EQ(fallen.whole.umin, 16U);
  EXPECT_EQ(decide(JmpOp::Jlt, 64, taken, 16), true);
  EXPECT_EQ(decide(JmpOp::Jlt, 64, fallen, 16), false);
  EXPECT_EQ(decide(JmpOp::Jlt, 64, Scalar::unknown(), 16), std::nullopt);
}

TEST(ScalarBranch, ThirtyTwoBitComparisonSaysNothingOfTheHighHalf) {
  Scalar taken;
  Scalar fallen;
  refine(JmpOp::Jlt, 32, taken, fallen, 16);
  EXPECT_EQ(taken.low.umax, 15U);
  EXPECT_EQ(taken.whole.umax, 0xffffffff0000000f);
  EXPECT_EQ(taken.whole.umin, 0U);
}

}  // namespace
}  // namespace skep::verify
