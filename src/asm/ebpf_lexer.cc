// SPDX-License-Identifier: Apache-2.0
// The tokens of a line. An operator is the longest symbol of the table that fits, so that `s>>=` is
// one token and `r1 =-5` is three.
// Tested by ebpf_assembler_test.cc
#include "asm/ebpf_lexer.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/ebpf.h"

namespace skep::assembler::ebpf {
namespace {

using isa::ebpf::Kind;
using isa::ebpf::kOpInfo;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_word_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '$';
}
bool is_word_char(char c) {
  return is_word_start(c) || is_digit(c);
}

/// The operators of the table, each once.
struct Operators {
  std::array<std::string_view, isa::ebpf::kOpCount> text{};
  std::size_t count = 0;
};

constexpr Operators make_operators() {
  Operators operators;
  for (const auto& op : kOpInfo) {
    if (op.kind != Kind::Alu && op.kind != Kind::Jmp) continue;
    bool known = false;
    for (std::size_t i = 0; i < operators.count; ++i) known |= operators.text[i] == op.symbol;
    if (!known) operators.text[operators.count++] = op.symbol;
  }
  return operators;
}

constexpr Operators kOperators = make_operators();

/// Length of the longest operator that text starts with, 0 when it starts with none.
std::size_t operator_length(std::string_view text) {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < kOperators.count; ++i) {
    const std::string_view op = kOperators.text[i];
    if (op.size() > longest && text.starts_with(op)) longest = op.size();
  }
  return longest;
}

/// A digit's value, 16 when it is none.
unsigned digit_value(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return 16;
}

/// The value of a decimal or hexadecimal number, or what is wrong with it.
Result<u64> number_value(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  std::string_view digits = hex ? text.substr(2) : text;
  const unsigned base = hex ? 16 : 10;
  if (digits.empty()) return Error{Code::Syntax, "a hexadecimal number has digits after 0x"};
  if (!hex && digits.size() > 1 && digits.front() == '0') {
    // Assemblers disagree whether 010 is 8 or 10.
    return Error{Code::Syntax, "a number may not start with 0: write it as decimal or as 0x..."};
  }
  u64 value = 0;
  for (char c : digits) {
    const unsigned digit = digit_value(c);
    if (digit >= base) return Error{Code::Syntax, fmt::format("'{}' is not a number", text)};
    if (__builtin_mul_overflow(value, u64{base}, &value) ||
        __builtin_add_overflow(value, u64{digit}, &value)) {
      return Error{Code::Syntax, "the number does not fit in 64 bits"};
    }
  }
  return value;
}

bool starts_comment(std::string_view rest, const std::vector<Token>& before, bool glued) {
  if (rest.starts_with(';') || rest.starts_with("//")) return true;
  if (!rest.starts_with('#')) return false;
  const bool after_word = glued && !before.empty() && before.back().kind == TokenKind::Word;
  const bool number = rest.size() > 1 && (is_digit(rest[1]) || rest[1] == '-');
  return !(after_word && number);
}

/// Length of the token that text, which is not empty, starts with, and its kind.
std::pair<std::size_t, TokenKind> measure(std::string_view text) {
  // An operator first: `s>` must not become the word `s`.
  if (const std::size_t length = operator_length(text); length > 0) {
    return {length, TokenKind::Symbol};
  }
  if (!is_word_char(text.front())) return {1, TokenKind::Symbol};
  const auto end = std::find_if_not(text.begin(), text.end(), is_word_char);
  return {static_cast<std::size_t>(end - text.begin()),
          is_digit(text.front()) ? TokenKind::Number : TokenKind::Word};
}

}  // namespace

Result<std::vector<Token>> tokenize(std::string_view text, u32 line_number, u32 first_column) {
  std::vector<Token> tokens;
  std::size_t at = 0;
  const auto column = [&at, first_column] { return first_column + static_cast<u32>(at); };
  bool glued = false;  // to the token before
  while (at < text.size()) {
    const char c = text[at];
    if (c == ' ' || c == '\t' || c == '\r') {
      ++at;
      glued = false;
      continue;
    }
    const std::string_view rest = text.substr(at);
    if (starts_comment(rest, tokens, glued)) break;
    if (const auto byte = static_cast<unsigned char>(c); byte < 0x20 || byte > 0x7e) {
      return error_at_line(Code::Syntax, line_number, column(),
                           fmt::format("unexpected byte 0x{:02x}", byte));
    }
    auto [length, kind] = measure(rest);
    Token token{.kind = kind, .text = rest.substr(0, length), .number = 0, .column = column()};
    if (kind == TokenKind::Number) {
      // `5ll` is `5 ll`.
      if (token.text.size() > 2 && token.text.ends_with("ll")) token.text.remove_suffix(2);
      length = token.text.size();
      auto value = number_value(token.text);
      if (!value) {
        return error_at_line(Code::Syntax, line_number, column(), value.error().message);
      }
      token.number = *value;
    }
    tokens.push_back(token);
    at += length;
    glued = true;
  }
  tokens.push_back(Token{.kind = TokenKind::End, .text = {}, .number = 0, .column = column()});
  return tokens;
}

const Token& Cursor::peek(std::size_t ahead) const {
  return tokens_[std::min(position_ + ahead, tokens_.size() - 1)];
}

const Token& Cursor::take() {
  const Token& token = peek();
  if (position_ + 1 < tokens_.size()) ++position_;
  return token;
}

bool Cursor::accept(std::string_view text) {
  if (at_end() || !peek().is(text)) return false;
  take();
  return true;
}

Status Cursor::expect(std::string_view text) {
  if (accept(text)) return {};
  return expected(fmt::format("'{}'", text));
}

Error Cursor::expected(std::string_view what) const {
  const Token& found = peek();
  return error_at(found, found.kind == TokenKind::End
                             ? fmt::format("expected {}, but the line ends", what)
                             : fmt::format("expected {}, found '{}'", what, found.text));
}

Error Cursor::error_at(const Token& token, std::string message) const {
  return error_at_line(Code::Syntax, line_, token.column, std::move(message));
}

}  // namespace skep::assembler::ebpf
