// SPDX-License-Identifier: Apache-2.0
// Tested by map_facts_test.cc
#include "verify/map_facts.h"

#include "support/bytes.h"

namespace skep::verify {
namespace {

namespace maps = runtime::maps;

MapFacts facts_of(const maps::MapDef& def, bool frozen, u32 index) {
  MapFacts facts;
  facts.type = static_cast<u32>(def.type);
  facts.key_size = def.key_size;
  facts.value_size = def.value_size;
  facts.max_entries = def.max_entries;
  facts.name = def.name;
  facts.program_may_read = (def.flags & maps::kWriteOnlyProgFlag) == 0;
  facts.program_may_write = (def.flags & maps::kReadOnlyProgFlag) == 0;
  facts.constant = frozen && !facts.program_may_write;
  facts.direct_values = def.type == maps::MapType::Array && def.max_entries == 1;
  facts.spin_lock_off = def.spin_lock_offset;
  facts.has_btf = def.spin_lock_offset.has_value();
  facts.outside_index = index;
  return facts;
}

}  // namespace

std::vector<MapFacts> facts_of_maps(std::span<const UsedMap> used) {
  std::vector<MapFacts> facts;
  for (std::size_t i = 0; i < used.size(); ++i) {
    facts.push_back(facts_of(used[i].map->def(), used[i].frozen, static_cast<u32>(i)));
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    const maps::MapDef* const inner = used[i].map->inner_def();
    if (inner == nullptr) continue;
    facts.push_back(facts_of(*inner, false, static_cast<u32>(i)));
    facts[i].inner = static_cast<u32>(facts.size());
  }
  return facts;
}

std::optional<u64> read_constant(const maps::Map& map, u32 off, u32 size) {
  const u32 bytes = map.def().value_size;
  if (off > bytes || size > bytes - off) return std::nullopt;
  const u32 key = 0;
  const auto* const value = static_cast<const u8*>(map.lookup(&key, 0));
  if (value == nullptr) return std::nullopt;
  const u8* const at = value + off;
  switch (size) {
    case 1: return *at;
    case 2: return load_host<u16>(at);
    case 4: return load_host<u32>(at);
    case 8: return load_host<u64>(at);
    default: return std::nullopt;  // not an enum
  }
}

}  // namespace skep::verify
