// SPDX-License-Identifier: Apache-2.0
// skep-conformance-plugin [MEMORY_HEX] [--engine E] [--elf]: runs one program for bpf_conformance.
// The program's bytes come as hex on standard input, r0 goes as hex to standard output. On failure
// the reason goes there too (the runner compares it with the test's expected error), and the exit
// status is 1. The runner gives all options of its command line as one argument, which may be
// empty. Source: https://github.com/Alan-Jowett/bpf_conformance.  Tested by
// tests/e2e/conformance_plugin.sh
#include <cstdio>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "interp/interp.h"
#include "isa/ebpf_codec.h"
#include "tools/file_io.h"
#include "tools/hex.h"
#include "tools/raw_program.h"

namespace skep::tools {

namespace {

struct PluginOptions {
  std::string memory;
  interp::Engine engine = interp::Engine::Checked;
  bool elf = false;
};

Result<PluginOptions> parse_arguments(int argc, char** argv) {
  PluginOptions options;
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (i == 1 && argument.rfind("--", 0) != 0) {
      options.memory = argument;
      continue;
    }
    std::istringstream split(argument);
    for (std::string word; split >> word;) words.push_back(word);
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--elf") {
      options.elf = true;
    } else if (words[i] == "--engine" && i + 1 < words.size()) {
      SKEP_TRY(options.engine, interp::parse_engine(words[++i]));
    } else {
      return Error{Code::InvalidArgument, "unknown argument '" + words[i] +
                                              "'; usage: skep-conformance-plugin [MEMORY_HEX] "
                                              "[--engine E] [--elf] < PROGRAM_HEX"};
    }
  }
  return options;
}

Result<u64> run(int argc, char** argv) {
  SKEP_TRY(const PluginOptions options, parse_arguments(argc, argv));
  SKEP_TRY(std::vector<u8> memory, parse_hex(options.memory));
  const std::string text{std::istreambuf_iterator<char>(std::cin),
                         std::istreambuf_iterator<char>()};
  SKEP_TRY(const std::vector<u8> bytes, parse_hex(text));
  SKEP_TRY(std::vector<isa::ebpf::Insn> insns,
           options.elf ? read_object(bytes) : isa::ebpf::decode(bytes));
  SKEP_TRY(runtime::Program program, runtime::Program::make(std::move(insns)));
  SKEP_TRY(const interp::Executable executable,
           interp::Executable::make(std::move(program), options.engine));
  // The tests ask what instructions compute, not whether a program reads stack it never wrote.
  const runtime::Outcome outcome = executable.run({.memory = memory, .zeroed_stack = true});
  if (outcome.trap != runtime::Trap::None) {
    return error_at_pc(Code::Rejected, outcome.pc, std::string(sentence(outcome.trap)));
  }
  return outcome.r0;
}

}  // namespace

}  // namespace skep::tools

int main(int argc, char** argv) {
  const skep::Result<skep::u64> r0 = skep::tools::run(argc, argv);
  if (!r0.has_value()) {
    std::printf("%s\n", to_string(r0.error()).c_str());
    return 1;
  }
  std::printf("%llx\n", static_cast<unsigned long long>(*r0));
  return skep::tools::finish_stdout() ? 0 : 1;
}
