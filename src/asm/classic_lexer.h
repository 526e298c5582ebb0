// SPDX-License-Identifier: Apache-2.0
// A text with classic instructions, in any of its notations, as tokens: words, numbers, symbols.
// Comments are bpf_asm's: `;` to the end of the line, a `#` that is the first character of a line,
// /* ... */.
// Tested by classic_assembler_test.cc
#pragma once

#include <string_view>
#include <vector>

#include "support/ints.h"
#include "support/result.h"

namespace skep::assembler::classic {

enum class TokenKind : u8 { Word, Number, Symbol, End };

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;  ///< points into the source
  u32 number = 0;         ///< Number: its value, as 32 bits
  u32 line = 1;           ///< from 1
  u32 column = 1;         ///< in bytes, from 1

  bool is(char symbol) const { return kind == TokenKind::Symbol && text[0] == symbol; }
  /// Whether this is the given word, in upper or lower case.
  bool is(std::string_view word) const;
};

/// The tokens of source, the last one an End. Errors: Syntax, with line and column.
Result<std::vector<Token>> tokenize(std::string_view source);

}  // namespace skep::assembler::classic
