// SPDX-License-Identifier: Apache-2.0
// Planning a run from the heads of its inputs.
// Tested by tests/e2e/filter_linktypes.sh, filter_bad_input.sh
#include "tools/input_plan.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tools/file_io.h"

namespace skep::tools {

namespace {

// A pipe can be read once only, so nothing but the first input may be one of those looked at.
bool is_regular(const std::string& path, u64& size) {
  struct stat info = {};
  if (path == "-" || ::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
  size = static_cast<u64>(info.st_size);
  return true;
}

bool cannot_be_opened(const std::string& path) {
  return path != "-" && ::access(path.c_str(), R_OK) != 0;
}

std::vector<std::string> output_paths(const FilterOptions& options) {
  std::vector<std::string> paths;
  if (!options.output.empty()) paths.push_back(options.output);
  for (std::size_t i = 1; i < options.to.size(); i += 2) paths.push_back(options.to[i]);
  if (!options.rest.empty()) paths.push_back(options.rest);
  return paths;
}

}  // namespace

Result<InputPlan> look_at_inputs(const std::vector<std::string>& paths) {
  InputPlan plan;
  std::set<u32> linktypes;
  for (const std::string& path : paths) {
    u64 size = 0;
    const bool regular = is_regular(path, size);
    plan.total_bytes += size;
    if (plan.first != nullptr && !regular && !cannot_be_opened(path)) continue;
    auto reader = capture::open_capture_file(path);
    if (!reader) return in_file(reader.error(), input_name(path));
    const bool is_first = plan.first == nullptr;
    const Status peeked = (*reader)->peek();
    // Damage behind the head is met again, in its place, when the file is read.
    const std::vector<capture::Interface>& interfaces = (*reader)->section().interfaces;
    if (!peeked && interfaces.empty()) return in_file(peeked.error(), input_name(path));
    for (const capture::Interface& interface : interfaces) linktypes.insert(interface.linktype);
    if (!is_first) continue;
    if (!interfaces.empty()) plan.interface = interfaces.front();
    plan.interface.raw_block.clear();
    for (const capture::Interface& interface : interfaces) {
      plan.interface.snaplen = std::max(plan.interface.snaplen, interface.snaplen);
      if (interface.precision == capture::Precision::Nano) {
        plan.interface.precision = capture::Precision::Nano;
      }
    }
    plan.first = std::move(*reader);
  }
  plan.linktypes_differ = linktypes.size() > 1;
  return plan;
}

OutputOptions plan_outputs(const capture::Interface& interface, bool linktypes_differ,
                           const FilterOptions& options) {
  using capture::FileFormat;
  using capture::Precision;
  OutputOptions plan;
  plan.writer.format = linktypes_differ ? FileFormat::Pcapng : FileFormat::Pcap;
  if (options.output_format == "pcap") plan.writer.format = FileFormat::Pcap;
  if (options.output_format == "pcapng") plan.writer.format = FileFormat::Pcapng;
  plan.writer.precision = interface.precision;
  if (options.precision == "micro") plan.writer.precision = Precision::Micro;
  if (options.precision == "nano") plan.writer.precision = Precision::Nano;
  plan.writer.linktype = interface.linktype;
  plan.writer.snaplen = interface.snaplen;
  plan.packet_buffered = options.packet_buffered;
  return plan;
}

bool can_start_again(const FilterOptions& options) {
  if (options.rotate_megabytes != 0 || options.rotate_seconds != 0) return false;
  u64 size = 0;
  const auto plain = [&size](const std::string& path) { return is_regular(path, size); };
  const std::vector<std::string> outputs = output_paths(options);
  return std::all_of(options.inputs.begin(), options.inputs.end(), plain) &&
         std::all_of(outputs.begin(), outputs.end(), plain);
}

Status claim_files(const FilterOptions& options, FileClaims& claims) {
  for (const std::string& path : options.inputs) claims.add_input(path);
  // They were read already, but nobody wants them gone.
  for (const std::string* path :
       {&options.expression_file, &options.program_file, &options.input_list}) {
    if (!path->empty()) claims.add_input(*path);
  }
  std::set<std::string> names;
  for (const std::string& path : output_paths(options)) {
    if (!names.insert(path).second) {
      return in_file(Error{Code::InvalidArgument, "two outputs have this name"}, path);
    }
    SKEP_TRY_DO(claims.check_output(path, nullptr));
    if (path == "-" && ::isatty(STDOUT_FILENO) == 1) {
      return in_file(Error{Code::InvalidArgument, "is a terminal; packets are not text"}, path);
    }
  }
  return {};
}

}  // namespace skep::tools
