// SPDX-License-Identifier: Apache-2.0
// What decides about packets: an expression, compiled once for each link type that turns up, or a
// program given as it is.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "capture/expression.h"
#include "capture/packet.h"
#include "engine/filter.h"

namespace skep::tools {

/// How filters are made; the same for all of a run.
struct FilterSettings {
  engine::FilterEngine engine;
  bool optimise = true;
};

class FilterSource {
 public:
  static FilterSource expression(std::string text, const FilterSettings& settings);
  static FilterSource program(capture::Program program, const FilterSettings& settings);

  /// The program for an interface's link type. Errors: Syntax with libpcap's message.
  Result<capture::Program> compile(const capture::Interface& interface) const;
  /// Makes filters for all interfaces of the section that have none yet.
  Status prepare(const capture::Section& section);
  /// What the filter says of a packet of the section last prepared.
  bool accepts(const capture::Packet& packet) const {
    return filters_[packet.interface]->run(packet.data, packet.caplen, packet.len) != 0;
  }

 private:
  FilterSource(std::string text, std::optional<capture::Program> program,
               const FilterSettings& settings)
      : text_(std::move(text)), program_(std::move(program)), settings_(settings) {}

  std::string text_;
  std::optional<capture::Program> program_;
  FilterSettings settings_;
  std::map<u32, engine::Filter> by_linktype_;
  std::vector<const engine::Filter*> filters_;  // beside the section's interfaces
  u64 prepared_section_ = 0;                    // whose interfaces those are
};

/// Reads a program in the notation of bpf_asm, `tcpdump -d`, -dd or -ddd. Errors: Io, and those of
/// assembler::classic::assemble(); they name the file.
Result<capture::Program> read_program_file(const std::string& path);

}  // namespace skep::tools
