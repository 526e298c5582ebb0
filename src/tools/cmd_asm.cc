// SPDX-License-Identifier: Apache-2.0
// `skep asm`: assembly text -> program bytes, as a raw program, hex text or C initialisers.
// Tested by tests/e2e/asm.sh
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "asm/ebpf_assembler.h"
#include "isa/ebpf_codec.h"
#include "support/diagnostic.h"
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

int run_asm(const AsmOptions& options) {
  const Result<std::string> text = read_file(options.input);
  if (!text) {
    std::fprintf(stderr, "skep: %s\n", text.error().message.c_str());
    return kExitFailed;
  }
  Diagnostics found;
  const auto program = assembler::ebpf::assemble(*text, {.helpers = helper_names()}, &found);
  if (!program) {
    std::fputs(caret_text(input_name(options.input), *text, found).c_str(), stderr);
    return kExitFailed;
  }
  if (program->empty()) {
    std::fprintf(stderr, "skep: %s: there are no instructions\n",
                 input_name(options.input).c_str());
    return kExitFailed;
  }
  std::string format = options.format;
  if (format.empty()) format = options.output == "-" && isatty(STDOUT_FILENO) != 0 ? "hex" : "bin";
  std::string bytes;
  if (format == "c") {
    bytes = c_text(*program);
  } else {
    const std::vector<u8> encoded =
        ebpf::encode(*program, options.big_endian ? ByteOrder::Big : ByteOrder::Little);
    bytes = format == "hex" ? hex_text(encoded) : std::string(encoded.begin(), encoded.end());
  }
  if (const Status written = write_file(options.output, bytes); !written) {
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
                 "bin: as loaded; hex: a slot a line; c: initialisers of struct bpf_insn\n"
                 "(bin, but hex on a terminal)")
      ->check(CLI::IsMember({"bin", "hex", "c"}));
  app.add_flag("--big-endian", options->big_endian,
               "For bin and hex: a program for big-endian CPUs");
  app.callback([options, &status] { status = run_asm(*options); });
}

}  // namespace skep::tools
