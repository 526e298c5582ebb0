// SPDX-License-Identifier: Apache-2.0
// Errors in text, shown with their line. Bytes that a terminal would act on are never copied.
// Tested by diagnostic_test.cc
#include "support/diagnostic.h"

#include <algorithm>

namespace skep {
namespace {

constexpr std::size_t kMargin = 60;  // of a very long line, shown on both sides of the caret

/// The line of source with that number (from 1), empty when there are fewer lines.
std::string_view line_at(std::string_view source, u32 number) {
  for (u32 i = 1; i < number; ++i) {
    const std::size_t end = source.find('\n');
    if (end == std::string_view::npos) return {};
    source.remove_prefix(end + 1);
  }
  return source.substr(0, source.find('\n'));
}

/// Bytes of the UTF-8 sequence that text begins with; 0 where it is none.
std::size_t sequence_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first < 0x80             ? 1
                             : (first & 0xe0) == 0xc0 ? 2
                             : (first & 0xf0) == 0xe0 ? 3
                             : (first & 0xf8) == 0xf0 ? 4
                                                      : 0;
  if (length > text.size()) return 0;
  for (const char c : text.substr(0, length).substr(length == 0 ? 0 : 1)) {
    if ((c & 0xc0) != 0x80) return 0;
  }
  return length;
}

/// Control characters would move the caret or speak to the terminal; a tab is one column here.
/// Bytes that are no UTF-8 (binary input) become '?'.
std::string printable(std::string_view line) {
  std::string text(line);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(std::string_view(text).substr(at));
    const auto byte = static_cast<unsigned char>(text[at]);
    if (length == 0) text[at] = '?';
    if (byte < 0x20 || byte == 0x7f) text[at] = ' ';
    at += std::max<std::size_t>(length, 1);
  }
  return text;
}

/// How many terminal columns text takes: continuation bytes of UTF-8 take none.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

std::string caret_text(std::string_view file, std::string_view source, const Error& error) {
  std::string text(file);
  const bool has_line = error.where && error.where->line;
  const bool has_column = has_line && error.where->column;
  if (has_line) text += ":" + std::to_string(*error.where->line);
  if (has_column) text += ":" + std::to_string(*error.where->column);
  text += ": error: ";
  // Without a line, to_string() names the instruction or offset that the error is about.
  text += (has_line ? error.message : to_string(error)) + "\n";
  if (!has_column) return text;

  std::string line = printable(line_at(source, *error.where->line));
  std::size_t caret = std::min<std::size_t>(*error.where->column - 1, line.size());
  const std::size_t skipped = caret > kMargin ? caret - kMargin : 0;
  line = line.substr(skipped, kMargin * 2);
  caret -= skipped;
  if (line.empty()) return text;
  text += "  " + line + "\n  ";
  text.append(columns(std::string_view(line).substr(0, caret)), ' ');
  return text + "^\n";
}

void Diagnostics::add(Error error) {
  if (!full()) errors_.push_back(std::move(error));
}

std::string caret_text(std::string_view file, std::string_view source, const Diagnostics& found) {
  std::string text;
  for (const Error& error : found.errors()) text += caret_text(file, source, error);
  if (found.full()) {
    text += std::string(file) + ": error: too many errors, the rest is not shown\n";
  }
  return text;
}

}  // namespace skep
