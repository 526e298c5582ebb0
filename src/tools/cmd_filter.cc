// SPDX-License-Identifier: Apache-2.0
// `skep filter`: packets of capture files or of an interface, past filter expressions, to files.
// Options are in filter_options.cc, the work is in filter_run.cc.
// Tested by tests/e2e/filter_*.sh
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "capture/live.h"
#include "tools/commands.h"
#include "tools/filter_options.h"
#include "tools/filter_report.h"
#include "tools/filter_run.h"

namespace skep::tools {

namespace {

int print_list(const Result<std::string>& list) {
  if (!list) {
    std::fprintf(stderr, "skep: %s\n", to_string(list.error()).c_str());
    return kExitFailed;
  }
  std::fputs(list->c_str(), stdout);
  return kExitDone;
}

int run_filter(FilterOptions& options) {
  const Status complete = complete_options(options);
  if (!complete) {
    std::fprintf(stderr, "skep: %s\n", to_string(complete.error()).c_str());
    return complete.error().code == Code::InvalidArgument ? kExitUsage : kExitFailed;
  }
  if (options.list_interfaces) return print_list(capture::list_interfaces());
  if (options.list_linktypes) return print_list(capture::list_linktypes(options.interface));
  FilterRun run(options);
  if (options.dump != 0) return run.dump();
  const int status = run.run();
  if (run.needs_pcapng()) {
    options.output_format = "pcapng";
    return run_filter(options);
  }
  print_report(run, options);
  return status;
}

}  // namespace

void add_filter(CLI::App& app, int& status) {
  auto options = std::make_shared<FilterOptions>();
  describe_options(app, *options);
  app.callback([options, &status] { status = run_filter(*options); });
}

}  // namespace skep::tools
