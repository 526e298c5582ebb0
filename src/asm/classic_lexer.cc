// SPDX-License-Identifier: Apache-2.0
// Tested by classic_assembler_test.cc
#include "asm/classic_lexer.h"

#include <charconv>
#include <string>

namespace skep::assembler::classic {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
bool is_word_start(char c) {
  return (lower(c) >= 'a' && lower(c) <= 'z') || c == '_';
}
bool is_word(char c) {
  return is_word_start(c) || is_digit(c);
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  Result<std::vector<Token>> run() {
    std::vector<Token> tokens;
    for (;;) {
      SKEP_TRY_DO(skip_blanks());
      Token token{TokenKind::End, {}, 0, line_, column()};
      if (at_ < source_.size()) SKEP_TRY_DO(read(token));
      tokens.push_back(token);
      if (token.kind == TokenKind::End) return tokens;
    }
  }

 private:
  u32 column() const { return static_cast<u32>(at_ - line_start_ + 1); }
  char here() const { return at_ < source_.size() ? source_[at_] : '\0'; }
  char next() const { return at_ + 1 < source_.size() ? source_[at_ + 1] : '\0'; }
  Error error(std::string message) const {
    return error_at_line(Code::Syntax, line_, column(), std::move(message));
  }
  void newline() {
    ++line_;
    line_start_ = at_ + 1;
  }
  void skip_line() {
    while (at_ < source_.size() && here() != '\n') ++at_;
  }

  Status skip_blanks() {
    for (; at_ < source_.size(); ++at_) {
      if (here() == ';' || (here() == '#' && at_ == line_start_)) skip_line();
      if (here() == '/' && next() == '*') {
        SKEP_TRY_DO(skip_comment());
        continue;
      }
      if (here() == '\n')
        newline();
      else if (here() != ' ' && here() != '\t' && here() != '\r')
        break;
    }
    return {};
  }

  // Leaves at the comment's last character.
  Status skip_comment() {
    const Error unfinished = error("this comment does not end");
    for (at_ += 2; at_ < source_.size(); ++at_) {
      if (here() == '*' && next() == '/') {
        ++at_;
        return {};
      }
      if (here() == '\n') newline();
    }
    return unfinished;
  }

  Status read(Token& token) {
    const std::size_t start = at_;
    if (is_word_start(here())) {
      token.kind = TokenKind::Word;
      while (is_word(here())) ++at_;
    } else if (is_digit(here()) || (here() == '-' && is_digit(next()))) {
      token.kind = TokenKind::Number;
      SKEP_TRY_DO(read_number(token));
    } else if (std::string_view("#%[](){}+*&:,").find(here()) != std::string_view::npos) {
      token.kind = TokenKind::Symbol;
      ++at_;
    } else {
      return error(std::string("unexpected character '") + here() + "'");
    }
    token.text = source_.substr(start, at_ - start);
    return {};
  }

  Status read_number(Token& token) {
    const Error unfit = error("this number does not fit 32 bits");
    const bool negative = here() == '-';
    if (negative) ++at_;
    int base = 10;
    if (here() == '0' && (lower(next()) == 'x' || lower(next()) == 'b')) {
      base = lower(next()) == 'x' ? 16 : 2;
      at_ += 2;
    } else if (here() == '0' && is_digit(next()) && !(at_ > 0 && source_[at_ - 1] == '(')) {
      base = 8;  // but (008) is the index of a listing's line
    }
    const char* first = source_.data() + at_;
    const char* last = source_.data() + source_.size();
    u64 value = 0;
    const auto [end, status] = std::from_chars(first, last, value, base);
    if (status == std::errc::result_out_of_range) return unfit;
    if (end == first || (end != last && is_word(*end))) return error("this is not a number");
    if (value > (negative ? 0x8000'0000 : 0xffff'ffff)) return unfit;
    at_ += static_cast<std::size_t>(end - first);
    token.number = static_cast<u32>(negative ? 0 - value : value);
    return {};
  }

  std::string_view source_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  u32 line_ = 1;
};

}  // namespace

bool Token::is(std::string_view word) const {
  if (kind != TokenKind::Word || text.size() != word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i)
    if (lower(text[i]) != lower(word[i])) return false;
  return true;
}

Result<std::vector<Token>> tokenize(std::string_view source) {
  return Lexer(source).run();
}

}  // namespace skep::assembler::classic
