// SPDX-License-Identifier: Apache-2.0
// Programs from files, for `skep filter --program`, in any notation of classic programs.
// Tested by tests/e2e/filter_program.sh
#include "asm/classic_assembler.h"
#include "tools/file_io.h"
#include "tools/filter_source.h"
#include "tools/packet_output.h"

namespace skep::tools {

Result<capture::Program> read_program_file(const std::string& path) {
  SKEP_TRY(const std::string text, read_file(path));
  auto program = assembler::classic::assemble(text);
  if (!program) return in_file(program.error(), input_name(path));
  return program;
}

}  // namespace skep::tools
