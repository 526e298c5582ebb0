// SPDX-License-Identifier: Apache-2.0
// The table of sample programs. The raw instructions come from raw_programs.inc, which the build
// makes from raw.bpf.c (embed.py).
#include "programs/programs.h"

extern "C" {
#define PROGRAM(name, bytes, expected) \
  std::uint64_t native_##name(const std::uint8_t*, std::uint32_t);
#include "programs/programs.def"
#undef PROGRAM
}

namespace skep::programs {
namespace {

#include "raw_programs.inc"

constexpr Program kPrograms[] = {
#define PROGRAM(name, bytes, expected) {#name, bytes, expected, native_##name, kRaw_##name},
#include "programs/programs.def"
#undef PROGRAM
};

}  // namespace

std::span<const Program> all() {
  return kPrograms;
}

std::vector<u8> input(const Program& program) {
  std::vector<u8> memory(program.memory_bytes);
  fill(program.name, memory);
  return memory;
}

}  // namespace skep::programs
