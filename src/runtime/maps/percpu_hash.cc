// SPDX-License-Identifier: Apache-2.0
// BPF_MAP_TYPE_PERCPU_HASH: keys once, values once for each CPU slot. The values are behind the
// elements, one CPU's together, value i belonging to element i. Updates of a key that is there
// write in place. Source: kernel/bpf/hashtab.c. Tested by percpu_hash_test.cc
#include <cerrno>
#include <memory>

#include "runtime/maps/hash_base.h"

namespace skep::runtime::maps {
namespace {

class PercpuHash final : public HashBase {
 public:
  PercpuHash(const MapDef& def, u32 cpus, Storage storage, const HashTable::Shape& shape, u32 seed)
      : HashBase(def, cpus, std::move(storage), lookup_for<PercpuHash>(def.key_size), shape, seed),
        values_(storage_.data() + shape.more_offset()),
        stride_(round_up_8(def.value_size)),
        cpu_stride_(shape.more_bytes / cpus) {}

  u32 user_value_size() const noexcept override { return stride_ * cpus_; }

  int update(const void* key, const void* value, u64 flags, u32 cpu) noexcept override {
    return cpu < cpus_ ? store(key, value, flags, cpu) : -EINVAL;
  }

  template <u32 kBytes>
  static void* find(const Map& map, const void* key, u32 cpu) noexcept {
    const PercpuHash& hash = static_cast<const PercpuHash&>(map);
    if (cpu >= hash.cpus_) return nullptr;
    const u32 index = hash.table_.find<kBytes>(key);
    return index != kNone ? hash.value(index, cpu) : nullptr;
  }

 protected:
  int write(const void* key, const void* value, u64 flags, u32) noexcept override {
    return store(key, value, flags, kAllCpus);
  }
  void* program_value(u32 index, u32 cpu) const noexcept override { return value(index, cpu); }
  void copy_out(void* value_out, u32 index, u64) const noexcept override {
    u8* target = static_cast<u8*>(value_out);
    for (u32 cpu = 0; cpu < cpus_; cpu++, target += stride_)
      load_shared(target, value(index, cpu), stride_);
  }

 private:
  static constexpr u32 kAllCpus = ~u32{0};

  u8* value(u32 index, u32 cpu) const noexcept {
    return values_ + cpu * cpu_stride_ + u64{index} * stride_;
  }

  int store(const void* key, const void* source, u64 flags, u32 cpu) noexcept {
    if (flags > kExist) return -EINVAL;
    const u32 hash = table_.hash(key);
    const WriteLock guard(table_.lock());
    const HashTable::Place place = table_.locate(key, hash);
    if (const int error = check_exists(place.found(), flags)) return error;
    if (place.found()) {
      store_copies(place.index, source, cpu);
      return 0;
    }
    if (table_.header().count == def_.max_entries) return -E2BIG;
    const u32 index = table_.take_free();
    table_.set_key(index, key, hash);
    // Kernel: the other CPUs' copies of a new element are zeros, whatever they were before.
    if (cpu != kAllCpus) {
      for (u32 other = 0; other < cpus_; other++) {
        if (other != cpu) clear_shared(value(index, other), stride_);
      }
    }
    store_copies(index, source, cpu);
    table_.insert(index);
    return 0;
  }

  /// One CPU's value of value_size bytes, or all CPUs' of stride_ bytes.
  void store_copies(u32 index, const void* source, u32 cpu) const noexcept {
    if (cpu != kAllCpus) {
      store_shared(value(index, cpu), source, def_.value_size);
      return;
    }
    const u8* from = static_cast<const u8*>(source);
    for (u32 each = 0; each < cpus_; each++, from += stride_)
      store_shared(value(index, each), from, stride_);
  }

  u8* values_;
  u32 stride_;
  u64 cpu_stride_;
};

}  // namespace

Result<std::shared_ptr<Map>> make_percpu_hash(const MapDef& def, const MapOptions& options) {
  HashTable::Shape shape = hash_shape(def, def.max_entries, 0);
  const u64 one_cpu = round_up(u64{round_up_8(def.value_size)} * def.max_entries, HashTable::kLine);
  if (__builtin_mul_overflow(one_cpu, u64{options.cpus}, &shape.more_bytes))
    return map_error(ENOMEM, "no memory for so many copies of each value");
  SKEP_TRY(Storage storage, hash_storage(def, options, shape));
  return std::shared_ptr<Map>(std::make_shared<PercpuHash>(def, options.cpus, std::move(storage),
                                                           shape, hash_seed(def, options)));
}

}  // namespace skep::runtime::maps
