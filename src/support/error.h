// SPDX-License-Identifier: Apache-2.0
// The errors of the public header, and short ways to make one that names a place.
// Tested by error_test.cc
#pragma once

#include <string>
#include <utility>

#include "skep/error.h"
#include "support/ints.h"

namespace skep {

inline Error error_at_pc(Code code, u32 pc, std::string message) {
  return {code, std::move(message), Where{.pc = pc}};
}
inline Error error_at_offset(Code code, u64 offset, std::string message) {
  return {code, std::move(message), Where{.offset = offset}};
}
inline Error error_at_line(Code code, u32 line, u32 column, std::string message) {
  return {code, std::move(message), Where{.line = line, .column = column}};
}

}  // namespace skep
