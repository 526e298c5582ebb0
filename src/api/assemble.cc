// SPDX-License-Identifier: Apache-2.0
// The public text functions, over the assembler and the codec.
// Tested by assemble_test.cc
#include "skep/assemble.h"

#include "api/convert.h"
#include "asm/ebpf_assembler.h"
#include "asm/ebpf_disassembler.h"
#include "isa/ebpf_codec.h"

namespace skep {
namespace {

assembler::ebpf::Notation to_internal(Notation notation) {
  switch (notation) {
    case Notation::Llvm: return assembler::ebpf::Notation::Llvm;
    case Notation::Kernel: return assembler::ebpf::Notation::Kernel;
    case Notation::Mnemonic: return assembler::ebpf::Notation::Mnemonic;
  }
  unreachable();
}

Result<std::string> disassemble_checked(Bytes bytecode, Notation notation) {
  SKEP_TRY(const std::vector<isa::ebpf::Insn> insns, isa::ebpf::decode(bytecode));
  return assembler::ebpf::disassemble(insns, to_internal(notation));
}

Result<std::vector<u8>> assemble_checked(std::string_view text) {
  SKEP_TRY(const std::vector<isa::ebpf::Insn> insns, assembler::ebpf::assemble(text));
  return isa::ebpf::encode(insns);
}

}  // namespace

Expected<std::vector<std::uint8_t>> assemble(std::string_view text) {
  return api::to_expected(assemble_checked(text));
}

Expected<std::string> disassemble(std::span<const std::uint8_t> bytecode, Notation notation) {
  return api::to_expected(disassemble_checked(bytecode, notation));
}

}  // namespace skep
