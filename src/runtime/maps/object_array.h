// SPDX-License-Identifier: Apache-2.0
// Arrays whose elements are ids of objects, 0 = empty: program arrays and arrays of maps. Only
// users update them. Source: kernel/bpf/arraymap.c (fd_array). Tested by object_array_test.cc
#pragma once

#include <memory>
#include <utility>

#include "runtime/maps/array_base.h"

namespace skep::runtime::maps {

class ObjectArray : public ArrayBase {
 public:
  ~ObjectArray() override;

  int remove(const void* key) noexcept override;
  bool next_element(Cursor&, u32) const noexcept override { return false; }
  std::optional<DirectArray> direct() const noexcept override { return std::nullopt; }
  void release_objects() noexcept override;

 protected:
  ObjectArray(const MapDef& def, u32 cpus, Storage storage, DirectArray layout,
              std::shared_ptr<ObjectTable> objects)
      : ArrayBase(def, cpus, std::move(storage), find, layout), objects_(std::move(objects)) {}

  int read(const void* key, void* value, u64 flags) noexcept override;
  int write(const void* key, const void* value, u64 flags, u32 cpu) noexcept override;

 private:
  static void* find(const Map& map, const void* key, u32 cpu) noexcept;
  u32* id(u32 index) const noexcept { return reinterpret_cast<u32*>(element(index, 0)); }

  std::shared_ptr<ObjectTable> objects_;
};

/// Makes the array M, with M's constructor from these parameters.
template <class M>
Result<std::shared_ptr<Map>> make_object_array(const MapDef& def, const MapOptions& options) {
  if (!options.objects)
    return Error{Code::InvalidArgument, "an array of objects needs a table of objects"};
  const DirectArray layout = array_layout(def, 1);
  SKEP_TRY(Storage storage, array_storage(def, options, layout, 1));
  return std::shared_ptr<Map>(
      std::make_shared<M>(def, options.cpus, std::move(storage), layout, options.objects));
}

}  // namespace skep::runtime::maps
