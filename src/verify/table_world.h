// SPDX-License-Identifier: Apache-2.0
// A world for tests of the verifier's core: a few program types, their contexts as rows, some
// helpers, maps as plain facts. Independent of hooks, helpers and maps, so that the core can be
// tested without them. Linked into tests only.
#pragma once

#include <utility>

#include "verify/program.h"
#include "verify/world.h"

namespace skep::verify {

/// Program types of the tables (enum bpf_prog_type).
namespace prog_type {
constexpr u32 kSocketFilter = 1;
constexpr u32 kKprobe = 2;
constexpr u32 kSchedCls = 3;
constexpr u32 kSchedAct = 4;
constexpr u32 kTracepoint = 5;
constexpr u32 kXdp = 6;
constexpr u32 kPerfEvent = 7;
constexpr u32 kCgroupSkb = 8;
constexpr u32 kLwtIn = 10;
constexpr u32 kLwtOut = 11;
constexpr u32 kLwtXmit = 12;
constexpr u32 kRawTracepoint = 17;
}  // namespace prog_type

class TableWorld : public World {
 public:
  TableWorld(u32 type, const Rights& rights, std::vector<MapFacts> maps = {},
             u32 expected_attach_type = 0);

  /// Whether the tables have this program type.
  static bool knows(u32 type);

  const Traits& traits() const override { return traits_; }
  Traits& traits() { return traits_; }
  std::optional<ContextLoad> context(u32 off, u32 size, Access access) const override;
  bool socket(RegKind kind, u32 off, u32 size) const override;
  const Proto* helper(u32 number) const override;
  std::string_view helper_name(u32 number) const override;
  bool helper_is_missing(u32 number) const override;
  const std::vector<MapFacts>& maps() const override { return maps_; }
  std::optional<u64> constant(const MapFacts& map, u32 off, u32 size) const override;

 private:
  std::vector<MapFacts> maps_;
  Traits traits_;
  Rights rights_;
};

/// Maps by the sizes that tests want.
MapFacts map_facts(u32 type, u32 key_size, u32 value_size, u32 max_entries);

}  // namespace skep::verify
