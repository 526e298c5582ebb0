// SPDX-License-Identifier: Apache-2.0
// What the hash maps have in common, above hash_table.h: reading, deleting, iterating, batches. A
// type says how a value is copied out, and where an element goes that is not used any more.
// Source: kernel/bpf/hashtab.c. Tested by hash_test.cc
#pragma once

#include <utility>

#include "runtime/maps/hash_table.h"
#include "runtime/maps/map.h"

namespace skep::runtime::maps {

class HashBase : public Map {
 public:
  int remove(const void* key) noexcept override;
  int next_key(const void* key, void* next) const noexcept override {
    return table_.next_key(key, next);
  }
  bool next_element(Cursor& cursor, u32 cpu) const noexcept override;
  u32 batch_position_size() const noexcept override { return sizeof(u32); }
  int lookup_batch(Batch& batch) noexcept override { return walk_batch(batch, false); }
  int take_batch(Batch& batch) noexcept override { return walk_batch(batch, true); }
  int update_batch(Batch& batch, u32 cpu) noexcept override {
    return generic_update_batch(batch, cpu);
  }
  int remove_batch(Batch& batch) noexcept override { return generic_remove_batch(batch); }

 protected:
  HashBase(const MapDef& def, u32 cpus, Storage storage, LookupFn look_up,
           const HashTable::Shape& shape, u32 seed)
      : Map(def, cpus, std::move(storage), look_up), table_(shape, storage_, seed) {}

  int read(const void* key, void* value, u64 flags) noexcept override;
  int take(const void* key, void* value, u64 flags) noexcept override;

  /// What a program's look-up of that element gives on that CPU.
  virtual void* program_value(u32 index, u32 cpu) const noexcept {
    (void)cpu;
    return table_.value(index);
  }
  /// Copies the value to a user.
  virtual void copy_out(void* value, u32 index, u64 flags) const noexcept {
    load_value(value, table_.value(index), flags);
  }
  /// Under the lock: an element that has left its chain.
  virtual void give_back(u32 index) noexcept { table_.put_free(index); }

  HashTable table_;

 private:
  int walk_batch(Batch& batch, bool remove) noexcept;
};

/// The shape of a table with the def's keys and so many elements; no area, no links.
HashTable::Shape hash_shape(const MapDef& def, u32 capacity, u32 value_bytes);
/// Memory for the shape. Errors: TooLong (E2BIG: more buckets than the kernel can count).
Result<Storage> hash_storage(const MapDef& def, const MapOptions& options,
                             const HashTable::Shape& shape);
/// The seed: the option's, 0 by flag, or random.
u32 hash_seed(const MapDef& def, const MapOptions& options);
/// EEXIST or ENOENT if flags demand it, else 0.
int check_exists(bool exists, u64 flags) noexcept;

/// The look-up of a hash map M (a template M::find<key bytes>), compiled for usual key sizes.
template <class M>
Map::LookupFn lookup_for(u32 key_size) {
  switch (key_size) {
    case 4: return M::template find<4>;
    case 8: return M::template find<8>;
    case 12: return M::template find<12>;
    case 16: return M::template find<16>;
    default: return M::template find<0>;
  }
}

}  // namespace skep::runtime::maps
