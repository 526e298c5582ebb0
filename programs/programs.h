// SPDX-License-Identifier: Apache-2.0
// The ten sample programs as tests and benchmarks see them: raw BPF bytes, the native twin, the
// memory they read and the result both must return.
// Tested by programs_test.cc
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "support/ints.h"

namespace skep::programs {

struct Program {
  std::string_view name;
  std::size_t memory_bytes;               ///< what the program reads, from r1 on
  u64 expected;                           ///< r0 on the memory that input() makes
  u64 (*native)(const u8* mem, u32 len);  ///< the same source, compiled for this machine
  std::span<const u8> raw;                ///< instructions in wire form; r1 = memory, r2 = length
};

/// The programs in the order of programs.def.
std::span<const Program> all();

/// The program's input: the same bytes on every machine, 8-byte aligned.
std::vector<u8> input(const Program& program);

/// Fills memory of memory_bytes bytes for the named program (what input() calls).
void fill(std::string_view name, std::span<u8> memory);

}  // namespace skep::programs
