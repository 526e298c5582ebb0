// SPDX-License-Identifier: Apache-2.0
// Making a map: the checks that all types share, in the kernel's order and with its errnos, by the
// columns of maps.def; then the type's factory. The errno of a refusal is to_errno(error).
// Source: kernel/bpf/syscall.c map_create, arraymap.c, hashtab.c. Tested by create_test.cc
#pragma once

#include <memory>
#include <optional>

#include "runtime/maps/map.h"

namespace skep::runtime::maps {

/// What a map gets from its surroundings.
struct MapOptions {
  u32 cpus = 1;  ///< CPU slots: copies of each value in a per-CPU map, 1 or more
  Backing backing = Backing::Private;
  std::shared_ptr<ObjectTable> objects = nullptr;  ///< program arrays: programs; maps of maps: maps
  std::optional<u32> hash_seed = std::nullopt;     ///< else random
  u32 numa_nodes = 1;
  /// LRU maps: how many elements a CPU takes from the common list at once, at most. Linux takes 128
  /// up to 6.16 and fewer for small maps since (lru_free_target_617).
  u32 lru_free_target = 128;
};

/// A map, empty (arrays: of zeros). Errors, with the kernel's errno: EINVAL, E2BIG, ENOMEM,
/// ENOTSUPP (524), and Unsupported for a type that is known but not built.
Result<std::shared_ptr<Map>> create(const MapDef& def, const MapOptions& options = {});

/// MapOptions::lru_free_target as Linux since 6.17 chooses it.
u32 lru_free_target_617(u32 max_entries, u32 cpus);

/// An error of map code with that errno (positive).
Error map_error(int number, std::string message);

/// The factories of maps.def; def has been checked.
#define MAP(name, number, text, factory, ...) \
  Result<std::shared_ptr<Map>> factory(const MapDef& def, const MapOptions& options);
#define KNOWN(name, number, text)
#include "runtime/maps/maps.def"
#undef MAP
#undef KNOWN

}  // namespace skep::runtime::maps
