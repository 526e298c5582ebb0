// SPDX-License-Identifier: Apache-2.0
#include "support/error.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "support/result.h"

namespace skep {
namespace {

TEST(Error, TextNamesTheInstruction) {
  EXPECT_EQ(to_string(error_at_pc(Code::BadInsn, 7, "unknown opcode 0xff")),
            "insn 7: unknown opcode 0xff");
}

TEST(Error, TextNamesLineAndColumn) {
  EXPECT_EQ(to_string(error_at_line(Code::Syntax, 3, 9, "expected ','")),
            "line 3, column 9: expected ','");
}

TEST(Error, CodesMapToErrno) {
  EXPECT_EQ(to_errno(Code::Rejected), EACCES);
  EXPECT_EQ(to_errno(Code::TooLong), E2BIG);
  EXPECT_EQ(to_string(Code::Truncated), "Truncated");
}

TEST(Error, ErrnoIsTheKernelsWhereItHasAnotherOne) {
  constexpr int kEnotsupp = 524;
  EXPECT_EQ(to_errno(Error{Code::TooLong, "long"}), E2BIG);
  EXPECT_EQ(to_errno(Error{.code = Code::Unsupported, .message = "", .kernel_errno = kEnotsupp}),
            kEnotsupp);
}

Result<int> half(int x) {
  if (x % 2 != 0) return Error{Code::InvalidArgument, "odd"};
  return x / 2;
}

Result<int> quarter(int x) {
  SKEP_TRY(int h, half(x));
  return half(h);
}

TEST(Result, TryPassesTheFirstErrorOn) {
  EXPECT_EQ(quarter(8).value(), 2);
  ASSERT_FALSE(quarter(6).has_value());
  EXPECT_EQ(quarter(6).error().message, "odd");
}

}  // namespace
}  // namespace skep
