// SPDX-License-Identifier: Apache-2.0
// Bytes written as hexadecimal text: "b7 00 00 00", "b7000000", "0xb7, 0x00".
#pragma once

#include <string_view>
#include <vector>

#include "support/result.h"

namespace skep::tools {

/// Whether the text could be hex: it has digits, and nothing that parse_hex refuses as a character.
bool looks_like_hex(std::string_view text);

/// The bytes. Blanks, line ends, commas and 0x may stand between them. Errors: Syntax with the
/// place.
Result<std::vector<u8>> parse_hex(std::string_view text);

}  // namespace skep::tools
