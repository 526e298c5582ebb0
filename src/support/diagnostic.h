// SPDX-License-Identifier: Apache-2.0
// How an error in a text is shown: the compiler's way, with the line and a caret under the column.
// A component that finds more than one error in one run (assemblers, validators) collects them in a
// Diagnostics list, which stops taking them when a person would have stopped reading.
//
//   prog.s:3:9: error: there is no register r11
//     r1 = r11
//          ^
// Tested by diagnostic_test.cc
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/error.h"

namespace skep {

/// The error as "file:line:column: error: message", the line of source that it names, and a caret
/// below its column; parts that the error's place does not have are left out. Ends with a newline.
std::string caret_text(std::string_view file, std::string_view source, const Error& error);

/// The first errors of one run over one input, in the order of their discovery.
class Diagnostics {
 public:
  static constexpr std::size_t kLimit = 20;  ///< errors kept

  /// Keeps the error, unless kLimit are there already.
  void add(Error error);
  bool empty() const { return errors_.empty(); }
  /// No more will be kept; the one who looks for them may stop.
  bool full() const { return errors_.size() >= kLimit; }
  const std::vector<Error>& errors() const { return errors_; }

 private:
  std::vector<Error> errors_;
};

/// caret_text() of each error, and a last line when there may be more.
std::string caret_text(std::string_view file, std::string_view source, const Diagnostics& found);

}  // namespace skep
