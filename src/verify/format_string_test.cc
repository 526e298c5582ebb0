// SPDX-License-Identifier: Apache-2.0
#include "verify/format_string.h"

#include <gtest/gtest.h>

namespace skep::verify {
namespace {

TEST(FormatString, KernelConversionsAreAccepted) {
  for (const char* text :
       {"",    "plain text\n", "100%%", "%d",   "%u %x", "%08lx", "%-5lld.",
        "%s",  "%s,%s",        "%c",    "%p",   "%p ",   "%px",   "%pK",
        "%pB", "%ps",          "%pks",  "%pus", "%pi4",  "%pI6",  "\xc3\xa9 %d"}) {
    EXPECT_TRUE(is_format_string(text, 2)) << text;
  }
}

TEST(FormatString, OthersAreNot) {
  for (const char* text :
       {"%", "%f", "%n", "%l", "%lllx", "%sx", "%pi5", "%pz", "%pksx", "\x01", "%\xc3", "%hd"}) {
    EXPECT_FALSE(is_format_string(text, 2)) << text;
  }
}

TEST(FormatString, EveryConversionNeedsAnArgument) {
  EXPECT_TRUE(is_format_string("%d %d", 2));
  EXPECT_FALSE(is_format_string("%d %d", 1));
  EXPECT_TRUE(is_format_string("%% %d", 1));
}

}  // namespace
}  // namespace skep::verify
