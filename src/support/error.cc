// SPDX-License-Identifier: Apache-2.0
// Text and errno of errors, from the rows of error_codes.def.
// Tested by error_test.cc
#include "support/error.h"

#include <cerrno>

#include "support/assert.h"

namespace skep {

std::string_view to_string(Code code) {
  switch (code) {
#define X(name, number, text) \
  case Code::name:            \
    return #name;
#include "skep/error_codes.def"
#undef X
  }
  unreachable();
}

std::string_view sentence(Code code) {
  switch (code) {
#define X(name, number, text) \
  case Code::name:            \
    return text;
#include "skep/error_codes.def"
#undef X
  }
  unreachable();
}

int to_errno(Code code) {
  switch (code) {
#define X(name, number, text) \
  case Code::name:            \
    return number;
#include "skep/error_codes.def"
#undef X
  }
  unreachable();
}

int to_errno(const Error& error) {
  return error.kernel_errno != 0 ? error.kernel_errno : to_errno(error.code);
}

std::string to_string(const Error& error) {
  if (!error.where) return error.message;
  const Where& where = *error.where;
  std::string place = where.section;
  auto add = [&place](std::string_view what, u64 number) {
    if (!place.empty()) place += ", ";
    place += what;
    place += std::to_string(number);
  };
  if (where.pc) add("insn ", *where.pc);
  if (where.offset) add("offset ", *where.offset);
  if (where.line) add("line ", *where.line);
  if (where.column) add("column ", *where.column);
  return place.empty() ? error.message : place + ": " + error.message;
}

}  // namespace skep
