// SPDX-License-Identifier: Apache-2.0
// `skep disasm`: program bytes, raw or as hex text -> assembly text that `skep asm` reads back.
// Classic programs may be given as text too, and shown translated to eBPF.
// Tested by tests/e2e/asm.sh
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "asm/classic_assembler.h"
#include "asm/ebpf_disassembler.h"
#include "cbpf/to_ebpf.h"
#include "isa/ebpf_codec.h"
#include "support/diagnostic.h"
#include "tools/classic_text.h"
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
  std::string notation;         ///< empty: llvm, or listing for classic programs
  std::string rules = "linux";  ///< of the classic checker, for to_ebpf
  bool hex = false;             ///< neither: what the input looks like
  bool bin = false;
  bool index = false;  ///< neither: what the notation's other tools do
  bool no_index = false;
  bool big_endian = false;
  bool classic = false;
  bool to_ebpf = false;
  ByteOrder order() const { return big_endian ? ByteOrder::Big : ByteOrder::Little; }
};

bool is_classic_notation(const std::string& name) {
  return name == "listing" || name == "c" || name == "numbers" || name == "bpf_asm";
}

/// The input's bytes, from hex text where it is or looks like that.
Result<std::vector<u8>> program_bytes(const DisasmOptions& options, const std::string& input) {
  const bool guess = !options.bin && !options.classic && looks_like_hex(input);
  if (options.hex || guess) return parse_hex(input);
  return std::vector<u8>(input.begin(), input.end());
}

Result<std::vector<isa::cbpf::RawInsn>> read_classic(const DisasmOptions& options,
                                                     const std::string& input) {
  if (!options.hex && !options.bin && looks_like_text(input)) {
    return assembler::classic::assemble(input);
  }
  SKEP_TRY(const std::vector<u8> bytes, program_bytes(options, input));
  return classic_from_bytes(bytes, options.order());
}

std::string ebpf_text(const DisasmOptions& options, std::span<const isa::ebpf::Insn> program) {
  Notation notation = Notation::Llvm;
  if (options.notation == "kernel") notation = Notation::Kernel;
  if (options.notation == "mnemonic") notation = Notation::Mnemonic;
  const bool indexes = options.index || (!options.no_index && notation != Notation::Mnemonic);
  return assembler::ebpf::disassemble(program, notation,
                                      {.indexes = indexes, .helpers = helper_names()});
}

Result<std::string> disassembled(const DisasmOptions& options, const std::string& input) {
  if (input.empty()) return Error{Code::Truncated, "there are no instructions"};
  if (!options.classic) {
    SKEP_TRY(const std::vector<u8> bytes, program_bytes(options, input));
    SKEP_TRY(const auto program, isa::ebpf::decode(bytes, options.order()));
    return ebpf_text(options, program);
  }
  SKEP_TRY(const auto raw, read_classic(options, input));
  if (!options.to_ebpf) return classic_text(raw, options.notation);
  using isa::cbpf::Rules;
  const Rules rules = options.rules == "seccomp"   ? Rules::Seccomp
                      : options.rules == "libpcap" ? Rules::Libpcap
                                                   : Rules::Linux;
  SKEP_TRY(const auto checked, cbpf::check(raw, rules));
  SKEP_TRY(const auto translation, cbpf::to_ebpf(checked));
  return ebpf_text(options, translation.insns);
}

int run_disasm(DisasmOptions options) {
  options.classic |= options.to_ebpf;
  const bool classic_text = options.classic && !options.to_ebpf;
  if (!options.notation.empty() && is_classic_notation(options.notation) != classic_text) {
    std::fprintf(stderr, "skep: --notation %s is not for %s programs\n", options.notation.c_str(),
                 classic_text ? "classic" : "eBPF");
    return kExitUsage;
  }
  const std::string name = input_name(options.input);
  const Result<std::string> input = read_file(options.input);
  if (!input) {
    std::fprintf(stderr, "skep: %s\n", input.error().message.c_str());
    return kExitFailed;
  }
  const Result<std::string> text = disassembled(options, *input);
  if (!text) {
    const Error& error = text.error();
    const bool in_text = error.where && error.where->line && looks_like_text(*input);
    const std::string message = in_text ? caret_text(name, *input, error)
                                        : "skep: " + name + ": " + to_string(error) + "\n";
    std::fputs(message.c_str(), stderr);
    return kExitFailed;
  }
  if (const Status written = write_file(options.output, *text); !written) {
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
                 "llvm: w1 += 0x5; kernel: (04) w1 += 5; mnemonic: add32 %r1, 5 (llvm);\n"
                 "classic: listing, c, numbers as tcpdump -d, -dd, -ddd; bpf_asm (listing)")
      ->check(CLI::IsMember({"llvm", "kernel", "mnemonic", "listing", "c", "numbers", "bpf_asm"}));
  app.add_flag("--classic", options->classic,
               "The program is classic BPF; FILE may be text in any of its notations");
  app.add_flag("--to-ebpf", options->to_ebpf, "Show the translation of a classic program to eBPF");
  app.add_option("--rules", options->rules, "Which checker it has to pass before (linux)")
      ->check(CLI::IsMember({"linux", "libpcap", "seccomp"}));
  CLI::Option* hex = app.add_flag("--hex", options->hex, "The input is hex text");
  app.add_flag("--bin", options->bin, "The input is a raw program, even if it looks like text")
      ->excludes(hex);
  CLI::Option* index = app.add_flag("--index", options->index,
                                    "Put numbers in front of instructions (all but mnemonic)");
  app.add_flag("--no-index", options->no_index, "Put no numbers in front")->excludes(index);
  app.add_flag("--big-endian", options->big_endian, "The program is for big-endian CPUs");
  app.callback([options, &status] { status = run_disasm(*options); });
}

}  // namespace skep::tools
