// SPDX-License-Identifier: Apache-2.0
// The options of `skep filter`, as the command line gives them; tcpdump's words where it has them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capture/packet.h"
#include "capture/rotation.h"
#include "support/result.h"

namespace CLI {
class App;
}

namespace skep::tools {

struct FilterOptions {
  std::vector<std::string> words;  ///< the expression; words are joined with spaces
  std::string expression_file;     ///< -F
  std::string program_file;        ///< --program
  std::vector<std::string> inputs;
  std::string input_list;              ///< -V
  std::string interface;               ///< -i
  std::string output;                  ///< -w
  std::vector<std::string> to;         ///< --to: expression, file, expression, file, ...
  std::string rest;                    ///< --rest
  std::string linktype;                ///< -y
  std::string engine;                  ///< --engine
  std::string output_format;           ///< --output-format
  std::string precision;               ///< --time-stamp-precision
  u32 snaplen = capture::kMaxSnaplen;  ///< -s
  u64 max_packets = 0;                 ///< -c; 0 = all
  u64 rotate_megabytes = 0;            ///< -C
  u32 rotate_seconds = 0;              ///< -G
  u32 rotate_files = 0;                ///< -W
  int dump = 0;                        ///< number of -d
  bool count = false;
  bool no_optimiser = false;     ///< -O
  bool no_promiscuous = false;   ///< -p
  bool packet_buffered = false;  ///< -U
  bool list_interfaces = false;  ///< -D
  bool list_linktypes = false;   ///< -L
  bool json = false;
  bool quiet_names = false;  ///< -n, which changes nothing: nothing is printed by name
};

/// Describes all of them to CLI11.
void describe_options(CLI::App& app, FilterOptions& options);
/// Finds contradictions and reads -V and -F. Errors name the option or the file.
Status complete_options(FilterOptions& options);
/// The expression of the command line or of -F.
std::string expression_text(const FilterOptions& options);

}  // namespace skep::tools
