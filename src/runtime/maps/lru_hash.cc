// SPDX-License-Identifier: Apache-2.0
// BPF_MAP_TYPE_LRU_HASH: a hash map that is never full, because the element that was not used for
// longest makes room (lru_list.h has the rules). A program's look-up marks an element as used, a
// user's does not. Source: kernel/bpf/hashtab.c. Tested by lru_hash_test.cc
#include <algorithm>
#include <cerrno>
#include <memory>

#include "runtime/maps/hash_base.h"
#include "runtime/maps/lru_list.h"

namespace skep::runtime::maps {
namespace {

class LruHash final : public HashBase {
 public:
  LruHash(const MapDef& def, u32 cpus, Storage storage, const HashTable::Shape& shape, u32 seed,
          u32 free_target)
      : HashBase(def, cpus, std::move(storage), lookup_for<LruHash>(def.key_size), shape, seed),
        lru_(table_, storage_.data() + shape.area_offset(), shape.capacity, cpus,
             (def.flags & kNoCommonLruFlag) != 0, free_target) {}

  int update(const void* key, const void* value, u64 flags, u32 cpu) noexcept override {
    if (flags > kExist) return -EINVAL;
    const u32 hash = table_.hash(key);
    const WriteLock guard(table_.lock());
    // Kernel: room is made first, so even an update that then fails removes an element.
    const u32 index = lru_.take(std::min(cpu, cpus_ - 1));
    if (index == kNone) return -ENOMEM;
    const HashTable::Place place = table_.locate(key, hash);
    if (const int error = check_exists(place.found(), flags)) {
      lru_.put_free(index);
      return error;
    }
    table_.set_key(index, key, hash);
    store_value(table_.value(index), value, kAny);
    if (place.found()) {
      lru_.set_used(index);
      table_.replace(place, index);
      lru_.put_free(place.index);
    } else {
      table_.insert(index);
    }
    return 0;
  }

  template <u32 kBytes>
  static void* find(const Map& map, const void* key, u32) noexcept {
    const LruHash& hash = static_cast<const LruHash&>(map);
    const u32 index = hash.table_.find<kBytes>(key);
    if (index == kNone) return nullptr;
    hash.lru_.set_used(index);
    return hash.table_.value(index);
  }

 protected:
  void give_back(u32 index) noexcept override { lru_.put_free(index); }

 private:
  LruList lru_;
};

/// With lists of their own, all CPUs have the same number of elements.
u32 rounded_entries(const MapDef& def, u32 cpus) {
  if ((def.flags & kNoCommonLruFlag) == 0) return def.max_entries;
  const u64 up = round_up(def.max_entries, cpus);
  return static_cast<u32>(up <= ~u32{0} ? up : up - cpus);
}

}  // namespace

Result<std::shared_ptr<Map>> make_lru_hash(const MapDef& def, const MapOptions& options) {
  MapDef rounded = def;
  rounded.max_entries = rounded_entries(def, options.cpus);
  HashTable::Shape shape = hash_shape(rounded, rounded.max_entries, def.value_size);
  shape.area_bytes = LruList::area_bytes(options.cpus);
  shape.links_bytes = LruList::kLinksBytes;
  SKEP_TRY(Storage storage, hash_storage(rounded, options, shape));
  return std::shared_ptr<Map>(std::make_shared<LruHash>(rounded, options.cpus, std::move(storage),
                                                        shape, hash_seed(def, options),
                                                        options.lru_free_target));
}

}  // namespace skep::runtime::maps
