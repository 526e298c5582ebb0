// SPDX-License-Identifier: Apache-2.0
// For tests of maps: short ways to make one and to use 32-bit keys and 64-bit values.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "runtime/maps/create.h"

namespace skep::runtime::maps {

/// The map, or nullptr with a test failure.
inline std::shared_ptr<Map> make(const MapDef& def, const MapOptions& options = {}) {
  Result<std::shared_ptr<Map>> made = create(def, options);
  EXPECT_TRUE(made.has_value()) << (made ? "" : made.error().message);
  return made ? *made : nullptr;
}

/// A definition with the sizes of most tests.
inline MapDef def_of(MapType type, u32 max_entries, u32 flags = 0) {
  return {.type = type, .key_size = 4, .value_size = 8, .max_entries = max_entries, .flags = flags};
}

inline int put(Map& map, u32 key, u64 value, u64 flags = kAny, u32 cpu = 0) {
  return map.update(&key, &value, flags, cpu);
}
inline int remove(Map& map, u32 key) {
  return map.remove(&key);
}
/// The address that a program sees; nullptr if there is no such key.
inline u64* find(const Map& map, u32 key, u32 cpu = 0) {
  return static_cast<u64*>(map.lookup(&key, cpu));
}
/// All keys, in the order of next_key.
inline std::vector<u32> keys(const Map& map) {
  std::vector<u32> all;
  u32 key = 0;
  for (int error = map.next_key(nullptr, &key); error == 0; error = map.next_key(&key, &key))
    all.push_back(key);
  return all;
}

}  // namespace skep::runtime::maps
