// SPDX-License-Identifier: Apache-2.0
#include "runtime/maps/shared_memory.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>

namespace skep::runtime::maps {
namespace {

struct Memory {
  alignas(8) std::array<u8, 128> bytes = {};
};

TEST(SharedMemory, CopiesExactlySoManyBytesFromAnyAlignment) {
  Memory from;
  std::iota(from.bytes.begin(), from.bytes.end(), u8{1});
  for (u32 offset = 0; offset < 8; offset++) {
    for (u32 size = 0; size <= 100; size++) {
      Memory to;
      store_shared(to.bytes.data(), from.bytes.data() + offset, size);
      for (u32 i = 0; i < to.bytes.size(); i++)
        ASSERT_EQ(to.bytes[i], i < size ? from.bytes[offset + i] : 0) << size << " " << offset;
      Memory back;
      load_shared(back.bytes.data() + offset, from.bytes.data(), size);
      for (u32 i = 0; i + offset < back.bytes.size(); i++)
        ASSERT_EQ(back.bytes[offset + i], i < size ? from.bytes[i] : 0) << size << " " << offset;
    }
  }
}

TEST(SharedMemory, ClearsExactlySoManyBytes) {
  for (u32 size = 0; size <= 40; size++) {
    Memory memory;
    memory.bytes.fill(9);
    clear_shared(memory.bytes.data(), size);
    for (u32 i = 0; i < memory.bytes.size(); i++) ASSERT_EQ(memory.bytes[i], i < size ? 0 : 9);
  }
}

TEST(SharedMemory, RoundsUp) {
  EXPECT_EQ(round_up_8(0), 0u);
  EXPECT_EQ(round_up_8(1), 8u);
  EXPECT_EQ(round_up_8(8), 8u);
  EXPECT_EQ(round_up(101, 2), 102u);
}

}  // namespace
}  // namespace skep::runtime::maps
