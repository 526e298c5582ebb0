// SPDX-License-Identifier: Apache-2.0
// BPF_MAP_TYPE_HASH. An update puts a fresh element in the old one's place: whoever holds the old
// value's address keeps seeing the old value, until the element is used again, as in the kernel.
// Hence one element more than max_entries. BPF_F_NO_PREALLOC changes nothing: memory is touched on
// first use anyway. Source: kernel/bpf/hashtab.c. Tested by hash_test.cc
#include <cerrno>
#include <memory>

#include "runtime/maps/hash_base.h"

namespace skep::runtime::maps {
namespace {

class Hash final : public HashBase {
 public:
  Hash(const MapDef& def, u32 cpus, Storage storage, const HashTable::Shape& shape, u32 seed)
      : HashBase(def, cpus, std::move(storage), lookup_for<Hash>(def.key_size), shape, seed) {}

  int update(const void* key, const void* value, u64 flags, u32) noexcept override {
    if ((flags & ~kLock) > kExist) return -EINVAL;
    if ((flags & kLock) != 0 && !has_lock()) return -EINVAL;
    const u32 hash = table_.hash(key);
    const WriteLock guard(table_.lock());
    const HashTable::Place place = table_.locate(key, hash);
    if (const int error = check_exists(place.found(), flags)) return error;
    if (place.found() && (flags & kLock) != 0) {
      store_value(table_.value(place.index), value, flags);
      return 0;
    }
    if (!place.found() && table_.header().count == def_.max_entries) return -E2BIG;
    const u32 index = table_.take_free();
    table_.set_key(index, key, hash);
    store_value(table_.value(index), value, kAny);
    if (place.found()) {
      table_.replace(place, index);
      table_.put_free(place.index);
    } else {
      table_.insert(index);
    }
    return 0;
  }

  template <u32 kBytes>
  static void* find(const Map& map, const void* key, u32) noexcept {
    const HashTable& table = static_cast<const Hash&>(map).table_;
    const u32 index = table.find<kBytes>(key);
    return index != kNone ? table.value(index) : nullptr;
  }
};

}  // namespace

Result<std::shared_ptr<Map>> make_hash(const MapDef& def, const MapOptions& options) {
  const HashTable::Shape shape = hash_shape(def, def.max_entries + 1, def.value_size);
  SKEP_TRY(Storage storage, hash_storage(def, options, shape));
  return std::shared_ptr<Map>(std::make_shared<Hash>(def, options.cpus, std::move(storage), shape,
                                                     hash_seed(def, options)));
}

}  // namespace skep::runtime::maps
