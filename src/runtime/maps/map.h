// SPDX-License-Identifier: Apache-2.0
// The one interface of all map types. Two kinds of callers see a map differently, as in the kernel:
//
//   programs  get the address of a value and work on it; a per-CPU map shows them one CPU's copy
//   users     get copies; of a per-CPU map all CPUs' copies at once, each rounded up to 8 bytes; of
//             maps that hold objects the objects' ids
//
// Results are 0 or a negative errno, the kernel's number for the same situation. A Map object never
// changes once it is made: all that changes is in its storage, so that a child after fork works on
// the same map. Keys and values given to these functions may have any alignment; elements are
// 8-byte aligned. Source: kernel/bpf/syscall.c. Tested by map_test.cc and the *_test.cc of the
// types
#pragma once

#include <optional>

#include "runtime/maps/map_def.h"
#include "runtime/maps/object.h"
#include "runtime/maps/storage.h"
#include "support/ints.h"

namespace skep::runtime::maps {

/// What a bpf(2) batch command works on; buffers are the caller's and large enough for count.
struct Batch {
  const void* start = nullptr;  ///< look-ups: where the last one ended, or nullptr for the start
  void* end = nullptr;          ///< look-ups: where this one ended; batch_position_size() bytes
  void* keys = nullptr;
  void* values = nullptr;
  u32 count = 0;       ///< elements asked for; afterwards, elements done
  u64 elem_flags = 0;  ///< flags of each element's operation
  u64 flags = 0;       ///< must be 0
};

/// A place in an iteration over a map's elements (bpf_for_each_map_elem).
struct Cursor {
  u32 position = 0;  ///< array: next index; hash: bucket
  u32 link = 0;      ///< hash: next element of the bucket
  bool in_bucket = false;
  alignas(8) u32 array_key = 0;
  const void* key = nullptr;  ///< the element, after next_element() returned true
  void* value = nullptr;
};

/// Where an array's values are, for code that computes addresses itself.
struct DirectArray {
  u8* values = nullptr;  ///< value i of CPU c = values + c * cpu_stride + i * stride
  u32 stride = 0;        ///< bytes
  u32 max_entries = 0;
  u64 cpu_stride = 0;  ///< bytes; 0 where all CPUs share the values
};

class Map : public Object {
 public:
  /// What a look-up calls. Direct, so that engines can put the call into code.
  using LookupFn = void* (*)(const Map& map, const void* key, u32 cpu) noexcept;

  const MapDef& def() const { return def_; }
  const Storage& storage() const { return storage_; }
  /// CPU slots, 1 or more: copies of a value in a per-CPU map.
  u32 cpus() const { return cpus_; }

  // ---- what programs do ------------------------------------------------------------------------

  /// The address of the value (of that CPU's copy of it), or nullptr. Takes no lock. For program
  /// arrays and maps of maps: the program or inner map, as an Object*. The address is that of a
  /// value until the map dies; the element may meanwhile come to be another key's.
  void* lookup(const void* key, u32 cpu) const noexcept { return lookup_(*this, key, cpu); }
  LookupFn lookup_fn() const { return lookup_; }
  /// Creates or replaces; cpu is whose copy is written, and where an LRU map looks for room first.
  /// EINVAL (flags, no such CPU slot), EEXIST, ENOENT, E2BIG (full, index too large), ENOMEM (LRU
  /// without room).
  virtual int update(const void* key, const void* value, u64 flags, u32 cpu) noexcept;
  /// Deletes. ENOENT, EINVAL (arrays).
  virtual int remove(const void* key) noexcept = 0;
  /// Moves on to the next element, false at the end. Elements may be deleted meanwhile.
  virtual bool next_element(Cursor& cursor, u32 cpu) const noexcept;
  /// An array's layout; empty for other types.
  virtual std::optional<DirectArray> direct() const noexcept { return std::nullopt; }

  // ---- what users do (bpf(2), the command, tests)
  // ------------------------------------------------

  /// Bytes of a value as users see it.
  virtual u32 user_value_size() const noexcept { return def_.value_size; }
  /// Copies the value out. ENOENT, EINVAL (flags other than kLock, kLock without a lock).
  int user_lookup(const void* key, void* value, u64 flags = 0) noexcept;
  /// As update; value has user_value_size() bytes, an object's id for maps that hold objects (an id
  /// that is in no table: EBADF; one that may not enter: EINVAL).
  int user_update(const void* key, const void* value, u64 flags = kAny, u32 cpu = 0) noexcept;
  /// Copies the value out and deletes. ENOENT, EINVAL, ENOTSUPP (arrays and maps of objects).
  int user_take(const void* key, void* value, u64 flags = 0) noexcept;
  /// The key after key (the first one, if key is nullptr or not there). ENOENT at the end.
  virtual int next_key(const void* key, void* next) const noexcept = 0;

  /// Bytes of a position in look-up batches.
  virtual u32 batch_position_size() const noexcept { return def_.key_size; }
  /// The batch commands. ENOENT: all is read; ENOSPC: a hash bucket has more than count elements;
  /// ENOTSUPP: the type has no such command. batch.count is set even when an error is returned,
  /// except that EINVAL leaves it alone.
  virtual int lookup_batch(Batch& batch) noexcept;
  virtual int take_batch(Batch& batch) noexcept;
  virtual int update_batch(Batch& batch, u32 cpu = 0) noexcept;
  virtual int remove_batch(Batch& batch) noexcept;

  /// Empties every element that holds an object (the kernel does it to a program array when its
  /// last descriptor is closed).
  virtual void release_objects() noexcept {}

  /// What maps must look like to enter this map of maps; nullptr for other types.
  virtual const MapDef* inner_def() const noexcept { return nullptr; }
  int may_enter(const Map& container) const noexcept override;

 protected:
  Map(const MapDef& def, u32 cpus, Storage storage, LookupFn look_up);

  virtual int read(const void* key, void* value, u64 flags) noexcept = 0;
  virtual int write(const void* key, const void* value, u64 flags, u32 cpu) noexcept {
    return update(key, value, flags, cpu);
  }
  virtual int take(const void*, void*, u64) noexcept { return -kEnotsupp; }

  /// 0, or EINVAL for what no user operation but update may have as flags.
  int check_user_flags(u64 flags) const noexcept;
  bool has_lock() const { return def_.spin_lock_offset.has_value(); }
  /// Copies a value into an element, or out of it, without its lock; with kLock under it.
  void store_value(u8* element, const void* value, u64 flags) const noexcept;
  void load_value(void* value, const u8* element, u64 flags) const noexcept;
  /// lookup_batch and update_batch by next_key, read and write.
  int generic_lookup_batch(Batch& batch) noexcept;
  int generic_update_batch(Batch& batch, u32 cpu) noexcept;
  int generic_remove_batch(Batch& batch) noexcept;

  MapDef def_;
  u32 cpus_;
  Storage storage_;

 private:
  LookupFn lookup_;
};

}  // namespace skep::runtime::maps
