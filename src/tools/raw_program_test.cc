// SPDX-License-Identifier: Apache-2.0
#include "tools/raw_program.h"

#include <gtest/gtest.h>

namespace skep::tools {
namespace {

TEST(ReadFileOrHex, SaysThatItIsNeither) {
  EXPECT_EQ(*read_file_or_hex("0102"), (std::vector<u8>{1, 2}));
  EXPECT_EQ(read_file_or_hex("no-such-file").error().message,
            "'no-such-file' is neither a file nor bytes in hex");
}

TEST(ReadProgram, SaysWhichFileIsMissing) {
  EXPECT_EQ(read_program("no-such-file.s").error().message,
            "no-such-file.s: No such file or directory");
}

// The 64-byte header of an object for a machine, without sections.
std::vector<u8> header(u8 machine) {
  std::vector<u8> bytes(64);
  const u8 start[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
  std::copy(std::begin(start), std::end(start), bytes.begin());
  bytes[16] = 1;  // relocatable
  bytes[18] = machine;
  bytes[20] = 1;   // version
  bytes[52] = 64;  // bytes of the header
  bytes[58] = 64;  // bytes of a section header
  return bytes;
}

TEST(ReadObject, RefusesWhatIsNoProgram) {
  if (read_object({}).error().code == Code::Unsupported) GTEST_SKIP() << "built without libelf";
  EXPECT_TRUE(is_object(header(247)));
  EXPECT_FALSE(is_object(std::vector<u8>{0x7f, 0x45, 0x4c}));
  EXPECT_EQ(read_object({}).error().message, "not an ELF object");
  EXPECT_EQ(read_object(header(62)).error().message, "an ELF object, but not for BPF");
  EXPECT_EQ(read_object(header(247)).error().message, "the object has no code");
  for (std::size_t size = 0; size < 64; ++size) {
    EXPECT_FALSE(read_object(Bytes(header(247)).first(size)).has_value());
  }
}

}  // namespace
}  // namespace skep::tools
