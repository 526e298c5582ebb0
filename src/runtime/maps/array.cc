// SPDX-License-Identifier: Apache-2.0
// BPF_MAP_TYPE_ARRAY, and what all arrays share (array_base.h).
// Source: kernel/bpf/arraymap.c. Tested by array_test.cc
#include <cerrno>
#include <memory>

#include "runtime/maps/array_base.h"
#include "runtime/maps/shared_memory.h"

namespace skep::runtime::maps {

int ArrayBase::remove(const void*) noexcept {
  return -EINVAL;
}

int ArrayBase::next_key(const void* key, void* next) const noexcept {
  const u32 index = key != nullptr ? index_of(key) : def_.max_entries;
  if (index >= def_.max_entries) {
    store_host<u32>(next, 0);
    return 0;
  }
  if (index == def_.max_entries - 1) return -ENOENT;
  store_host<u32>(next, index + 1);
  return 0;
}

bool ArrayBase::next_element(Cursor& cursor, u32 cpu) const noexcept {
  if (cursor.position >= def_.max_entries) return false;
  cursor.array_key = cursor.position++;
  cursor.key = &cursor.array_key;
  cursor.value = element(cursor.array_key, cpu);
  return true;
}

int ArrayBase::check_update(u32 index, u64 flags) const noexcept {
  if ((flags & ~kLock) > kExist) return -EINVAL;
  if (index >= def_.max_entries) return -E2BIG;
  if ((flags & kNoExist) != 0) return -EEXIST;
  return (flags & kLock) != 0 && !has_lock() ? -EINVAL : 0;
}

DirectArray array_layout(const MapDef& def, u32 cpus) {
  constexpr u64 kCacheLine = 64;
  const u32 stride = round_up_8(def.value_size);
  DirectArray layout = {
      .values = nullptr, .stride = stride, .max_entries = def.max_entries, .cpu_stride = 0};
  if (cpus > 1) layout.cpu_stride = round_up(u64{stride} * def.max_entries, kCacheLine);
  return layout;
}

Result<Storage> array_storage(const MapDef& def, const MapOptions& options,
                              const DirectArray& layout, u32 cpus) {
  const u64 one_cpu = u64{layout.stride} * def.max_entries;
  u64 others = 0;
  if (__builtin_mul_overflow(layout.cpu_stride, u64{cpus} - 1, &others)) others = ~one_cpu;
  const bool shared = (def.flags & kMmapableFlag) != 0;
  return Storage::make(one_cpu + others, shared ? Backing::Shared : options.backing, def.name);
}

namespace {

class Array final : public ArrayBase {
 public:
  Array(const MapDef& def, u32 cpus, Storage storage, DirectArray layout)
      : ArrayBase(def, cpus, std::move(storage), find, layout) {}

  int update(const void* key, const void* value, u64 flags, u32) noexcept override {
    const u32 index = index_of(key);
    if (const int error = check_update(index, flags)) return error;
    store_value(element(index, 0), value, flags);
    return 0;
  }
  int lookup_batch(Batch& batch) noexcept override { return generic_lookup_batch(batch); }
  int update_batch(Batch& batch, u32 cpu) noexcept override {
    return generic_update_batch(batch, cpu);
  }

 protected:
  int read(const void* key, void* value, u64 flags) noexcept override {
    const u32 index = index_of(key);
    if (index >= def_.max_entries) return -ENOENT;
    load_value(value, element(index, 0), flags);
    return 0;
  }

 private:
  static void* find(const Map& map, const void* key, u32) noexcept {
    const DirectArray& layout = static_cast<const Array&>(map).layout_;
    const u32 index = index_of(key);
    if (index >= layout.max_entries) return nullptr;
    return layout.values + u64{index} * layout.stride;
  }
};

}  // namespace

Result<std::shared_ptr<Map>> make_array(const MapDef& def, const MapOptions& options) {
  const DirectArray layout = array_layout(def, 1);
  SKEP_TRY(Storage storage, array_storage(def, options, layout, 1));
  return std::shared_ptr<Map>(
      std::make_shared<Array>(def, options.cpus, std::move(storage), layout));
}

}  // namespace skep::runtime::maps
