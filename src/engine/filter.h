// SPDX-License-Identifier: Apache-2.0
// A packet filter ready to run: a checked classic program inside one of the engines. Which engine
// is a matter of construction; running is one call through a pointer, so that rooms above can add
// engines of their own (capture/libpcap_engine.h does).
// Tested by filter_test.cc
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>

#include "cbpf/metadata.h"
#include "isa/cbpf.h"
#include "isa/cbpf_semantics.h"
#include "support/bytes.h"
#include "support/result.h"

namespace skep::engine {

class Filter {
 public:
  /// Runs a program; returns the bytes of the packet to keep, 0 to drop it.
  using Match = u32 (*)(const void* program, const u8* data, u32 caplen, u32 len,
                        const cbpf::Metadata& metadata) noexcept;

  /// An engine's form of a program, shared by copies of the filter.
  Filter(Match match, std::shared_ptr<const void> program)
      : match_(match), program_(std::move(program)) {}

  /// What the program returns for the packet's first bytes, its length on the wire, and what else
  /// is known of it. Any number of threads may call it at once.
  u32 run(const u8* data, u32 caplen, u32 len,
          const cbpf::Metadata& metadata = cbpf::kNoMetadata) const noexcept {
    return match_(program_.get(), data, caplen, len, metadata);
  }

 private:
  Match match_;
  std::shared_ptr<const void> program_;
};

/// An engine that runs classic programs.
struct FilterEngine {
  std::string_view name;
  /// Checks the program and prepares it. Errors: those of cbpf::check(), OutOfMemory.
  Result<Filter> (*make)(std::span<const isa::cbpf::RawInsn> program, isa::cbpf::Rules rules);
};

/// The engines of this room, the fastest first.
std::span<const FilterEngine> filter_engines();

}  // namespace skep::engine
