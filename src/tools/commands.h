// SPDX-License-Identifier: Apache-2.0
// The sub-commands of `skep`. Each is one file cmd_NAME.cc with one function that describes its
// options to CLI11 and leaves a callback which runs it and stores the exit status:
// 0 done, 1 an input or output was bad, 2 wrong use. main.cc has the table.
#pragma once

namespace CLI {
class App;
}

namespace skep::tools {

constexpr int kExitDone = 0;
constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

/// Adds a sub-command's options to `app`; its callback sets `status`, which outlives the app.
using AddCommand = void (*)(CLI::App& app, int& status);

void add_asm(CLI::App& app, int& status);
void add_disasm(CLI::App& app, int& status);
void add_filter(CLI::App& app, int& status);
void add_run(CLI::App& app, int& status);

}  // namespace skep::tools
