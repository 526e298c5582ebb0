// SPDX-License-Identifier: Apache-2.0
// Programs from files, for `skep filter --program`.
// Tested by tests/e2e/filter_program.sh
#include <charconv>
#include <fstream>
#include <iterator>

#include "tools/filter_source.h"

namespace skep::tools {

namespace {

// Reads decimal numbers that spaces, commas and newlines separate (bpf_asm writes one line).
class NumberReader {
 public:
  explicit NumberReader(std::string_view text) : text_(text) {}

  bool at_end() {
    while (position_ < text_.size() && separates(text_[position_])) {
      if (text_[position_] == '\n') {
        ++line_;
        line_start_ = position_ + 1;
      }
      ++position_;
    }
    return position_ == text_.size();
  }
  template <class T>
  Result<T> next() {
    if (at_end()) return here("a number is missing at the end");
    T number = 0;
    const char* start = text_.data() + position_;
    const auto [end, failed] = std::from_chars(start, text_.data() + text_.size(), number);
    const auto after = static_cast<std::size_t>(end - text_.data());
    if (failed != std::errc() || (after < text_.size() && !separates(text_[after]))) {
      return here("not a number that fits its field");
    }
    position_ = after;
    return number;
  }
  Error here(std::string message) const {
    return error_at_line(Code::Syntax, line_, static_cast<u32>(position_ - line_start_ + 1),
                         std::move(message));
  }

 private:
  static bool separates(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',';
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t line_start_ = 0;
  u32 line_ = 1;
};

Result<capture::Program> parse_numbers(std::string_view text) {
  NumberReader reader(text);
  SKEP_TRY(const u32 count, reader.next<u32>());
  capture::Program program;
  while (!reader.at_end()) {
    SKEP_TRY(const u16 code, reader.next<u16>());
    SKEP_TRY(const u8 jt, reader.next<u8>());
    SKEP_TRY(const u8 jf, reader.next<u8>());
    SKEP_TRY(const u32 k, reader.next<u32>());
    program.push_back({.code = code, .jt = jt, .jf = jf, .k = k});
  }
  if (program.size() != count) {
    return error_at_line(Code::Syntax, 1, 1,
                         "the first number promises " + std::to_string(count) +
                             " instructions, but there are " + std::to_string(program.size()));
  }
  return program;
}

}  // namespace

Result<capture::Program> read_program_file(const std::string& path) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.is_open() || file.bad()) return Error{Code::Io, "cannot be read"};
  return parse_numbers(text);
}

}  // namespace skep::tools
