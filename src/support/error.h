// SPDX-License-Identifier: Apache-2.0
// What a fallible function reports: a code from error_codes.def, one sentence for a person, and
// the place in the input. Results travel in Result<T> (result.h).
// Tested by error_test.cc
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "support/ints.h"

namespace skep {

enum class Code : u8 {
#define X(name, number, sentence) name,
#include "support/error_codes.def"
#undef X
};

/// The code's name as written in error_codes.def.
std::string_view to_string(Code code);
/// The code's sentence.
std::string_view sentence(Code code);
/// The positive errno value that the C API returns for the code.
int to_errno(Code code);

/// A place in an input; fields that do not apply are empty.
struct Where {
  std::optional<u32> pc;      ///< instruction index (slot) in the program
  std::optional<u64> offset;  ///< bytes from the start of the file
  std::optional<u32> line;    ///< source line, from 1
  std::optional<u32> column;  ///< source column, from 1
  std::string section;        ///< section or file name, may be empty
  bool operator==(const Where&) const = default;
};

struct Error {
  Code code = Code::InvalidArgument;
  std::string message;
  std::optional<Where> where = std::nullopt;
};

/// "insn 7: message", "line 3, column 9: message", "offset 24: message" or just the message.
std::string to_string(const Error& error);

inline Error error_at_pc(Code code, u32 pc, std::string message) {
  return Error{code, std::move(message),
               Where{.pc = pc, .offset = {}, .line = {}, .column = {}, .section = {}}};
}
inline Error error_at_offset(Code code, u64 offset, std::string message) {
  return Error{code, std::move(message),
               Where{.pc = {}, .offset = offset, .line = {}, .column = {}, .section = {}}};
}
inline Error error_at_line(Code code, u32 line, u32 column, std::string message) {
  return Error{code, std::move(message),
               Where{.pc = {}, .offset = {}, .line = line, .column = column, .section = {}}};
}

}  // namespace skep
