// SPDX-License-Identifier: Apache-2.0
// Real maps as the verifier sees them. Inner maps follow the program's own, so that registers can
// name them.
// Source: kernel/bpf/verifier.c (bpf_map_is_rdonly).  Tested by map_facts_test.cc
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "runtime/maps/map.h"
#include "verify/world.h"

namespace skep::verify {

/// A map that a program uses.
struct UsedMap {
  const runtime::maps::Map* map = nullptr;
  bool frozen = false;  ///< nobody can change it any more
};

/// The facts of maps, in their order, then those of the kinds of their inner maps.
std::vector<MapFacts> facts_of_maps(std::span<const UsedMap> maps);

/// size (1 to 8) bytes at off of the only value of the map, as a program would load them; nothing
/// if they are not all there.
std::optional<u64> read_constant(const runtime::maps::Map& map, u32 off, u32 size);

}  // namespace skep::verify
