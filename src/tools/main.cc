// SPDX-License-Identifier: Apache-2.0
// The command `skep`: finds the sub-command, lets CLI11 read its options and runs it. What a
// sub-command does is in its own file.
// Tested by tests/e2e/
#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "tools/commands.h"
#include "tools/file_io.h"
#include "tools/version_text.h"

namespace skep::tools {

namespace {

struct Command {
  const char* name;
  const char* summary;
  AddCommand add;
};

// A sub-command is a row: name, one line for --help, its function of commands.h.
std::vector<Command> commands() {
  return {
    {"asm", "Assemble eBPF or classic BPF text into a raw program", &add_asm},
        {"disasm", "Show a raw eBPF or classic BPF program as text", &add_disasm},
#if SKEP_HAS_CAPTURE
        {"filter", "Filter capture files or live traffic by expressions", &add_filter},
#endif
        {"run", "Run an eBPF program", &add_run},
  };
}

int run(int argc, char** argv) {
  CLI::App app("skep: a BPF engine in user space");
  app.set_version_flag("--version", version_text(), "Engines, CPU features and libraries");
  app.require_subcommand(1);
  int status = kExitDone;
  for (const Command& command : commands()) {
    command.add(*app.add_subcommand(command.name, command.summary), status);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::RequiredError& error) {
    // CLI11 says the same for no command and for one that does not exist.
    const std::string first = argc > 1 ? argv[1] : "";
    if (!app.get_subcommands().empty() || first.empty() || first.front() == '-')
      return app.exit(error), kExitUsage;
    std::cerr << "skep: there is no command '" << first << "'; skep --help lists them\n";
    return kExitUsage;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitDone : kExitUsage;
  }
  return status;
}

}  // namespace

}  // namespace skep::tools

int main(int argc, char** argv) {
  skep::tools::occupy_standard_descriptors();
  try {
    const int status = skep::tools::run(argc, argv);
    const skep::Status written = skep::tools::finish_stdout();
    if (written) return status;
    std::cerr << "skep: " << written.error().message << "\n";
    return status == skep::tools::kExitDone ? skep::tools::kExitFailed : status;
  } catch (const std::exception& error) {
    std::cerr << "skep: " << error.what() << "\n";
    return skep::tools::kExitFailed;
  }
}
