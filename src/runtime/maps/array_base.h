// SPDX-License-Identifier: Apache-2.0
// What the arrays have in common: 4-byte keys that are indexes, elements that always exist.
//
//   values: | CPU 0: 0 | 1 | ... | max_entries - 1 |  CPU 1: 0 | 1 | ...      (one part, if not per
//   CPU)
//
// The values begin at offset 0 of the storage, so that a user's mmap of an array with
// BPF_F_MMAPABLE (whose storage is a memfd) needs no translation. Source: kernel/bpf/arraymap.c.
// Tested by array_test.cc
#pragma once

#include <utility>

#include "runtime/maps/create.h"
#include "runtime/maps/map.h"
#include "support/bytes.h"

namespace skep::runtime::maps {

class ArrayBase : public Map {
 public:
  int remove(const void* key) noexcept override;
  int next_key(const void* key, void* next) const noexcept override;
  bool next_element(Cursor& cursor, u32 cpu) const noexcept override;
  std::optional<DirectArray> direct() const noexcept override { return layout_; }

 protected:
  ArrayBase(const MapDef& def, u32 cpus, Storage storage, LookupFn look_up, DirectArray layout)
      : Map(def, cpus, std::move(storage), look_up), layout_(layout) {
    layout_.values = storage_.data();
  }

  /// The element of that index, in CPU cpu's part.
  u8* element(u32 index, u64 cpu) const noexcept {
    return layout_.values + cpu * layout_.cpu_stride + u64{index} * layout_.stride;
  }
  /// The key as an index; max_entries or more is none.
  static u32 index_of(const void* key) noexcept { return load_host<u32>(key); }
  /// Checks of an update, in the kernel's order: flags, index, element exists, lock.
  int check_update(u32 index, u64 flags) const noexcept;

  DirectArray layout_;
};

/// The layout of an array for so many CPUs (1 = not per CPU); values is not set yet.
DirectArray array_layout(const MapDef& def, u32 cpus);
/// Memory for that layout.
Result<Storage> array_storage(const MapDef& def, const MapOptions& options,
                              const DirectArray& layout, u32 cpus);

}  // namespace skep::runtime::maps
