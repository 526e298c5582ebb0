// SPDX-License-Identifier: Apache-2.0
// The sample programs against what their algorithms' authors published, and their inputs against
// the literal results of programs.def, natively.
#include "programs/programs.h"

#include <gmock/gmock.h>

#include <cstring>
#include <numeric>

#include "programs/all.h"

namespace skep::programs {
namespace {

TEST(Programs, NativeResultsAreTheLiteralOnes) {
  for (const Program& program : all()) {
    const std::vector<u8> memory = input(program);
    EXPECT_EQ(program.native(memory.data(), static_cast<u32>(memory.size())), program.expected)
        << program.name << std::hex << " 0x"
        << program.native(memory.data(), static_cast<u32>(memory.size()));
  }
}

TEST(Programs, TooLittleMemoryGivesZero) {
  for (const Program& program : all()) {
    const std::vector<u8> memory = input(program);
    EXPECT_EQ(program.native(memory.data(), static_cast<u32>(memory.size() - 1)), 0u)
        << program.name;
  }
}

// RFC 8439, 2.3.2: key 00..1f, counter 1, nonce 00000009 0000004a 00000000.
TEST(Programs, ChaCha20BlockIsTheRfcs) {
  alignas(8) u8 key[48] = {};
  std::iota(key, key + 32, u8{0});
  key[39] = 9;
  key[43] = 0x4a;
  u32 stream[16];
  chacha20_block(key, 1, stream);
  EXPECT_THAT(stream, testing::ElementsAre(0xe4e7f110, 0x15593bd1, 0x1fdd0f50, 0xc47120a3,
                                           0xc7f4d1c7, 0x0368c033, 0x9aaa2204, 0x4e6cd4c3,
                                           0x466482d2, 0x09aa9f07, 0x05d7c214, 0xa2028bd9,
                                           0xd19c12b5, 0xb94e16de, 0xe883d0cb, 0x4e3c50a2));
}

// The paper's appendix A: key 00..0f, message 00..0e.
TEST(Programs, SipHashIsThePapers) {
  alignas(8) u8 bytes[32] = {};
  std::iota(bytes, bytes + 16, u8{0});
  std::iota(bytes + 16, bytes + 31, u8{0});
  u64 last = 0;
  std::memcpy(&last, bytes + 24, 8);
  EXPECT_EQ(siphash_words(bytes, bytes + 16, 1, last | u64{15} << 56), 0xa129ca6149be45e5u);
}

// RFC 1071: a packet that carries its own checksum sums to all ones.
TEST(Programs, ChecksumOfCheckedDataIsZero) {
  alignas(8) u8 memory[1500];
  fill("checksum", memory);
  memory[10] = memory[11] = 0;
  const u64 sum = checksum(memory, sizeof memory);
  memory[10] = static_cast<u8>(sum);
  memory[11] = static_cast<u8>(sum >> 8);
  EXPECT_EQ(checksum(memory, sizeof memory), 0u);
}

TEST(Programs, RawFormsAreWholeInstructionsWithAnExit) {
  for (const Program& program : all()) {
    ASSERT_EQ(program.raw.size() % 8, 0u) << program.name;
    bool exits = false;
    for (std::size_t at = 0; at < program.raw.size(); at += 8) exits |= program.raw[at] == 0x95;
    EXPECT_TRUE(exits) << program.name;
  }
}

}  // namespace
}  // namespace skep::programs
