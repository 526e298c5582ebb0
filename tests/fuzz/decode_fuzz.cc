// SPDX-License-Identifier: Apache-2.0
// Any bytes into the eBPF decoder, in the byte order that the first byte chooses. What is decoded
// must encode to the same bytes, have a text that is read back, and be checked without harm.
#include <algorithm>

#include "asm/ebpf_assembler.h"
#include "asm/ebpf_disassembler.h"
#include "isa/ebpf_check.h"
#include "isa/ebpf_codec.h"
#include "support/assert.h"

using namespace skep;             // NOLINT: a program
using namespace assembler::ebpf;  // NOLINT

extern "C" int LLVMFuzzerTestOneInput(const u8* data, std::size_t size) {
  if (size == 0) return 0;
  const ByteOrder order = (data[0] & 1) == 0 ? ByteOrder::Little : ByteOrder::Big;
  const Bytes bytes(data + 1, size - 1);
  const auto program = isa::ebpf::decode(bytes, order);
  if (!program) {
    SKEP_CHECK(!to_string(program.error()).empty());
    return 0;
  }
  SKEP_CHECK(std::ranges::equal(isa::ebpf::encode(*program, order), bytes));
  if (const Status status = isa::ebpf::check_structure(*program); !status) {
    SKEP_CHECK(!to_string(status.error()).empty());
  }
  for (Notation notation : {Notation::Llvm, Notation::Kernel, Notation::Mnemonic}) {
    const auto again = assemble(disassemble(*program, notation));
    SKEP_CHECK(again.has_value() && *again == *program);
  }
  return 0;
}
