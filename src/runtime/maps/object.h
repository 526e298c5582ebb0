// SPDX-License-Identifier: Apache-2.0
// Things that elements of program arrays and of maps of maps refer to: programs and inner maps.
// An element holds a 32-bit id, never a pointer, so a storage means the same in every process; the
// table finds the object for an id with one load. Ids are what a user's look-up returns.
//
//   element: id --ObjectTable::find--> Object*      (a running program: no lock)
//
// An object lives as long as somebody has a shared_ptr to it or an element holds it. What the last
// element lets go is kept in a list of retired objects, because a running program may have found it
// just before: whoever runs programs takes the list, waits until every run that was under way has
// ended (DESIGN decision 12), and then drops it. Maps and programs have tables of their own, as in
// the kernel. Tested by object_test.cc
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "runtime/maps/storage.h"
#include "support/ints.h"
#include "support/result.h"

namespace skep::runtime::maps {

class Map;
class ObjectTable;

/// A program or a map that elements may refer to.
class Object {
 public:
  Object() = default;
  virtual ~Object();
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  /// The number in its table; 0 while it is in none.
  u32 id() const { return id_; }
  /// Whether it may become an element of that map: 0 or the negative errno of the kernel's answer.
  virtual int may_enter(const Map& container) const noexcept = 0;

 private:
  friend ObjectTable;
  u32 id_ = 0;
  std::weak_ptr<ObjectTable> table_;
};

/// Objects by id. All functions may be called by several threads at a time.
class ObjectTable : public std::enable_shared_from_this<ObjectTable> {
 public:
  static constexpr u32 kDefaultCapacity = 1u << 16;

  /// A table with ids from 1 to capacity - 1. Errors: OutOfMemory.
  static Result<std::shared_ptr<ObjectTable>> make(u32 capacity = kDefaultCapacity);

  /// Gives the object an id (the one it has, if it is here already). Ids are given in rising order
  /// and used again only after all others. Errors: TooLong (no id is free), InvalidArgument (it is
  /// in another table).
  Result<u32> add(const std::shared_ptr<Object>& object);

  /// The object of that id, or nullptr. For running programs: it stays alive until their run ends.
  Object* find(u32 id) const noexcept {
    if (id >= capacity_) return nullptr;
    return __atomic_load_n(&pointers()[id], __ATOMIC_ACQUIRE);
  }

  /// Keeps the object for one more element and returns it; empty when there is no such object.
  std::shared_ptr<Object> hold(u32 id);
  /// One element less; the last one retires the object.
  void release(u32 id) noexcept;

  /// The objects retired since the last call. To be dropped after a grace period.
  std::vector<std::shared_ptr<Object>> take_retired();

 private:
  friend Object;
  struct Entry {
    std::weak_ptr<Object> weak;
    std::shared_ptr<Object> held;  // while holds > 0
    u32 holds = 0;
  };

  ObjectTable() = default;
  Object** pointers() const { return reinterpret_cast<Object**>(memory_.data()); }
  void forget(u32 id) noexcept;

  Storage memory_;  // Object* by id
  u32 capacity_ = 0;
  std::mutex mutex_;  // for everything below
  u32 last_id_ = 0;
  std::unordered_map<u32, Entry> entries_;
  std::vector<std::shared_ptr<Object>> retired_;
};

}  // namespace skep::runtime::maps
