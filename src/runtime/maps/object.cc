// SPDX-License-Identifier: Apache-2.0
// The table of objects: an array of pointers for running programs, and beside it, under a mutex,
// who keeps what alive. Tested by object_test.cc
#include "runtime/maps/object.h"

#include <utility>

#include "support/assert.h"

namespace skep::runtime::maps {

Object::~Object() {
  if (const std::shared_ptr<ObjectTable> table = table_.lock()) table->forget(id_);
}

Result<std::shared_ptr<ObjectTable>> ObjectTable::make(u32 capacity) {
  SKEP_TRY(Storage memory,
           Storage::make(u64{capacity} * sizeof(void*), Backing::Private, "objects"));
  std::shared_ptr<ObjectTable> table(new ObjectTable);
  table->memory_ = std::move(memory);
  table->capacity_ = capacity;
  return table;
}

Result<u32> ObjectTable::add(const std::shared_ptr<Object>& object) {
  const std::lock_guard guard(mutex_);
  if (object->id_ != 0) {
    if (object->table_.lock().get() == this) return object->id_;
    return Error{Code::InvalidArgument, "the object is in another table"};
  }
  for (u32 tries = 1; tries < capacity_; tries++) {
    last_id_ = last_id_ + 1 < capacity_ ? last_id_ + 1 : 1;
    if (find(last_id_) != nullptr) continue;
    object->id_ = last_id_;
    object->table_ = weak_from_this();
    entries_[last_id_] = {.weak = object, .held = nullptr, .holds = 0};
    __atomic_store_n(&pointers()[last_id_], object.get(), __ATOMIC_RELEASE);
    return last_id_;
  }
  return Error{Code::TooLong, "no id is free for one more object"};
}

std::shared_ptr<Object> ObjectTable::hold(u32 id) {
  const std::lock_guard guard(mutex_);
  const auto it = entries_.find(id);
  if (it == entries_.end()) return nullptr;
  Entry& entry = it->second;
  std::shared_ptr<Object> object = entry.weak.lock();
  if (!object) return nullptr;  // it is being destroyed right now
  entry.holds++;
  entry.held = object;
  return object;
}

void ObjectTable::release(u32 id) noexcept {
  const std::lock_guard guard(mutex_);
  const auto it = entries_.find(id);
  if (it == entries_.end() || it->second.holds == 0) return;
  Entry& entry = it->second;
  if (--entry.holds == 0) retired_.push_back(std::move(entry.held));
}

std::vector<std::shared_ptr<Object>> ObjectTable::take_retired() {
  const std::lock_guard guard(mutex_);
  return std::exchange(retired_, {});
}

void ObjectTable::forget(u32 id) noexcept {
  const std::lock_guard guard(mutex_);
  __atomic_store_n(&pointers()[id], static_cast<Object*>(nullptr), __ATOMIC_RELEASE);
  entries_.erase(id);
}

}  // namespace skep::runtime::maps
