// SPDX-License-Identifier: Apache-2.0
// The check of options that count something. CLI11's own for positive numbers answers a 0 with all
// 309 digits of the largest double.
// Tested by tests/e2e/filter_bad_input.sh
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "support/ints.h"

namespace skep::tools {

/// Refuses 0, negative numbers and what is no whole number.
inline CLI::Validator at_least_one() {
  const auto check = [](std::string& text) -> std::string {
    u64 number = 0;
    // CLI11 takes -1 for the largest number.
    const bool negative = text.starts_with('-');
    if (!negative && CLI::detail::lexical_cast(text, number) && number != 0) return {};
    return "'" + text + "' is not a whole number of 1 or more";
  };
  return CLI::Validator(check, "", "at_least_one");
}

}  // namespace skep::tools
