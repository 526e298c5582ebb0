// SPDX-License-Identifier: Apache-2.0
// Filters by link type.
// Tested by tests/e2e/filter_linktypes.sh
#include "tools/filter_source.h"

#include <utility>

namespace skep::tools {

FilterSource FilterSource::expression(std::string text, const FilterSettings& settings) {
  return {std::move(text), std::nullopt, settings};
}

FilterSource FilterSource::program(capture::Program program, const FilterSettings& settings) {
  return {{}, std::move(program), settings};
}

Result<capture::Program> FilterSource::compile(const capture::Interface& interface) const {
  if (program_) return *program_;
  auto program = capture::compile_expression(text_, {.linktype = interface.linktype,
                                                     .snaplen = interface.snaplen,
                                                     .optimize = settings_.optimise});
  if (!program) {
    const std::string where = "expression for " + capture::linktype_text(interface.linktype);
    return Error{program.error().code, where + ": " + program.error().message};
  }
  return program;
}

Status FilterSource::prepare(const capture::Section& section) {
  // Only interfaces that are new: a file may describe thousands, each behind a packet.
  if (section.number != prepared_section_) filters_.clear();
  prepared_section_ = section.number;
  // libpcap's programs may jump backwards; those that users bring follow the kernel's rules.
  const auto rules = program_ ? isa::cbpf::Rules::Linux : isa::cbpf::Rules::Libpcap;
  for (std::size_t i = filters_.size(); i < section.interfaces.size(); ++i) {
    const capture::Interface& interface = section.interfaces[i];
    auto known = by_linktype_.find(interface.linktype);
    if (known == by_linktype_.end()) {
      SKEP_TRY(const capture::Program program, compile(interface));
      SKEP_TRY(engine::Filter filter, settings_.engine.make(program, rules));
      known = by_linktype_.emplace(interface.linktype, std::move(filter)).first;
    }
    filters_.push_back(&known->second);
  }
  return {};
}

}  // namespace skep::tools
