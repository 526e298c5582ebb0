// SPDX-License-Identifier: Apache-2.0
// Programs from files, for `skep filter --program`, in any notation of classic programs.
// Tested by tests/e2e/filter_program.sh
#include <fstream>
#include <iterator>

#include "asm/classic_assembler.h"
#include "tools/filter_source.h"

namespace skep::tools {

Result<capture::Program> read_program_file(const std::string& path) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.is_open() || file.bad()) return Error{Code::Io, "cannot be read"};
  return assembler::classic::assemble(text);
}

}  // namespace skep::tools
