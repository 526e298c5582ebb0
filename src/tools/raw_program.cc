// SPDX-License-Identifier: Apache-2.0
// Programs and memory from files and text.  Tested by raw_program_test.cc, tests/e2e/run_raw.sh
#include "tools/raw_program.h"

#include <cstring>

#include "asm/ebpf_assembler.h"
#include "isa/ebpf_codec.h"
#include "tools/file_io.h"
#include "tools/hex.h"

namespace skep::tools {

Result<std::vector<u8>> read_file_or_hex(const std::string& name) {
  const Result<std::string> file = read_file(name);
  if (file.has_value()) return std::vector<u8>(file->begin(), file->end());
  if (file.error().code != Code::NotFound) return file.error();
  Result<std::vector<u8>> hex = parse_hex(name);
  if (!hex.has_value()) {
    return Error{Code::NotFound, "'" + name + "' is neither a file nor bytes in hex"};
  }
  return hex;
}

bool is_object(Bytes bytes) {
  return bytes.size() >= 4 && std::memcmp(bytes.data(), "\177ELF", 4) == 0;
}

Result<std::vector<isa::ebpf::Insn>> read_program(const std::string& path) {
  SKEP_TRY(const std::string text, read_file(path));
  const std::vector<u8> bytes(text.begin(), text.end());
  if (is_object(bytes)) return read_object(bytes);
  if (path.ends_with(".s")) return assembler::ebpf::assemble(text);
  return isa::ebpf::decode(bytes);
}

}  // namespace skep::tools
