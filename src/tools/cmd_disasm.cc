// SPDX-License-Identifier: Apache-2.0
// `skep disasm`: program bytes, raw or as hex text -> assembly text that `skep asm` reads back.
// Tested by tests/e2e/asm.sh
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "asm/ebpf_disassembler.h"
#include "isa/ebpf_codec.h"
#include "tools/commands.h"
#include "tools/file_io.h"
#include "tools/helper_names.h"
#include "tools/hex.h"

namespace skep::tools {

namespace {

using assembler::ebpf::Notation;

struct DisasmOptions {
  std::string input;
  std::string output = "-";
  std::string notation = "llvm";
  bool hex = false;  ///< neither: what the input looks like
  bool bin = false;
  bool index = false;  ///< neither: what the notation's other tools do
  bool no_index = false;
  bool big_endian = false;
};

Notation notation_of(const std::string& name) {
  if (name == "kernel") return Notation::Kernel;
  return name == "mnemonic" ? Notation::Mnemonic : Notation::Llvm;
}

int fail(const std::string& file, const Error& error) {
  std::fprintf(stderr, "skep: %s: %s\n", file.c_str(), to_string(error).c_str());
  return kExitFailed;
}

int run_disasm(const DisasmOptions& options) {
  const std::string name = input_name(options.input);
  const Result<std::string> input = read_file(options.input);
  if (!input) {
    std::fprintf(stderr, "skep: %s\n", input.error().message.c_str());
    return kExitFailed;
  }
  std::vector<u8> bytes(input->begin(), input->end());
  if (options.hex || (!options.bin && looks_like_hex(*input))) {
    auto parsed = parse_hex(*input);
    if (!parsed) return fail(name, parsed.error());
    bytes = std::move(*parsed);
  }
  if (bytes.empty()) return fail(name, Error{Code::Truncated, "there are no instructions"});
  const auto program =
      isa::ebpf::decode(bytes, options.big_endian ? ByteOrder::Big : ByteOrder::Little);
  if (!program) return fail(name, program.error());
  const Notation notation = notation_of(options.notation);
  const bool indexes = options.index || (!options.no_index && notation != Notation::Mnemonic);
  const std::string text =
      assembler::ebpf::disassemble(*program, notation, {.indexes = indexes, .helpers = helper_names()});
  if (const Status written = write_file(options.output, text); !written) {
    std::fprintf(stderr, "skep: %s\n", written.error().message.c_str());
    return kExitFailed;
  }
  return kExitDone;
}

}  // namespace

void add_disasm(CLI::App& app, int& status) {
  auto options = std::make_shared<DisasmOptions>();
  app.add_option("FILE", options->input, "A raw program or hex text; - is standard input")
      ->required();
  app.add_option("-o,--output", options->output, "Where the text goes (standard output)");
  app.add_option("--notation", options->notation,
                 "llvm: w1 += 0x5; kernel: (04) w1 += 5; mnemonic: add32 %r1, 5 (llvm)")
      ->check(CLI::IsMember({"llvm", "kernel", "mnemonic"}));
  CLI::Option* hex = app.add_flag("--hex", options->hex, "The input is hex text");
  app.add_flag("--bin", options->bin, "The input is a raw program, even if it looks like hex text")
      ->excludes(hex);
  CLI::Option* index = app.add_flag("--index", options->index,
                                    "Put numbers in front of instructions (all but mnemonic)");
  app.add_flag("--no-index", options->no_index, "Put no numbers in front")->excludes(index);
  app.add_flag("--big-endian", options->big_endian, "The program is for big-endian CPUs");
  app.callback([options, &status] { status = run_disasm(*options); });
}

}  // namespace skep::tools
