// SPDX-License-Identifier: Apache-2.0
// BPF_MAP_TYPE_PERCPU_ARRAY: an array with a copy of every value for each CPU slot. The copies of
// one CPU lie together, a cache line away from the next CPU's. Source: kernel/bpf/arraymap.c.
// Tested by percpu_array_test.cc
#include <cerrno>
#include <memory>

#include "runtime/maps/array_base.h"
#include "runtime/maps/shared_memory.h"

namespace skep::runtime::maps {
namespace {

class PercpuArray final : public ArrayBase {
 public:
  PercpuArray(const MapDef& def, u32 cpus, Storage storage, DirectArray layout)
      : ArrayBase(def, cpus, std::move(storage), find, layout) {}

  u32 user_value_size() const noexcept override { return layout_.stride * cpus_; }

  int update(const void* key, const void* value, u64 flags, u32 cpu) noexcept override {
    const u32 index = index_of(key);
    if (cpu >= cpus_) return -EINVAL;
    if (const int error = check_update(index, flags)) return error;
    store_shared(element(index, cpu), value, def_.value_size);
    return 0;
  }
  int lookup_batch(Batch& batch) noexcept override { return generic_lookup_batch(batch); }
  int update_batch(Batch& batch, u32 cpu) noexcept override {
    return generic_update_batch(batch, cpu);
  }

 protected:
  int read(const void* key, void* value, u64) noexcept override {
    const u32 index = index_of(key);
    if (index >= def_.max_entries) return -ENOENT;
    u8* target = static_cast<u8*>(value);
    for (u32 cpu = 0; cpu < cpus_; cpu++, target += layout_.stride)
      load_shared(target, element(index, cpu), layout_.stride);
    return 0;
  }
  int write(const void* key, const void* value, u64 flags, u32) noexcept override {
    const u32 index = index_of(key);
    if (flags > kExist) return -EINVAL;
    if (const int error = check_update(index, flags)) return error;
    const u8* source = static_cast<const u8*>(value);
    for (u32 cpu = 0; cpu < cpus_; cpu++, source += layout_.stride)
      store_shared(element(index, cpu), source, layout_.stride);
    return 0;
  }

 private:
  static void* find(const Map& map, const void* key, u32 cpu) noexcept {
    const PercpuArray& array = static_cast<const PercpuArray&>(map);
    const u32 index = index_of(key);
    if (index >= array.layout_.max_entries || cpu >= array.cpus_) return nullptr;
    return array.element(index, cpu);
  }
};

}  // namespace

Result<std::shared_ptr<Map>> make_percpu_array(const MapDef& def, const MapOptions& options) {
  const DirectArray layout = array_layout(def, options.cpus);
  SKEP_TRY(Storage storage, array_storage(def, options, layout, options.cpus));
  return std::shared_ptr<Map>(
      std::make_shared<PercpuArray>(def, options.cpus, std::move(storage), layout));
}

}  // namespace skep::runtime::maps
