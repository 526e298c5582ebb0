// SPDX-License-Identifier: Apache-2.0
// Soundness: the meaning of every operation (isa/semantics.h) on all sampled values lies in the
// abstract result. Precision: a few results that Linux's own tests depend on.
#include "verify/scalar_alu.h"

#include <gtest/gtest.h>

#include "isa/semantics.h"
#include "verify/scalar_samples.h"

namespace skep::verify {
namespace {

using isa::ebpf::AluOp;

constexpr AluOp kOps[] = {
#define ALU(name, ...) AluOp::name,
#include "isa/ebpf.def"
};

u64 concrete(AluOp op, u32 width, u64 a, u64 b) {
  return width == 32 ? isa::ebpf::eval(op, static_cast<u32>(a), static_cast<u32>(b))
                     : isa::ebpf::eval(op, a, b);
}

void check(AluOp op, u32 width, const Sample& a, const Sample& b) {
  Scalar result = a.scalar;
  apply_alu(op, width, result, b.scalar);
  for (const u64 x : a.values) {
    for (const u64 y : b.values) {
      ASSERT_TRUE(result.contains(concrete(op, width, x, y)))
          << static_cast<int>(op) << " " << width << ": " << describe(a.scalar) << " and "
          << describe(b.scalar) << " -> " << describe(result) << " for " << x << ", " << y;
    }
  }
}

TEST(ScalarAlu, EveryOperationCoversRandomResults) {
  Sampler sampler(2);
  for (int i = 0; i < 30'000; ++i) {
    const Sample a = sampler.sample();
    Sample b = sampler.sample();
    if (i % 3 == 0) b = {Scalar::known(b.values[0] & 63), {b.values[0] & 63}};
    for (const AluOp op : kOps) {
      if (op == AluOp::Mov) continue;
      for (const u32 width : {32U, 64U}) ASSERT_NO_FATAL_FAILURE(check(op, width, a, b));
    }
  }
}

Sample interval(u64 from, u64 count) {
  Sample s;
  Scalar x = Scalar::known(from);
  for (u64 v = from; v != from + count; ++v) s.values.push_back(v);
  x.bits = Tnum::unknown();
  x.whole = {};
  x.low = {};
  if (from <= from + count - 1) {
    x.whole.umin = from;
    x.whole.umax = from + count - 1;
  } else {
    x.whole.smin = static_cast<s64>(from);
    x.whole.smax = static_cast<s64>(from + count - 1);
  }
  x.sync();
  s.scalar = x;
  return s;
}

TEST(ScalarAlu, EveryOperationCoversAllResultsOfSmallIntervals) {
  std::vector<Sample> all;
  for (const u64 place :
       {u64{0}, u64{0x7fffffff}, u64{0xffffffff}, u64{0x7fffffffffffffff}, ~u64{0}}) {
    for (u64 from = 0; from < 7; ++from) {
      for (u64 count = 1; count < 7; count += 2) all.push_back(interval(place + from - 3, count));
    }
  }
  for (const Sample& a : all) {
    for (const Sample& b : all) {
      for (const AluOp op : kOps) {
        if (op == AluOp::Mov) continue;
        for (const u32 width : {32U, 64U}) ASSERT_NO_FATAL_FAILURE(check(op, width, a, b));
      }
    }
  }
}

Scalar range(u64 min, u64 max) {
  Scalar x;
  x.whole.umin = min;
  x.whole.umax = max;
  x.sync();
  return x;
}

Scalar result(AluOp op, u32 width, Scalar a, const Scalar& b) {
  apply_alu(op, width, a, b);
  return a;
}

TEST(ScalarAlu, AndBoundsTheResultByTheMask) {
  const Scalar x = result(AluOp::And, 64, Scalar::unknown(), Scalar::known(15));
  EXPECT_EQ(x, range(0, 15));
}

TEST(ScalarAlu, SumsOfRangesAddTheirEnds) {
  const Scalar x = result(AluOp::Add, 64, range(1, 5), range(10, 20));
  EXPECT_EQ(x.whole.umin, 11U);
  EXPECT_EQ(x.whole.umax, 25U);
}

TEST(ScalarAlu, ShiftLeftByTwoMultipliesTheRange) {
  const Scalar x = result(AluOp::Lsh, 64, range(0, 7), Scalar::known(2));
  EXPECT_EQ(x.whole.umax, 28U);
  EXPECT_EQ(x.bits, (Tnum{0, 28}));
}

TEST(ScalarAlu, ThirtyTwoBitOperationsZeroExtend) {
  const Scalar x = result(AluOp::Add, 32, Scalar::unknown(), Scalar::known(1));
  EXPECT_EQ(x.whole.umax, 0xffffffffU);
  EXPECT_TRUE(x.bits.high().is(0));
}

TEST(ScalarAlu, ShiftByAnUnknownCountIsUnknown) {
  EXPECT_TRUE(result(AluOp::Lsh, 64, range(0, 7), range(0, 2)).is_unknown());
  EXPECT_FALSE(alu_is_tracked(AluOp::Lsh, 64, range(0, 2)));
  EXPECT_TRUE(alu_is_tracked(AluOp::Add, 64, range(0, 2)));
}

}  // namespace
}  // namespace skep::verify
