// SPDX-License-Identifier: Apache-2.0
#include "runtime/maps/hash_key.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <set>
#include <vector>

namespace skep::runtime::maps {
namespace {

struct Stored {
  alignas(8) std::array<u8, 64> bytes = {};
};

TEST(HashKey, AStoredKeyEqualsItselfAndNoOther) {
  std::array<u8, 64> memory = {};
  std::iota(memory.begin(), memory.end(), u8{200});
  for (u32 size = 1; size <= 40; size++) {
    u8* const key = memory.data() + 3;  // callers' keys may lie anywhere
    Stored stored;
    stored.bytes.fill(0xee);
    store_key(stored.bytes.data(), key, size);
    EXPECT_TRUE(equal_key<0>(stored.bytes.data(), key, size)) << size;
    for (u32 i = size; i < round_up_8(size); i++) EXPECT_EQ(stored.bytes[i], 0) << size;
    for (u32 i = 0; i < size; i++) {
      key[i] ^= 1;
      EXPECT_FALSE(equal_key<0>(stored.bytes.data(), key, size)) << size << " " << i;
      key[i] ^= 1;
    }
  }
}

template <u32 kBytes>
void expect_same_as_generic() {
  std::array<u8, 64> memory = {};
  std::iota(memory.begin(), memory.end(), u8{77});
  const u8* key = memory.data() + 1;
  EXPECT_EQ(hash_key<kBytes>(key, kBytes, 5), hash_key<0>(key, kBytes, 5));
  Stored stored;
  store_key(stored.bytes.data(), key, kBytes);
  EXPECT_TRUE(equal_key<kBytes>(stored.bytes.data(), key, kBytes));
  stored.bytes[kBytes - 1] ^= 1;
  EXPECT_FALSE(equal_key<kBytes>(stored.bytes.data(), key, kBytes));
}

TEST(HashKey, CompiledSizesAgreeWithTheGenericOne) {
  expect_same_as_generic<4>();
  expect_same_as_generic<8>();
  expect_same_as_generic<12>();
  expect_same_as_generic<16>();
}

// Keys as programs have them: counters in any byte, multiples of powers of 2.
TEST(HashKey, LowBitsSpreadOverTheBuckets) {
  constexpr u32 kBuckets = 1024;
  for (u32 shift = 0; shift <= 48; shift += 4) {
    std::vector<u32> used(kBuckets);
    for (u64 i = 0; i < kBuckets; i++) {
      const u64 key = i << shift;
      used[hash_key<8>(reinterpret_cast<const u8*>(&key), 8, 1234) % kBuckets]++;
    }
    u32 longest = 0;
    for (const u32 length : used) longest = std::max(longest, length);
    EXPECT_LE(longest, 10u) << shift;  // a random function gives 5 or 6
  }
}

TEST(HashKey, DependsOnSizeAndSeed) {
  const std::array<u8, 16> zeros = {};
  std::set<u32> hashes;
  for (u32 size = 1; size <= 16; size++) hashes.insert(hash_key<0>(zeros.data(), size, 0));
  for (u32 seed = 1; seed < 16; seed++) hashes.insert(hash_key<0>(zeros.data(), 4, seed));
  EXPECT_EQ(hashes.size(), 31u);
}

}  // namespace
}  // namespace skep::runtime::maps
