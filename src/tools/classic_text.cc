// SPDX-License-Identifier: Apache-2.0
// Stored classic instructions, 8 bytes each:  code:16 | jt:8 | jf:8 | k:32
// Tested by tests/e2e/asm.sh
#include "tools/classic_text.h"

#include <algorithm>

#include "asm/classic_printer.h"

namespace skep::tools {

namespace {

constexpr std::size_t kInsnBytes = 8;

}  // namespace

std::vector<u8> classic_bytes(std::span<const isa::cbpf::RawInsn> program, ByteOrder order) {
  std::vector<u8> bytes(program.size() * kInsnBytes);
  u8* at = bytes.data();
  for (const auto& insn : program) {
    store<u16>(at, insn.code, order);
    at[2] = insn.jt;
    at[3] = insn.jf;
    store<u32>(at + 4, insn.k, order);
    at += kInsnBytes;
  }
  return bytes;
}

Result<std::vector<isa::cbpf::RawInsn>> classic_from_bytes(Bytes bytes, ByteOrder order) {
  if (bytes.size() % kInsnBytes != 0) {
    return error_at_offset(
        Code::Truncated, bytes.size(),
        "a program's size is a multiple of 8 bytes, not " + std::to_string(bytes.size()));
  }
  std::vector<isa::cbpf::RawInsn> program;
  for (Reader in(bytes, order); in.remaining() > 0;) {
    program.push_back({.code = *in.read<u16>(),
                       .jt = *in.read<u8>(),
                       .jf = *in.read<u8>(),
                       .k = *in.read<u32>()});
  }
  return program;
}

bool looks_like_text(std::string_view content) {
  return std::all_of(content.begin(), content.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 || byte == '\n' || byte == '\t' || byte == '\r';
  });
}

Result<std::string> classic_text(std::span<const isa::cbpf::RawInsn> program,
                                 std::string_view notation) {
  if (notation == "c") return assembler::classic::print_c(program);
  if (notation == "numbers") return assembler::classic::print_numbers(program);
  if (notation == "bpf_asm") return assembler::classic::print_bpf_asm(program);
  return assembler::classic::print_listing(program);
}

}  // namespace skep::tools
