// SPDX-License-Identifier: Apache-2.0
// Gives programs a function of the embedder's: helper number 1 gets a pointer to memory and its
// size, which the checked interpreter verifies before the call.
#include <cstdint>
#include <cstdio>

#include "skep/program.h"

namespace {

// The program's memory arrives as a number; the row below has promised 8 readable bytes there.
std::uint64_t add_pair(std::uint64_t r1, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
                       void* user) {
  const auto* pair = reinterpret_cast<const std::uint32_t*>(static_cast<std::uintptr_t>(r1));
  ++*static_cast<int*>(user);
  return std::uint64_t{pair[0]} + pair[1];
}

}  // namespace

int main() {
  int calls = 0;
  const skep::Helper helper = {.number = 1,
                               .name = "add_pair",
                               .function = add_pair,
                               .user = &calls,
                               .args = {skep::HelperArg::Memory},
                               .arg_bytes = 8};
  const auto program = skep::Program::assemble(R"(
      *(u32 *)(r10 - 8) = 3
      *(u32 *)(r10 - 4) = 4
      r1 = r10
      r1 += -8
      call 1
      exit
  )",
                                               {.helpers = {helper}});
  if (!program) {
    std::fprintf(stderr, "%s\n", skep::to_string(program.error()).c_str());
    return 1;
  }
  auto cpus = skep::Cpus::create(1);
  if (!cpus) return 1;
  skep::Thread thread = cpus->attach();
  const skep::Outcome outcome = program->run(thread);
  std::printf("the program asked for 3 + 4 = %llu in %d call\n",
              static_cast<unsigned long long>(outcome.r0), calls);
  return outcome.r0 == 7 && calls == 1 ? 0 : 1;
}
