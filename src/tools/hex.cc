// SPDX-License-Identifier: Apache-2.0
// Hexadecimal text -> bytes, two digits each.
// Tested by tests/e2e/asm.sh
#include "tools/hex.h"

#include <algorithm>

namespace skep::tools {

namespace {

bool separates(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',';
}

/// -1 for what is no digit.
int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

bool looks_like_hex(std::string_view text) {
  const auto fits = [](char c) { return separates(c) || digit(c) >= 0 || c == 'x'; };
  return std::all_of(text.begin(), text.end(), fits) &&
         std::any_of(text.begin(), text.end(), [](char c) { return digit(c) >= 0; });
}

Result<std::vector<u8>> parse_hex(std::string_view text) {
  std::vector<u8> bytes;
  u32 line = 1;
  std::size_t line_start = 0, at = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (separates(c)) {
      ++at;
      if (c == '\n') {
        ++line;
        line_start = at;
      }
      continue;
    }
    const bool prefix = text.substr(at).starts_with("0x");
    const std::size_t first = prefix ? at + 2 : at;
    const int high = first < text.size() ? digit(text[first]) : -1;
    const int low = first + 1 < text.size() ? digit(text[first + 1]) : -1;
    if (high < 0 || low < 0) {
      return error_at_line(Code::Syntax, line, static_cast<u32>(at - line_start) + 1,
                           "expected a byte as two hexadecimal digits");
    }
    bytes.push_back(static_cast<u8>(high * 16 + low));
    at = first + 2;
  }
  return bytes;
}

}  // namespace skep::tools
