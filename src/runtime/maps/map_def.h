// SPDX-License-Identifier: Apache-2.0
// What a map is before it exists: its type, sizes and flags, by the kernel's names and numbers.
// Everything here is plain data; create.h makes a Map of it.
// Source: include/uapi/linux/bpf.h. Tested by create_test.cc
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "support/ints.h"

namespace skep::runtime::maps {

/// The map types of Linux 6.1 by the kernel's numbers (maps.def).
enum class MapType : u32 {
#define MAP(name, number, ...) name = number,
#define KNOWN(name, number, text) name = number,
#include "runtime/maps/maps.def"
#undef MAP
#undef KNOWN
};

/// bpftool's name of a type, "hash"; empty for a number that 6.1 does not know.
std::string_view to_string(MapType type);
/// The type of that name (bpftool's), or nothing.
std::optional<MapType> map_type(std::string_view name);

// Flags of map creation, BPF_F_*.
constexpr u32 kNoPreallocFlag = 1u << 0;
constexpr u32 kNoCommonLruFlag = 1u << 1;
constexpr u32 kNumaFlag = 1u << 2;
constexpr u32 kReadOnlyFlag = 1u << 3;
constexpr u32 kWriteOnlyFlag = 1u << 4;
constexpr u32 kZeroSeedFlag = 1u << 6;
constexpr u32 kReadOnlyProgFlag = 1u << 7;
constexpr u32 kWriteOnlyProgFlag = 1u << 8;
constexpr u32 kMmapableFlag = 1u << 10;
constexpr u32 kInnerMapFlag = 1u << 12;
constexpr u32 kAccessFlags =
    kReadOnlyFlag | kWriteOnlyFlag | kReadOnlyProgFlag | kWriteOnlyProgFlag;

// Flags of an update.
constexpr u64 kAny = 0;      ///< create or replace
constexpr u64 kNoExist = 1;  ///< create only: EEXIST
constexpr u64 kExist = 2;    ///< replace only: ENOENT
constexpr u64 kLock = 4;     ///< under the bpf_spin_lock of the value

/// The kernel's own error number for what a map type cannot do; not in errno.h.
constexpr int kEnotsupp = 524;

class Map;

/// What a map is to be.
struct MapDef {
  MapType type = MapType::Unspec;
  u32 key_size = 0;       ///< bytes
  u32 value_size = 0;     ///< bytes
  u32 max_entries = 0;    ///< elements
  u32 flags = 0;          ///< kNoPreallocFlag and so on
  std::string name = {};  ///< at most 15 characters: letters, digits, '_' and '.'
  u32 numa_node = 0;      ///< looked at with kNumaFlag only
  u64 map_extra = 0;      ///< 0 for the types that are built
  std::optional<u32> spin_lock_offset = std::nullopt;  ///< bytes; from the value's BTF
  const Map* inner = nullptr;  ///< map of maps: one of the kind that may go in; not kept
};

}  // namespace skep::runtime::maps
