// SPDX-License-Identifier: Apache-2.0
#include "cbpf/interval.h"

#include <gtest/gtest.h>

namespace skep::cbpf {
namespace {

using isa::cbpf::holds;
using isa::cbpf::JmpOp;

constexpr u32 kCorners[] = {0,          1,          2,          7,          8,         0x7fffffff,
                            0x80000000, 0x80000001, 0xfffffffd, 0xfffffffe, 0xffffffff};

TEST(Interval, EqualsTheMeaningOfEachComparison) {
  for (const JmpOp op : {JmpOp::Jeq, JmpOp::Jgt, JmpOp::Jge})
    for (const u32 k : kCorners)
      for (const u32 v : kCorners) {
        const std::optional<Interval> in = holds_in(op, k);
        EXPECT_EQ(in && in->contains(v), holds(op, v, k)) << v << " and " << k;
      }
  for (const u32 k : kCorners)
    for (const u32 v : kCorners)
      EXPECT_EQ(holds_in(JmpOp::Jset, k)->contains(v & k), holds(JmpOp::Jset, v, k));
}

TEST(Interval, ComplementHoldsTheRest) {
  for (const u32 low : kCorners)
    for (const u32 span : kCorners) {
      const Interval in{low, span};
      const std::optional<Interval> rest = complement(in);
      for (const u32 v : kCorners) EXPECT_EQ(rest && rest->contains(v), !in.contains(v));
    }
}

TEST(Interval, IntersectionHoldsWhatBothHold) {
  for (const u32 p_low : kCorners)
    for (const u32 p_span : kCorners)
      for (const u32 q_low : kCorners)
        for (const u32 q_span : kCorners) {
          const Interval p{p_low, p_span}, q{q_low, q_span};
          if (p.wraps() || q.wraps()) continue;
          const std::optional<Interval> both = intersection(p, q);
          for (const u32 v : kCorners)
            EXPECT_EQ(both && both->contains(v), p.contains(v) && q.contains(v));
        }
}

TEST(Interval, PortRange) {
  const Interval at_least = *holds_in(JmpOp::Jge, 6000);
  const Interval at_most = *complement(*holds_in(JmpOp::Jgt, 6008));
  EXPECT_EQ(intersection(at_least, at_most), (Interval{6000, 8}));
}

}  // namespace
}  // namespace skep::cbpf
