// SPDX-License-Identifier: Apache-2.0
// Any text into the classic assembler. Refused text must have an error that can be shown; text that
// assembles must come back from the numeric notations, and, if bpf_asm's notation can say it, from
// that one unchanged from the second time on (it drops fields that mean nothing).
#include <string_view>

#include "asm/classic_assembler.h"
#include "asm/classic_printer.h"
#include "support/assert.h"
#include "support/diagnostic.h"

using namespace skep;                // NOLINT: a program
using namespace assembler::classic;  // NOLINT

extern "C" int LLVMFuzzerTestOneInput(const u8* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto program = assemble(text);
  if (!program) {
    const Error& error = program.error();
    SKEP_CHECK(error.where && error.where->line && error.where->column);
    SKEP_CHECK(!caret_text("fuzz.bpf", text, error).empty());
    return 0;
  }
  SKEP_CHECK(assemble(print_c(*program)).value() == *program);
  SKEP_CHECK(assemble(print_numbers(*program)).value() == *program);
  SKEP_CHECK(!print_listing(*program).empty() || program->empty());
  const auto first = print_bpf_asm(*program);
  if (!first) return 0;
  const auto again = assemble(*first);
  SKEP_CHECK(again.has_value() && again->size() == program->size());
  SKEP_CHECK(print_bpf_asm(*again).value() == *first);
  return 0;
}
