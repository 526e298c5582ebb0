// SPDX-License-Identifier: Apache-2.0
// What a fallible function of skep reports: a code from error_codes.def, one sentence for a
// person, and the place in the input. The library never throws, prints or exits.
// Tested by src/support/error_test.cc
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "skep/export.h"

namespace skep {

/// The kind of an error; one enumerator a row of error_codes.def.
enum class Code : std::uint8_t {
#define X(name, number, sentence) name,
#include "skep/error_codes.def"
#undef X
};

/// The code's name as written in error_codes.def.
SKEP_API std::string_view to_string(Code code);
/// The code's sentence.
SKEP_API std::string_view sentence(Code code);
/// The positive errno value that the C API returns for the code.
SKEP_API int to_errno(Code code);

/// A place in an input; fields that do not apply are empty.
struct Where {
  std::optional<std::uint32_t> pc = std::nullopt;      ///< instruction index (slot) in the program
  std::optional<std::uint64_t> offset = std::nullopt;  ///< bytes from the start of the file
  std::optional<std::uint32_t> line = std::nullopt;    ///< source line, from 1
  std::optional<std::uint32_t> column = std::nullopt;  ///< source column in bytes, from 1
  std::string section = {};                            ///< section or file name, may be empty
  bool operator==(const Where&) const = default;
};

/// Why something failed.
struct Error {
  Code code = Code::InvalidArgument;
  std::string message;  ///< for a person; without the place, without a full stop
  std::optional<Where> where = std::nullopt;
  int kernel_errno =
      0;  ///< the kernel's errno for this refusal, where it is not the code's; else 0
};

/// The positive errno value for the error: kernel_errno when there is one, else the code's.
SKEP_API int to_errno(const Error& error);

/// "insn 7: message", "line 3, column 9: message", "offset 24: message" or just the message.
SKEP_API std::string to_string(const Error& error);

}  // namespace skep
