// SPDX-License-Identifier: Apache-2.0
#include "skep/assemble.h"

#include <gtest/gtest.h>

namespace skep {
namespace {

TEST(ApiAssemble, EveryNotationReadsBackToTheSameBytes) {
  const auto bytes = assemble("w0 = 1\nif r0 != 0 goto done\nr0 = 7\ndone: exit\n");
  ASSERT_TRUE(bytes) << bytes.error().message;
  EXPECT_EQ(bytes->size(), 32u);
  for (const Notation notation : {Notation::Llvm, Notation::Kernel, Notation::Mnemonic}) {
    const auto text = disassemble(*bytes, notation);
    ASSERT_TRUE(text);
    EXPECT_EQ(*assemble(*text), *bytes) << *text;
  }
}

TEST(ApiAssemble, ErrorsNameLineAndColumn) {
  const auto bytes = assemble("r0 = 1\nr0 = r12\n");
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code, Code::Syntax);
  EXPECT_EQ(bytes.error().where->line, 2u);
  EXPECT_TRUE(bytes.error().where->column.has_value());
}

TEST(ApiAssemble, DisassemblyRefusesWhatIsNoProgram) {
  const std::uint8_t odd[3] = {};
  EXPECT_EQ(disassemble(odd).error().code, Code::Truncated);
}

}  // namespace
}  // namespace skep
