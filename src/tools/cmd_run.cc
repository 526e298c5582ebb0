// SPDX-License-Identifier: Apache-2.0
// `skep run --raw`: runs a program of eBPF instructions on memory and prints r0.
// Tested by tests/e2e/run_raw.sh
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>

#include "asm/ebpf_disassembler.h"
#include "interp/interp.h"
#include "tools/at_least_one.h"
#include "tools/commands.h"
#include "tools/raw_program.h"

namespace skep::tools {

namespace {

using interp::Engine;

struct RunOptions {
  std::string program;
  std::string memory;
  std::string packet;
  std::string engine;
  bool raw = false;
  bool unchecked = false;
  bool zeroed_stack = false;
  u64 repeat = 1;
  u64 budget = runtime::kDefaultBudget;
};

int report(const std::string& what, const Error& error, int status = kExitFailed) {
  std::fprintf(stderr, "skep run: %s%s%s\n", what.c_str(), what.empty() ? "" : ": ",
               to_string(error).c_str());
  return status;
}

// The checked interpreter unless the user takes the responsibility.
Result<Engine> choose_engine(const RunOptions& options) {
  if (options.engine.empty()) return options.unchecked ? Engine::Threaded : Engine::Checked;
  SKEP_TRY(const Engine engine, interp::parse_engine(options.engine));
  if (engine != Engine::Checked && !options.unchecked) {
    return Error{Code::InvalidArgument,
                 "the engine '" + options.engine +
                     "' lets a program read and write any memory of this process; add --unchecked "
                     "if you trust the program"};
  }
  return engine;
}

int report_trap(const std::string& name, const runtime::Outcome& outcome,
                const interp::Executable& executable) {
  const isa::ebpf::Insn& insn = executable.program().code()[outcome.pc];
  std::fprintf(stderr, "skep run: %s: insn %u: %s: %s\n", name.c_str(), outcome.pc,
               assembler::ebpf::to_text(insn, assembler::ebpf::Notation::Llvm).c_str(),
               std::string(sentence(outcome.trap)).c_str());
  return kExitFailed;
}

int run_program(const RunOptions& options) {
  if (!options.raw) {
    return report("", {Code::InvalidArgument, "give --raw: only raw programs can be run yet"},
                  kExitUsage);
  }
  const Result<Engine> engine = choose_engine(options);
  if (!engine) return report("", engine.error(), kExitUsage);

  Result<std::vector<isa::ebpf::Insn>> insns = read_program(options.program);
  if (!insns) {
    const bool names_file = insns.error().code == Code::NotFound || insns.error().code == Code::Io;
    return report(names_file ? "" : options.program, insns.error());
  }
  Result<runtime::Program> program = runtime::Program::make(std::move(*insns));
  if (!program) return report(options.program, program.error());
  const Result<interp::Executable> executable =
      interp::Executable::make(std::move(*program), *engine);
  if (!executable) return report(options.program, executable.error());

  std::vector<u8> memory;
  std::vector<u8> packet;
  if (!options.memory.empty()) {
    Result<std::vector<u8>> bytes = read_file_or_hex(options.memory);
    if (!bytes) return report("--mem", bytes.error());
    memory = std::move(*bytes);
  }
  if (!options.packet.empty()) {
    Result<std::vector<u8>> bytes = read_file_or_hex(options.packet);
    if (!bytes) return report("--packet", bytes.error());
    packet = std::move(*bytes);
  }
  const runtime::RunInput input{.memory = memory,
                                .packet = packet,
                                .budget = options.budget,
                                .zeroed_stack = options.zeroed_stack};

  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  runtime::Outcome outcome;
  for (u64 i = 0; i < options.repeat; ++i) {
    outcome = executable->run(input);
    if (outcome.trap != runtime::Trap::None)
      return report_trap(options.program, outcome, *executable);
  }
  const std::chrono::duration<double, std::nano> elapsed = Clock::now() - start;
  std::printf("0x%llx\n", static_cast<unsigned long long>(outcome.r0));
  if (options.repeat > 1) {
    std::printf("%.1f ns a run, mean of %llu runs\n",
                elapsed.count() / static_cast<double>(options.repeat),
                static_cast<unsigned long long>(options.repeat));
  }
  return kExitDone;
}

}  // namespace

void add_run(CLI::App& app, int& status) {
  auto options = std::make_shared<RunOptions>();
  app.add_option("PROGRAM", options->program,
                 "Instruction bytes, assembly text (.s) or an ELF object without maps")
      ->required();
  app.add_flag("--raw", options->raw, "The program is raw: r1 = memory, r2 = its length");
  app.add_option("--mem", options->memory, "Memory of the program: a file, or bytes in hex");
  app.add_option("--packet", options->packet,
                 "Packet of the legacy packet loads: a file, or bytes in hex");
  app.add_option("--engine", options->engine, "checked (default), switch or threaded");
  app.add_flag("--unchecked", options->unchecked,
               "Trust the program: allow engines that check nothing (default: threaded)");
  app.add_flag("--zeroed-stack", options->zeroed_stack,
               "Checked engine: unwritten stack reads as 0 instead of ending the run");
  app.add_option("--repeat", options->repeat, "Run N times and print the mean time")
      ->check(at_least_one())
      ->type_name("N");
  app.add_option("--budget", options->budget, "Checked engine: end a run after N instructions")
      ->type_name("N");
  app.callback([options, &status] { status = run_program(*options); });
}

}  // namespace skep::tools
