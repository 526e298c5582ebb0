// SPDX-License-Identifier: Apache-2.0
// One line of eBPF assembly as tokens, whatever its notation: words, numbers, symbols. Comments
// (`;`, `//`, `#`) end the line; a `#` glued to a word and a number is a helper's number instead,
// as in the kernel's `call bpf_map_lookup_elem#1`. The operators come from the table (ebpf.def).
//
// The namespace cannot follow the folder here, because `asm` is a keyword of C++.
// Tested by ebpf_assembler_test.cc
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "support/ints.h"
#include "support/result.h"

namespace skep::assembler::ebpf {

enum class TokenKind : u8 { Word, Number, Symbol, End };

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text = {};  ///< points into the line
  u64 number = 0;              ///< Number: its value
  u32 column = 1;              ///< in bytes, from 1
  /// Whether this is the word or symbol text.
  bool is(std::string_view what) const { return kind != TokenKind::Number && text == what; }
};

/// The tokens of one line (without its end), the last one an End. first_column is where the text
/// stands in the whole line. Errors: Syntax for characters and numbers that cannot be.
Result<std::vector<Token>> tokenize(std::string_view text, u32 line_number, u32 first_column);

/// A place in the tokens of a statement, and the errors that name it.
class Cursor {
 public:
  /// tokens ends with an End token and outlives the cursor.
  Cursor(std::span<const Token> tokens, u32 line_number) : tokens_(tokens), line_(line_number) {}

  /// The token ahead steps from here; the End token when there are fewer.
  const Token& peek(std::size_t ahead = 0) const;
  bool at_end() const { return peek().kind == TokenKind::End; }
  /// The token here, and a step on.
  const Token& take();
  /// A step on if the token here is that word or symbol.
  bool accept(std::string_view text);
  /// Like accept(), but anything else is an error.
  Status expect(std::string_view text);
  /// "expected WHAT, found ..." at the token here.
  Error expected(std::string_view what) const;
  /// A Syntax error at token.
  Error error_at(const Token& token, std::string message) const;
  u32 line() const { return line_; }
  /// Goes on at the End token.
  void skip_rest() { position_ = tokens_.size() - 1; }

 private:
  std::span<const Token> tokens_;
  std::size_t position_ = 0;
  u32 line_;
};

}  // namespace skep::assembler::ebpf
