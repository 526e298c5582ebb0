// SPDX-License-Identifier: Apache-2.0
// Any text into the eBPF assembler. Refused text must have errors that can be shown; text that
// assembles must come back from every notation, with and without indexes, as the same instructions.
#include <string_view>

#include "asm/ebpf_assembler.h"
#include "asm/ebpf_disassembler.h"
#include "isa/ebpf_codec.h"
#include "support/assert.h"
#include "support/diagnostic.h"

using namespace skep;             // NOLINT: a program
using namespace assembler::ebpf;  // NOLINT

extern "C" int LLVMFuzzerTestOneInput(const u8* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  constexpr HelperName kHelpers[] = {{1, "bpf_map_lookup_elem"}, {5, "bpf_ktime_get_ns"}};
  Diagnostics found;
  const auto program = assemble(text, {.helpers = kHelpers}, &found);
  SKEP_CHECK(program.has_value() == found.empty());
  if (!program) {
    for (const Error& error : found.errors()) {
      SKEP_CHECK(error.where && error.where->line && error.where->column);
    }
    SKEP_CHECK(!caret_text("fuzz.s", text, found).empty());
    return 0;
  }
  for (Notation notation : {Notation::Llvm, Notation::Kernel, Notation::Mnemonic}) {
    for (bool indexes : {false, true}) {
      const auto again =
          assemble(disassemble(*program, notation, {.indexes = indexes, .helpers = kHelpers}));
      SKEP_CHECK(again.has_value() && *again == *program);
    }
  }
  const auto decoded = isa::ebpf::decode(isa::ebpf::encode(*program));
  SKEP_CHECK(decoded.has_value() && *decoded == *program);
  return 0;
}
