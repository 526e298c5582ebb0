// SPDX-License-Identifier: Apache-2.0
// Reports go to standard output, or to standard error where packets go to standard output.
// Tested by tests/e2e/filter_options.sh
#include "tools/filter_report.h"

#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace skep::tools {

namespace {

using Json = nlohmann::ordered_json;

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// Of this program alone; getrusage() would count the shell that started it, too.
long peak_memory_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return std::strtol(line.c_str() + 6, nullptr, 10);
  }
  return 0;
}

Json describe(const PacketOutput& output) {
  return {{"file", output.path()}, {"packets", output.packets()}, {"bytes", output.bytes()}};
}

Json describe_filters(const FilterRun& run) {
  Json filters = Json::array();
  for (const Route& route : run.routes()) {
    Json filter = {{"filter", route.name}, {"packets", route.packets}};
    if (route.output) filter["output"] = describe(*route.output);
    filters.push_back(filter);
  }
  return filters;
}

Json statistics(const FilterRun& run) {
  const RunTotals& totals = run.totals();
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  Json json = {{"packets_read", totals.packets_read},
               {"packets_accepted", totals.packets_accepted},
               {"bytes_read", totals.bytes_read},
               {"engine", run.engine()},
               {"filters", describe_filters(run)}};
  if (run.rest()) json["rest"] = describe(*run.rest());
  if (totals.live) {
    json["live"] = {{"received", totals.live->received},
                    {"dropped", totals.live->dropped},
                    {"interface_dropped", totals.live->interface_dropped}};
  }
  json["complete"] = totals.errors.empty() && !totals.interrupted;
  json["errors"] = totals.errors;
  json["user_seconds"] = seconds(usage.ru_utime);
  json["system_seconds"] = seconds(usage.ru_stime);
  json["peak_memory_kib"] = peak_memory_kib();
  return json;
}

bool writes_to_stdout(const FilterRun& run) {
  for (const Route& route : run.routes()) {
    if (route.output && route.output->path() == "-") return true;
  }
  return run.rest() && run.rest()->path() == "-";
}

}  // namespace

void print_report(const FilterRun& run, const FilterOptions& options) {
  std::FILE* to = writes_to_stdout(run) ? stderr : stdout;
  const RunTotals& totals = run.totals();
  if (options.count) {
    std::fprintf(to, "%llu\n", static_cast<unsigned long long>(totals.packets_accepted));
  }
  if (totals.live) {
    std::fprintf(stderr,
                 "%llu packets captured\n%llu packets accepted\n%u packets received by kernel\n",
                 static_cast<unsigned long long>(totals.packets_read),
                 static_cast<unsigned long long>(totals.packets_accepted), totals.live->received);
    std::fprintf(stderr, "%u packets dropped by kernel\n", totals.live->dropped);
    if (totals.live->interface_dropped != 0) {
      std::fprintf(stderr, "%u packets dropped by interface\n", totals.live->interface_dropped);
    }
  }
  if (options.json) {
    // Names of files and filters need not be UTF-8.
    const auto replace = Json::error_handler_t::replace;
    std::fprintf(to, "%s\n", statistics(run).dump(2, ' ', false, replace).c_str());
  }
}

}  // namespace skep::tools
