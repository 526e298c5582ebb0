// SPDX-License-Identifier: Apache-2.0
// `skep asm`: assembly text, extended or classic -> program bytes, raw, as hex text or as C
// initialisers.
// Tested by tests/e2e/asm.sh
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "asm/classic_assembler.h"
#include "asm/classic_printer.h"
#include "asm/ebpf_assembler.h"
#include "isa/ebpf_codec.h"
#include "support/diagnostic.h"
#include "tools/classic_text.h"
#include "tools/commands.h"
#include "tools/file_io.h"
#include "tools/helper_names.h"

namespace skep::tools {

namespace {

namespace ebpf = isa::ebpf;

struct AsmOptions {
  std::string input;
  std::string output = "-";
  std::string format;  ///< empty: bin, or hex on a terminal
  bool big_endian = false;
  bool classic = false;
};

/// A slot a line: "b7 00 00 00 01 00 00 00".
std::string hex_text(Bytes bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    text += fmt::format("{:02x}{}", bytes[i], (i + 1) % ebpf::kSlotBytes == 0 ? '\n' : ' ');
  }
  return text;
}

/// Initialisers of `struct bpf_insn`, each with its text behind it.
std::string c_text(std::span<const ebpf::Insn> program) {
  const std::vector<u8> bytes = ebpf::encode(program);
  std::string text;
  for (std::size_t pc = 0; pc < program.size(); ++pc) {
    const ebpf::Slot slot = ebpf::read_slot(&bytes[pc * ebpf::kSlotBytes], kHostOrder);
    const std::string comment =
        assembler::ebpf::to_text(program[pc], assembler::ebpf::Notation::Llvm);
    // INT_MIN has no literal of its own in C.
    const std::string imm = slot.imm == INT32_MIN ? "-2147483647 - 1" : fmt::format("{}", slot.imm);
    text += fmt::format(
        "{{.code = 0x{:02x}, .dst_reg = {}, .src_reg = {}, .off = {}, .imm = {}}},{}\n", slot.code,
        slot.dst, slot.src, slot.off, imm, comment.empty() ? "" : "  // " + comment);
  }
  return text;
}

/// The program's bytes in the format. What is wrong with the text is added to found.
Result<std::string> assembled(const AsmOptions& options, const std::string& format,
                              const std::string& text, Diagnostics& found) {
  const ByteOrder order = options.big_endian ? ByteOrder::Big : ByteOrder::Little;
  const auto stored = [&format](const std::vector<u8>& bytes) {
    return format == "hex" ? hex_text(bytes) : std::string(bytes.begin(), bytes.end());
  };
  if (options.classic) {
    const auto program = assembler::classic::assemble(text);
    if (!program) {
      found.add(program.error());
      return program.error();
    }
    if (program->empty()) return Error{Code::Syntax, "there are no instructions"};
    if (format == "c") return assembler::classic::print_c(*program);
    if (format == "numbers") return assembler::classic::print_numbers(*program);
    return stored(classic_bytes(*program, order));
  }
  SKEP_TRY(const auto program,
           assembler::ebpf::assemble(text, {.helpers = helper_names()}, &found));
  if (program.empty()) return Error{Code::Syntax, "there are no instructions"};
  return format == "c" ? c_text(program) : stored(ebpf::encode(program, order));
}

int run_asm(const AsmOptions& options) {
  if (options.format == "numbers" && !options.classic) {
    std::fputs("skep: --format numbers is for classic programs\n", stderr);
    return kExitUsage;
  }
  const std::string name = input_name(options.input);
  const Result<std::string> text = read_file(options.input);
  if (!text) {
    std::fprintf(stderr, "skep: %s\n", text.error().message.c_str());
    return kExitFailed;
  }
  std::string format = options.format;
  if (format.empty()) format = options.output == "-" && isatty(STDOUT_FILENO) != 0 ? "hex" : "bin";
  Diagnostics found;
  const Result<std::string> bytes = assembled(options, format, *text, found);
  if (!bytes) {
    const std::string message = found.empty()
                                    ? "skep: " + name + ": " + to_string(bytes.error()) + "\n"
                                    : caret_text(name, *text, found);
    std::fputs(message.c_str(), stderr);
    return kExitFailed;
  }
  if (const Status written = write_file(options.output, *bytes); !written) {
    std::fprintf(stderr, "skep: %s\n", written.error().message.c_str());
    return kExitFailed;
  }
  return kExitDone;
}

}  // namespace

void add_asm(CLI::App& app, int& status) {
  auto options = std::make_shared<AsmOptions>();
  app.add_option("FILE", options->input,
                 "Text in the kernel's, LLVM's or bpf_conformance's notation; - is standard input")
      ->required();
  app.add_option("-o,--output", options->output, "Where the program goes (standard output)");
  app.add_option("--format", options->format,
                 "bin: as loaded; hex: a slot a line; c: initialisers of struct bpf_insn or\n"
                 "sock_filter; numbers: tcpdump -ddd (bin, but hex on a terminal)")
      ->check(CLI::IsMember({"bin", "hex", "c", "numbers"}));
  app.add_flag("--classic", options->classic,
               "The text is classic BPF: bpf_asm's notation, tcpdump -d, -dd or -ddd");
  app.add_flag("--big-endian", options->big_endian,
               "For bin and hex: a program for big-endian CPUs");
  app.callback([options, &status] { status = run_asm(*options); });
}

}  // namespace skep::tools
