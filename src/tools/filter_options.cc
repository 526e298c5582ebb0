// SPDX-License-Identifier: Apache-2.0
// Describing, reading and checking the options of `skep filter`.
// Tested by tests/e2e/filter_options.sh
#include "tools/filter_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <set>

#include "capture/libpcap_engine.h"
#include "engine/filter.h"
#include "tools/at_least_one.h"
#include "tools/file_io.h"

namespace skep::tools {

namespace {

std::set<std::string> engine_names() {
  std::set<std::string> names;
  for (const engine::FilterEngine& engine : engine::filter_engines()) names.emplace(engine.name);
  names.emplace(capture::libpcap_engine().name);
  return names;
}

Error usage(std::string message) {
  return Error{Code::InvalidArgument, std::move(message)};
}

// tcpdump's -V: a file name a line.
Status read_input_list(FilterOptions& options) {
  if (options.input_list.empty()) return {};
  SKEP_TRY(const std::string text, read_file(options.input_list));
  if (text.find('\0') != std::string::npos) {
    return Error{Code::BadFormat, input_name(options.input_list) + ": names cannot have NUL bytes"};
  }
  std::string name;
  for (const char c : text + "\n") {
    if (c != '\n') {
      name += c;
    } else if (!name.empty()) {
      options.inputs.push_back(name);
      name.clear();
    }
  }
  if (options.inputs.empty()) return usage("nothing in " + input_name(options.input_list));
  return {};
}

void describe_inputs(CLI::App& app, FilterOptions& options) {
  app.add_option("-r", options.inputs, "Read a capture file, - is standard input; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("-V", options.input_list, "Read the capture files that FILE names, one a line")
      ->type_name("FILE");
  app.add_option("-i,--interface", options.interface, "Capture from an interface")
      ->type_name("IFACE");
  app.add_flag("-p,--no-promiscuous-mode", options.no_promiscuous, "Leave the interface's mode");
  app.add_option("-s,--snapshot-length", options.snaplen, "Bytes to capture of a packet (-i)")
      ->type_name("N");
  app.add_option("-y,--linktype", options.linktype, "Link type of the interface, or for -d")
      ->type_name("DLT");
  app.add_flag("-D,--list-interfaces", options.list_interfaces, "List the interfaces and stop");
  app.add_flag("-L,--list-data-link-types", options.list_linktypes,
               "List link types of -i and stop");
}

void describe_program(CLI::App& app, FilterOptions& options) {
  app.add_option("expression", options.words, "Filter expression, see pcap-filter(7)");
  app.add_option("-F", options.expression_file, "Read the expression from FILE")->type_name("FILE");
  app.add_option("--program", options.program_file,
                 "Run the program in FILE (bpf_asm, -d, -dd, -ddd)")
      ->type_name("FILE");
  app.add_flag("-O,--no-optimize", options.no_optimiser, "Do not run libpcap's optimiser");
  app.add_flag("-d", options.dump, "Print the program and stop; -dd as C, -ddd as numbers");
  app.add_option("--engine", options.engine, "What runs the filter")
      ->check(CLI::IsMember(engine_names()))
      ->default_str(std::string(engine::filter_engines().front().name))
      ->type_name("ENGINE");
}

void describe_outputs(CLI::App& app, FilterOptions& options) {
  app.add_option("-w", options.output, "Write accepted packets to FILE, - is standard output")
      ->type_name("FILE");
  app.add_option("--to", options.to, "Write the packets that EXPR accepts to FILE; repeatable")
      ->type_size(2)
      ->allow_extra_args(false)
      ->type_name("EXPR FILE");
  app.add_option("--rest", options.rest, "Write packets that nothing accepts to FILE")
      ->type_name("FILE");
  app.add_flag("--count", options.count, "Print the number of accepted packets");
  app.add_option("-c", options.max_packets, "Stop after N accepted packets")
      ->check(at_least_one())
      ->type_name("N");
  app.add_flag("-U,--packet-buffered", options.packet_buffered, "Write each packet at once");
  app.add_option("-C", options.rotate_megabytes, "New file after N million bytes")
      ->check(at_least_one())
      ->type_name("N");
  app.add_option("-G", options.rotate_seconds, "New file after N seconds; -w is a strftime format")
      ->check(at_least_one())
      ->type_name("N");
  app.add_option("-W", options.rotate_files, "At most N files")
      ->check(at_least_one())
      ->type_name("N");
  app.add_option("--output-format", options.output_format, "Default: pcap where it can hold all")
      ->check(CLI::IsMember({"pcap", "pcapng"}))
      ->type_name("pcap|pcapng");
  app.add_option("--time-stamp-precision", options.precision, "Default: the input's")
      ->check(CLI::IsMember({"micro", "nano"}))
      ->type_name("micro|nano");
  app.add_flag_callback(
      "--micro", [&options] { options.precision = "micro"; }, "Microseconds");
  app.add_flag_callback(
      "--nano", [&options] { options.precision = "nano"; }, "Nanoseconds");
  app.add_flag("--json", options.json, "Print statistics as JSON at the end");
  app.add_flag("-n", options.quiet_names, "For tcpdump's sake: nothing is looked up by name");
}

bool looks_like_an_option(const std::string& file) {
  return file.size() > 1 && file.front() == '-';
}

// `--to udp -w rest.pcap`: the file's name was forgotten.
Status check_to_files(const FilterOptions& options) {
  for (std::size_t i = 1; i < options.to.size(); i += 2) {
    const std::string& file = options.to[i];
    if (!looks_like_an_option(file)) continue;
    return usage(fmt::format(
        "--to takes an expression and a file, and '{0}' looks like an option; a file of that name "
        "is ./{0}",
        file));
  }
  return {};
}

}  // namespace

void describe_options(CLI::App& app, FilterOptions& options) {
  describe_inputs(app, options);
  describe_program(app, options);
  describe_outputs(app, options);
}

Status complete_options(FilterOptions& options) {
  SKEP_TRY_DO(read_input_list(options));
  const bool live = !options.interface.empty();
  if (live && !options.inputs.empty()) return usage("-i and -r exclude each other");
  if (!options.expression_file.empty()) {
    // As in tcpdump, the file wins over words of the command line.
    SKEP_TRY(std::string text, read_file(options.expression_file));
    options.words = {std::move(text)};
  }
  if (!options.program_file.empty() && !options.words.empty()) {
    return usage("--program stands instead of an expression");
  }
  SKEP_TRY_DO(check_to_files(options));
  if (options.snaplen == 0) options.snaplen = capture::kMaxSnaplen;
  if (options.snaplen > capture::kMaxSnaplen) return usage("-s takes at most 262144");
  if (options.list_interfaces || options.dump != 0) return {};
  if (options.list_linktypes) {
    return live ? Status() : Status(usage("-L needs -i"));
  }
  if (options.inputs.empty() && !live) {
    return usage("say what to read: -r FILE, -r - for standard input, or -i IFACE");
  }
  if (options.output.empty() && options.to.empty() && !options.count) {
    return usage(
        "say what to do with the packets: -w FILE writes them, --count counts them.\n"
        "To print them: skep filter EXPR -r in.pcap -w - | tcpdump -n -r -");
  }
  const bool rotates = options.rotate_megabytes != 0 || options.rotate_seconds != 0;
  if (rotates && (options.output.empty() || options.output == "-")) {
    return usage("-C and -G need -w FILE");
  }
  return {};
}

std::string expression_text(const FilterOptions& options) {
  std::string text;
  for (const std::string& word : options.words) text += (text.empty() ? "" : " ") + word;
  return text;
}

}  // namespace skep::tools
