// SPDX-License-Identifier: Apache-2.0
// One run of `skep filter`: packets from files or an interface go past every filter, to its output.
//
//   -r a -r b --+                       +-- filter EXPR      -> -w FILE
//               +--> batch of packets --+-- filter --to EXPR -> its FILE   (each that accepts)
//   -i eth0 ----+                       +-- nobody accepted  -> --rest FILE
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capture/live.h"
#include "capture/reader.h"
#include "tools/filter_options.h"
#include "tools/filter_source.h"
#include "tools/input_plan.h"
#include "tools/packet_output.h"
#include "tools/progress.h"

namespace skep::tools {

/// A filter and where its packets go.
struct Route {
  std::string name;  ///< the expression, or the program's file
  FilterSource source;
  std::optional<PacketOutput> output;  ///< none: packets are counted only
  u64 packets = 0;
};

/// What happened, for the report.
struct RunTotals {
  u64 packets_read = 0;
  u64 packets_accepted = 0;
  u64 bytes_read = 0;  ///< of the input files, as stored
  bool interrupted = false;
  std::vector<std::string> errors;  ///< as printed
  std::optional<capture::LiveStatistics> live;
};

class FilterRun {
 public:
  explicit FilterRun(const FilterOptions& options) : options_(options) {}

  /// Prints the main filter's program as -d, -dd or -ddd ask. Returns the exit status.
  int dump();
  /// Reads and filters everything. Returns the exit status; messages go to standard error.
  int run();

  /// True after a run() that met a second link type when its outputs were pcap files already, and
  /// that may be done again with pcapng outputs. Nothing was printed.
  bool needs_pcapng() const { return needs_pcapng_; }

  const RunTotals& totals() const { return totals_; }
  const std::vector<Route>& routes() const { return routes_; }
  const std::optional<PacketOutput>& rest() const { return rest_; }
  const std::string& engine() const { return engine_name_; }

 private:
  Status run_files();
  Status run_live();
  Status add_routes();
  void give_outputs(OutputOptions options);
  Status open_outputs(const capture::Section& section);
  void read_file(const std::string& path, capture::CaptureReader& reader);
  Result<bool> read_batch(capture::CaptureReader& reader);
  void enter(const capture::Section& section);
  void process(const capture::Batch& batch);
  void process_one(const capture::Packet& packet, const capture::Section& section);
  Status settle();
  bool clash_can_be_mended();
  void finish();
  void complain(const Error& error);
  void note(const std::string& text);
  bool is_over() const;
  template <class Do>
  Status each_output(Do action);

  const FilterOptions& options_;
  std::string engine_name_;
  FileClaims claims_;  // before the outputs, which use it
  std::vector<Route> routes_;
  std::optional<PacketOutput> rest_;
  RunTotals totals_;
  Progress* progress_ = nullptr;
  u64 files_bytes_ = 0;         // of the inputs that are done
  u64 prepared_section_ = 0;    // the section that the filters are ready for
  std::size_t prepared_ = 0;    // and how many of its interfaces
  bool limit_reached_ = false;  // -c
  bool output_failed_ = false;  // there is no sense in reading on
  bool pipe_closed_ = false;
  bool needs_pcapng_ = false;
  Status live_status_;
};

}  // namespace skep::tools
