// SPDX-License-Identifier: Apache-2.0
// The table of Linux's test_verifier as data: its programs, what they need, and how a real
// Linux 6.1 answered (verifier_verdicts_6.1.tsv; measured, see README.md).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/ints.h"
#include "support/result.h"

namespace skep::kernel_table {

/// What a kernel said to a program.
struct Answer {
  bool accepted = false;
  int error = 0;  ///< errno of a refusal
};

struct TableTest {
  u32 id = 0;
  std::string file;  ///< of tools/testing/selftests/bpf/verifier
  std::string name;
  u32 prog_type = 0;
  u32 expected_attach_type = 0;
  u32 flags = 0;
  std::vector<u8> insns;                           ///< empty: too long for the table's text
  std::map<std::string, std::vector<u32>> fixups;  ///< kind of map -> pcs of loads of it
  bool needs_kernel_functions = false;
  std::vector<u32> functions;  ///< starts of the functions that are declared (func_info)
  bool attaches_to_function = false;
  std::string message;  ///< expected of a refusal; several parts in sequence, by tabs
  std::string message_unprivileged;
  std::optional<Answer> privileged;
  std::optional<Answer> unprivileged;
};

/// Reads both files. Errors: Io, BadFormat.
Result<std::vector<TableTest>> read_table(const std::string& jsonl, const std::string& verdicts);

}  // namespace skep::kernel_table
