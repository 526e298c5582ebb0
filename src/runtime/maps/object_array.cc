// SPDX-License-Identifier: Apache-2.0
// Source: kernel/bpf/arraymap.c. Tested by object_array_test.cc
#include "runtime/maps/object_array.h"

#include <cerrno>

#include "runtime/maps/shared_memory.h"

namespace skep::runtime::maps {

// The storage stays as it is: another process may be using it.
ObjectArray::~ObjectArray() {
  for (u32 index = 0; index < def_.max_entries; index++) {
    const u32 object = load_relaxed(id(index));
    if (object != 0) objects_->release(object);
  }
}

void* ObjectArray::find(const Map& map, const void* key, u32) noexcept {
  const ObjectArray& array = static_cast<const ObjectArray&>(map);
  const u32 index = index_of(key);
  if (index >= array.layout_.max_entries) return nullptr;
  return array.objects_->find(load_relaxed(array.id(index)));
}

int ObjectArray::read(const void* key, void* value, u64) noexcept {
  const u32 index = index_of(key);
  const u32 object = index < def_.max_entries ? load_relaxed(id(index)) : 0;
  if (object == 0) return -ENOENT;
  store_host<u32>(value, object);
  return 0;
}

int ObjectArray::write(const void* key, const void* value, u64 flags, u32) noexcept {
  const u32 index = index_of(key);
  if (flags != kAny) return -EINVAL;
  if (index >= def_.max_entries) return -E2BIG;
  const std::shared_ptr<Object> object = objects_->hold(load_host<u32>(value));
  if (!object) return -EBADF;
  if (const int error = object->may_enter(*this)) {
    objects_->release(object->id());
    return error;
  }
  const u32 old = __atomic_exchange_n(id(index), object->id(), __ATOMIC_ACQ_REL);
  if (old != 0) objects_->release(old);
  return 0;
}

int ObjectArray::remove(const void* key) noexcept {
  const u32 index = index_of(key);
  if (index >= def_.max_entries) return -E2BIG;
  const u32 old = __atomic_exchange_n(id(index), 0u, __ATOMIC_ACQ_REL);
  if (old == 0) return -ENOENT;
  objects_->release(old);
  return 0;
}

void ObjectArray::release_objects() noexcept {
  for (u32 index = 0; index < def_.max_entries; index++) {
    if (load_relaxed(id(index)) != 0) remove(&index);
  }
}

}  // namespace skep::runtime::maps
