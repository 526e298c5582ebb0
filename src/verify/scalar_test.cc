// SPDX-License-Identifier: Apache-2.0
#include "verify/scalar.h"

#include <gtest/gtest.h>

#include "isa/semantics.h"
#include "verify/scalar_samples.h"

namespace skep::verify {
namespace {

constexpr int kRounds = 200'000;

// Every operation on one number against its meaning on the values it stands for.
template <class Abstract, class Concrete>
void check_unary(Abstract abstract, Concrete concrete) {
  Sampler sampler(1);
  for (int i = 0; i < kRounds; ++i) {
    Sample s = sampler.sample();
    const Scalar before = s.scalar;
    abstract(s.scalar);
    for (const u64 v : s.values) {
      ASSERT_TRUE(s.scalar.contains(concrete(v)))
          << describe(before) << " -> " << describe(s.scalar) << " for " << v;
    }
  }
}

TEST(Scalar, SyncLosesNoValue) {
  check_unary([](Scalar& x) { x.sync(); }, [](u64 v) { return v; });
}

TEST(Scalar, ZeroExtensionCoversTheLowHalf) {
  check_unary(
      [](Scalar& x) {
        x.zero_extend_low();
        x.sync();
      },
      [](u64 v) { return u64{static_cast<u32>(v)}; });
}

TEST(Scalar, TruncationCoversTheLowBytes) {
  for (const u32 bytes : {1U, 2U, 4U, 8U}) {
    check_unary([bytes](Scalar& x) { x.truncate(bytes); },
                [bytes](u64 v) { return bytes == 8 ? v : v & ((u64{1} << (bytes * 8)) - 1); });
  }
}

TEST(Scalar, SignExtensionCoversAllResults) {
  for (const u32 from : {8U, 16U, 32U}) {
    check_unary([from](Scalar& x) { x.sign_extend(from, 64); },
                [from](u64 v) { return isa::ebpf::sign_extend(v, from); });
  }
  for (const u32 from : {8U, 16U}) {
    check_unary([from](Scalar& x) { x.sign_extend(from, 32); },
                [from](u64 v) { return u64{isa::ebpf::sign_extend(static_cast<u32>(v), from)}; });
  }
}

TEST(Scalar, RebuildingOneHalfFromTheOtherLosesNoValue) {
  check_unary([](Scalar& x) { x.rebuild_low(); }, [](u64 v) { return v; });
  check_unary([](Scalar& x) { x.rebuild_whole(); }, [](u64 v) { return v; });
}

TEST(Scalar, SyncDerivesBitsFromRangesAndRangesFromBits) {
  Scalar x;
  x.whole.umax = 31;
  x.sync();
  EXPECT_EQ(x.bits, (Tnum{0, 31}));
  EXPECT_EQ(x.whole.smin, 0);
  EXPECT_EQ(x.whole.smax, 31);
  EXPECT_EQ(x.low.umax, 31U);

  Scalar y;
  y.bits = Tnum{0x40, 0x0f};
  y.sync();
  EXPECT_EQ(y.whole.umin, 0x40U);
  EXPECT_EQ(y.whole.umax, 0x4fU);
}

TEST(Scalar, ContainmentIsByPart) {
  Scalar small;
  small.whole.umax = 10;
  small.sync();
  EXPECT_TRUE(Scalar::unknown().contains(small));
  EXPECT_FALSE(small.contains(Scalar::unknown()));
  EXPECT_TRUE(small.contains(Scalar::known(10)));
  EXPECT_FALSE(small.contains(Scalar::known(11)));
}

TEST(Scalar, DescribesWhatIsKnown) {
  EXPECT_EQ(describe(Scalar::known(static_cast<u64>(-5))), "-5");
  EXPECT_EQ(describe(Scalar::unknown()), "any value");
  Scalar x;
  x.whole.umax = 31;
  x.sync();
  EXPECT_EQ(describe(x), "0..31, bits 0x0 known, 0x1f unknown");
}

}  // namespace
}  // namespace skep::verify
