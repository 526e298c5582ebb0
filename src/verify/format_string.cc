// SPDX-License-Identifier: Apache-2.0
//   text | %% | % [0 +-]* width? ( p pointer? | s | c | l? l? [iduxX] )
//   pointer: ks us (strings), K x s S B, i4 i6 I4 I6 (addresses), or nothing before a space or sign
// Tested by format_string_test.cc
#include "verify/format_string.h"

namespace skep::verify {
namespace {

bool is_ascii(char c) {
  return static_cast<u8>(c) < 0x80;
}
bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
bool is_printable(char c) {
  return c >= ' ' && c <= '~';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_sign(char c) {
  return is_printable(c) && c != ' ' && !is_digit(c) && !is_letter(c);
}

class Parser {
 public:
  Parser(std::string_view format, u32 args) : text_(format), args_(args) {}

  bool run() {
    while (at_ < text_.size()) {
      const char c = peek();
      if (is_ascii(c) && !is_printable(c) && !is_space(c)) return false;
      ++at_;
      if (c != '%') continue;
      if (peek() == '%') {
        ++at_;
        continue;
      }
      if (used_++ >= args_ || !conversion()) return false;
    }
    return true;
  }

 private:
  // The terminating 0 at the end.
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool ends_word(std::size_t ahead) const {
    const char c = peek(ahead);
    return c == 0 || is_space(c) || is_sign(c);
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  bool conversion() {
    if (!is_ascii(peek())) return false;
    while (peek() == '0' || peek() == '+' || peek() == '-' || peek() == ' ') ++at_;
    while (is_digit(peek())) ++at_;
    if (accept('p')) return pointer();
    if (accept('s')) return ends_word(0);
    if (accept('c')) return true;
    if (accept('l')) accept('l');
    constexpr std::string_view kIntegers = "iduxX";
    if (peek() == 0 || kIntegers.find(peek()) == std::string_view::npos) return false;
    ++at_;
    return true;
  }

  bool pointer() {
    if (ends_word(0)) return true;
    const char kind = peek();
    ++at_;
    if ((kind == 'k' || kind == 'u') && peek() == 's') {
      ++at_;
      return ends_word(0);
    }
    if (kind == 'K' || kind == 'x' || kind == 's' || kind == 'S' || kind == 'B') return true;
    return (kind == 'i' || kind == 'I') && (accept('4') || accept('6'));
  }

  std::string_view text_;
  u32 args_;
  std::size_t at_ = 0;
  u32 used_ = 0;
};

}  // namespace

bool is_format_string(std::string_view format, u32 args) {
  return Parser(format, args).run();
}

}  // namespace skep::verify
