// SPDX-License-Identifier: Apache-2.0
// Conformance files: programs with literal results, in the form that bpf_conformance uses, several
// to a file. README.md has the sections.
//
//   ---- what this case shows
//   -- asm
//   r0 = *(u8 *)(r1 + 1)
//   exit
//   -- mem
//   11 ff
//   -- result
//   0xff
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/ebpf.h"
#include "support/result.h"

namespace skep::conformance {

struct Case {
  std::string name;
  u32 line = 0;               ///< of the heading, from 1
  std::string text;           ///< assembly, or empty with raw
  std::vector<u8> raw;        ///< instructions in wire form
  std::vector<u8> memory;     ///< r1 = its address, r2 = its length
  std::vector<u8> packet;     ///< what legacy packet loads read
  std::optional<u64> budget;  ///< instructions
  std::optional<u64> result;  ///< r0
  std::string error;          ///< name of the trap, or of the error code of loading
  std::string error_engine;   ///< the only engine that sees the error; empty: all do
};

/// The cases of the file at path. Errors: Io, Syntax (with the line).
Result<std::vector<Case>> read_cases(const std::string& path);

/// The case's instructions, from text or raw.
Result<std::vector<isa::ebpf::Insn>> instructions(const Case& test);

}  // namespace skep::conformance
