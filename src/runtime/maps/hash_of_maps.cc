// SPDX-License-Identifier: Apache-2.0
// BPF_MAP_TYPE_HASH_OF_MAPS: a hash map whose values are ids of maps. Programs look up the inner
// Map; only users update. Source: kernel/bpf/hashtab.c, map_in_map.c. Tested by map_of_maps_test.cc
#include <cerrno>
#include <memory>

#include "runtime/maps/hash_base.h"

namespace skep::runtime::maps {
namespace {

class HashOfMaps final : public HashBase {
 public:
  HashOfMaps(const MapDef& def, u32 cpus, Storage storage, const HashTable::Shape& shape, u32 seed,
             std::shared_ptr<ObjectTable> objects)
      : HashBase(def, cpus, std::move(storage), lookup_for<HashOfMaps>(def.key_size), shape, seed),
        inner_(def.inner->def()),
        objects_(std::move(objects)) {}
  // The storage stays as it is: another process may be using it.
  ~HashOfMaps() override {
    Cursor cursor;
    for (u32 at = table_.next_element(cursor); at != kNone; at = table_.next_element(cursor))
      objects_->release(load_relaxed(id(at)));
  }

  const MapDef* inner_def() const noexcept override { return &inner_; }
  void release_objects() noexcept override {
    Cursor cursor;
    const WriteLock guard(table_.lock());
    for (u32 at = table_.next_element(cursor); at != kNone; at = table_.next_element(cursor)) {
      table_.unlink(at);
      give_back(at);
    }
  }

  template <u32 kBytes>
  static void* find(const Map& map, const void* key, u32) noexcept {
    const HashOfMaps& hash = static_cast<const HashOfMaps&>(map);
    const u32 index = hash.table_.find<kBytes>(key);
    return index != kNone ? hash.objects_->find(load_relaxed(hash.id(index))) : nullptr;
  }

 protected:
  int write(const void* key, const void* value, u64 flags, u32) noexcept override {
    const std::shared_ptr<Object> inner = objects_->hold(load_host<u32>(value));
    if (!inner) return -EBADF;
    int error = inner->may_enter(*this);
    if (error == 0) error = put(key, inner->id(), flags);
    if (error != 0) objects_->release(inner->id());
    return error;
  }
  int take(const void*, void*, u64) noexcept override { return -kEnotsupp; }
  void* program_value(u32 index, u32) const noexcept override {
    return objects_->find(load_relaxed(id(index)));
  }
  void give_back(u32 index) noexcept override {
    objects_->release(load_relaxed(id(index)));
    table_.put_free(index);
  }

 private:
  u32* id(u32 index) const noexcept { return reinterpret_cast<u32*>(table_.value(index)); }

  int put(const void* key, u32 inner, u64 flags) noexcept {
    if (flags > kExist) return -EINVAL;
    const u32 hash = table_.hash(key);
    const WriteLock guard(table_.lock());
    const HashTable::Place place = table_.locate(key, hash);
    if (const int error = check_exists(place.found(), flags)) return error;
    if (!place.found() && table_.header().count == def_.max_entries) return -E2BIG;
    const u32 index = table_.take_free();
    table_.set_key(index, key, hash);
    store_relaxed(id(index), inner);
    if (place.found()) {
      table_.replace(place, index);
      give_back(place.index);
    } else {
      table_.insert(index);
    }
    return 0;
  }

  MapDef inner_;
  std::shared_ptr<ObjectTable> objects_;
};

}  // namespace

Result<std::shared_ptr<Map>> make_hash_of_maps(const MapDef& def, const MapOptions& options) {
  if (!options.objects) return Error{Code::InvalidArgument, "a map of maps needs a table of maps"};
  const HashTable::Shape shape = hash_shape(def, def.max_entries + 1, sizeof(u32));
  SKEP_TRY(Storage storage, hash_storage(def, options, shape));
  return std::shared_ptr<Map>(std::make_shared<HashOfMaps>(
      def, options.cpus, std::move(storage), shape, hash_seed(def, options), options.objects));
}

}  // namespace skep::runtime::maps
