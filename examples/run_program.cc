// SPDX-License-Identifier: Apache-2.0
// Assembles a program that adds up the bytes of its memory, and runs it checked: first with memory,
// then with too little of it, which the checked interpreter stops.
#include <array>
#include <cstdint>
#include <cstdio>
#include <span>

#include "skep/program.h"

int main() {
  const auto program = skep::Program::assemble(R"(
      r0 = *(u8 *)(r1 + 0)
      r3 = *(u8 *)(r1 + 1)
      r0 += r3
      r3 = *(u8 *)(r1 + 2)
      r0 += r3
      r3 = *(u8 *)(r1 + 3)
      r0 += r3
      exit
  )");
  if (!program) {
    std::fprintf(stderr, "%s\n", skep::to_string(program.error()).c_str());
    return 1;
  }
  auto cpus = skep::Cpus::create();
  if (!cpus) return 1;
  skep::Thread thread = cpus->attach();

  std::array<std::uint8_t, 4> memory = {1, 2, 3, 4};
  const skep::Outcome sum = program->run(thread, {.memory = memory});
  std::printf("r0 = %llu\n", static_cast<unsigned long long>(sum.r0));

  const skep::Outcome trapped = program->run(thread, {.memory = std::span(memory).first(2)});
  std::printf("insn %u: %s\n", trapped.pc, skep::to_string(trapped.trap).data());
  return sum.trap == skep::Trap::None && trapped.trap != skep::Trap::None ? 0 : 1;
}
