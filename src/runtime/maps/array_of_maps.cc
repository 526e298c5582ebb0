// SPDX-License-Identifier: Apache-2.0
// BPF_MAP_TYPE_ARRAY_OF_MAPS: an array whose elements are maps of one kind, given by the inner map
// it was made with. Source: kernel/bpf/arraymap.c, map_in_map.c. Tested by map_of_maps_test.cc
#include "runtime/maps/object_array.h"

namespace skep::runtime::maps {
namespace {

class ArrayOfMaps final : public ObjectArray {
 public:
  ArrayOfMaps(const MapDef& def, u32 cpus, Storage storage, DirectArray layout,
              std::shared_ptr<ObjectTable> objects)
      : ObjectArray(def, cpus, std::move(storage), layout, std::move(objects)),
        inner_(def.inner->def()) {}

  const MapDef* inner_def() const noexcept override { return &inner_; }
  int lookup_batch(Batch& batch) noexcept override { return generic_lookup_batch(batch); }
  int update_batch(Batch& batch, u32 cpu) noexcept override {
    return generic_update_batch(batch, cpu);
  }
  u32 user_value_size() const noexcept override { return sizeof(u32); }

 private:
  MapDef inner_;
};

}  // namespace

Result<std::shared_ptr<Map>> make_array_of_maps(const MapDef& def, const MapOptions& options) {
  return make_object_array<ArrayOfMaps>(def, options);
}

}  // namespace skep::runtime::maps
