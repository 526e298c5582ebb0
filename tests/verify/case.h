// SPDX-License-Identifier: Apache-2.0
// Verifier files: programs with a verdict. README.md has the form.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "support/result.h"
#include "verify/program.h"
#include "verify/table_world.h"

namespace skep::verify {

struct Case {
  std::string name;
  u32 line = 0;  ///< of the heading, from 1
  std::string text;
  u32 type = prog_type::kSocketFilter;
  Rights rights = Rights::privileged();
  Level level = Level::Linux61;
  bool strict = false;
  bool gpl = true;
  std::vector<MapFacts> maps;
  std::vector<FuncDecl> functions;
  std::string error;  ///< words of the refusal; empty: accepted
  u32 error_pc = 0;
  int error_number = 0;  ///< 0: not asked
  std::optional<u64> max_states;
  std::optional<u64> max_insns;
};

/// The cases of the file at path. Errors: Io, Syntax (with the line).
Result<std::vector<Case>> read_cases(const std::string& path);

}  // namespace skep::verify
