// SPDX-License-Identifier: Apache-2.0
// Exhaustive over all tnums of five bits, placed where carries matter: at bit 0, across the middle
// and at the top of the word.
#include "verify/tnum.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace skep::verify {
namespace {

std::vector<u64> members(Tnum t) {
  std::vector<u64> all;
  u64 x = 0;
  do {  // the subsets of the mask
    all.push_back(t.value | x);
    x = (x - t.mask) & t.mask;
  } while (x != 0);
  return all;
}

std::vector<Tnum> five_bit_tnums(u32 position) {
  std::vector<Tnum> all;
  for (u64 mask = 0; mask < 32; ++mask) {
    for (u64 value = 0; value < 32; ++value) {
      if ((value & mask) == 0) all.push_back({value << position, mask << position});
    }
  }
  return all;
}

using Op = std::function<Tnum(Tnum, Tnum)>;
using Concrete = std::function<u64(u64, u64)>;

void check_binary(const Op& abstract, const Concrete& concrete) {
  for (const u32 position : {0U, 30U, 59U}) {
    const std::vector<Tnum> all = five_bit_tnums(position);
    for (std::size_t i = 0; i < all.size(); i += 2) {
      for (std::size_t j = i % 3; j < all.size(); j += 3) {
        const Tnum result = abstract(all[i], all[j]);
        ASSERT_EQ(result.value & result.mask, 0U);
        for (const u64 x : members(all[i])) {
          for (const u64 y : members(all[j])) {
            ASSERT_TRUE(result.contains(concrete(x, y))) << x << " " << y;
          }
        }
      }
    }
  }
}

TEST(Tnum, SumCoversAllSums) {
  check_binary([](Tnum a, Tnum b) { return a + b; }, [](u64 a, u64 b) { return a + b; });
}
TEST(Tnum, DifferenceCoversAllDifferences) {
  check_binary([](Tnum a, Tnum b) { return a - b; }, [](u64 a, u64 b) { return a - b; });
}
TEST(Tnum, ProductCoversAllProducts) {
  check_binary([](Tnum a, Tnum b) { return a * b; }, [](u64 a, u64 b) { return a * b; });
}
TEST(Tnum, BitOperationsCoverAllResults) {
  check_binary([](Tnum a, Tnum b) { return a & b; }, [](u64 a, u64 b) { return a & b; });
  check_binary([](Tnum a, Tnum b) { return a | b; }, [](u64 a, u64 b) { return a | b; });
  check_binary([](Tnum a, Tnum b) { return a ^ b; }, [](u64 a, u64 b) { return a ^ b; });
}

TEST(Tnum, ShiftsCoverAllResults) {
  for (const u32 position : {0U, 29U, 59U}) {
    for (const Tnum t : five_bit_tnums(position)) {
      for (u32 count = 0; count < 64; ++count) {
        for (const u64 x : members(t)) {
          ASSERT_TRUE((t << count).contains(x << count));
          ASSERT_TRUE((t >> count).contains(x >> count));
          ASSERT_TRUE(shift_right_signed(t, count).contains(
              static_cast<u64>(static_cast<s64>(x) >> count)));
          if (count < 32) {
            ASSERT_TRUE(shift_right_signed_low(t, count).contains(
                static_cast<u32>(static_cast<s32>(x) >> count)));
          }
        }
      }
    }
  }
}

TEST(Tnum, RangeCoversItsEndsAndWhatIsBetween) {
  for (u64 min = 0; min < 40; ++min) {
    for (u64 max = min; max < 40; ++max) {
      for (u64 x = min; x <= max; ++x) EXPECT_TRUE(Tnum::range(min, max).contains(x));
    }
  }
  EXPECT_EQ(Tnum::range(16, 31), (Tnum{16, 15}));
  EXPECT_EQ(Tnum::range(0, ~u64{0}), Tnum::unknown());
  EXPECT_EQ(Tnum::range(7, 7), Tnum::known(7));
}

TEST(Tnum, MeetKeepsCommonMembersAndJoinKeepsAll) {
  const std::vector<Tnum> all = five_bit_tnums(0);
  for (const Tnum a : all) {
    for (const Tnum b : all) {
      for (u64 x = 0; x < 32; ++x) {
        if (a.contains(x) && b.contains(x)) {
          ASSERT_TRUE(meet(a, b).contains(x));
        }
        if (a.contains(x) || b.contains(x)) {
          ASSERT_TRUE(join(a, b).contains(x));
        }
      }
      if (a.contains(b)) {
        for (const u64 x : members(b)) ASSERT_TRUE(a.contains(x));
      }
    }
  }
}

TEST(Tnum, PartsAreTakenAndPutTogether) {
  const Tnum t{0x1122334400000000, 0x00000000ffff00ff};
  EXPECT_EQ(t.low(), (Tnum{0, 0xffff00ff}));
  EXPECT_EQ(t.high(), Tnum::known(0x1122334400000000));
  EXPECT_EQ(t.truncated(1), (Tnum{0, 0xff}));
  EXPECT_EQ(t.with_low(Tnum::known(5)), Tnum::known(0x1122334400000005));
  EXPECT_TRUE((Tnum{8, 0xf0}).is_aligned(8));
  EXPECT_FALSE((Tnum{8, 0xf4}).is_aligned(8));
}

TEST(Tnum, IsWrittenAsTheKernelDoes) {
  EXPECT_EQ(to_string(Tnum{0, 0xff}), "(0x0; 0xff)");
  EXPECT_EQ(to_string(Tnum::known(16)), "(0x10; 0x0)");
}

}  // namespace
}  // namespace skep::verify
