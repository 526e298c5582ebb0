// SPDX-License-Identifier: Apache-2.0
// Tests of diagnostic.h.
#include "support/diagnostic.h"

#include <gtest/gtest.h>

namespace skep {
namespace {

TEST(CaretText, ShowsTheLineAndTheColumn) {
  const Error error = error_at_line(Code::Syntax, 2, 6, "there is no register r11");
  EXPECT_EQ(caret_text("prog.s", "exit\nr1 = r11\nexit\n", error),
            "prog.s:2:6: error: there is no register r11\n"
            "  r1 = r11\n"
            "       ^\n");
}

TEST(CaretText, TabsCountAsOneColumnAndControlBytesAreNotShown) {
  const Error error = error_at_line(Code::Syntax, 1, 3, "what");
  EXPECT_EQ(caret_text("f", "\t\x1b[31m", error), "f:1:3: error: what\n    [31m\n    ^\n");
}

TEST(CaretText, ContinuationBytesOfUtf8TakeNoColumn) {
  const Error error = error_at_line(Code::Syntax, 1, 4, "what");
  EXPECT_EQ(caret_text("f", "\xc3\xa9 x", error), "f:1:4: error: what\n  \xc3\xa9 x\n    ^\n");
}

TEST(CaretText, BytesThatAreNoUtf8AreQuestionMarks) {
  const Error error = error_at_line(Code::Syntax, 1, 5, "what");
  EXPECT_EQ(caret_text("f", "\xff\xb7 \xc3", error), "f:1:5: error: what\n  ?? ?\n      ^\n");
}

TEST(CaretText, PlacesWithoutALineAreNamedInTheMessage) {
  EXPECT_EQ(caret_text("f", "", error_at_pc(Code::BadInsn, 7, "what")), "f: error: insn 7: what\n");
  EXPECT_EQ(caret_text("f", "", Error{Code::Io, "what"}), "f: error: what\n");
}

TEST(CaretText, APlacePastTheSourceIsOnlyNamed) {
  EXPECT_EQ(caret_text("f", "a\n", error_at_line(Code::Syntax, 9, 9, "what")),
            "f:9:9: error: what\n");
}

TEST(CaretText, LongLinesAreCutAroundTheCaret) {
  const std::string line = std::string(500, 'a') + "!" + std::string(500, 'b');
  const std::string text = caret_text("f", line, error_at_line(Code::Syntax, 1, 501, "what"));
  EXPECT_LT(text.size(), 250U);
  const std::size_t bang = text.find('!');
  const std::size_t line_start = text.rfind('\n', bang);
  const std::size_t caret = text.rfind('^');
  EXPECT_EQ(bang - line_start, caret - text.rfind('\n', caret));
}

TEST(Diagnostics, StopsTakingErrorsAtItsLimit) {
  Diagnostics found;
  EXPECT_TRUE(found.empty());
  for (u32 i = 1; i <= 2 * Diagnostics::kLimit; ++i) {
    found.add(error_at_line(Code::Syntax, i, 1, "what"));
  }
  EXPECT_TRUE(found.full());
  EXPECT_EQ(found.errors().size(), Diagnostics::kLimit);
  EXPECT_NE(caret_text("f", "", found).find("too many errors"), std::string::npos);
}

}  // namespace
}  // namespace skep
