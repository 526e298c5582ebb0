// SPDX-License-Identifier: Apache-2.0
// What all map types share: checks of the user's flags, copies that leave the lock inside of a
// value alone, batches made of single operations, and which map may enter a map of maps.
// Source: kernel/bpf/syscall.c, map_in_map.c. Tested by map_test.cc
#include "runtime/maps/map.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "runtime/maps/shared_memory.h"
#include "runtime/maps/write_lock.h"

namespace skep::runtime::maps {

// clang-format off
std::string_view to_string(MapType type) {
  switch (type) {
#define MAP(name, number, text, ...) case MapType::name: return text;
#define KNOWN(name, number, text) case MapType::name: return text;
#include "runtime/maps/maps.def"
#undef MAP
#undef KNOWN
  }
  return {};
}

std::optional<MapType> map_type(std::string_view name) {
#define MAP(id, number, text, ...) if (name == text) return MapType::id;
#define KNOWN(id, number, text) if (name == text) return MapType::id;
#include "runtime/maps/maps.def"
#undef MAP
#undef KNOWN
  return std::nullopt;
}
// clang-format on

Map::Map(const MapDef& def, u32 cpus, Storage storage, LookupFn look_up)
    : def_(def), cpus_(cpus), storage_(std::move(storage)), lookup_(look_up) {
  def_.inner = nullptr;
}

int Map::may_enter(const Map& container) const noexcept {
  const MapDef* wanted = container.inner_def();
  if (wanted == nullptr) return -EINVAL;
  const bool same = wanted->type == def_.type && wanted->key_size == def_.key_size &&
                    wanted->value_size == def_.value_size && wanted->flags == def_.flags;
  // Kernel: an array's look-up is code with the size in it, unless BPF_F_INNER_MAP forbids that.
  const bool any_size = def_.type != MapType::Array || (wanted->flags & kInnerMapFlag) != 0;
  return same && (any_size || wanted->max_entries == def_.max_entries) ? 0 : -EINVAL;
}

int Map::update(const void*, const void*, u64, u32) noexcept {
  return -EINVAL;
}
bool Map::next_element(Cursor&, u32) const noexcept {
  return false;
}

int Map::check_user_flags(u64 flags) const noexcept {
  if ((flags & ~kLock) != 0) return -EINVAL;
  return (flags & kLock) != 0 && !has_lock() ? -EINVAL : 0;
}

int Map::user_lookup(const void* key, void* value, u64 flags) noexcept {
  if (const int error = check_user_flags(flags)) return error;
  return read(key, value, flags);
}

int Map::user_update(const void* key, const void* value, u64 flags, u32 cpu) noexcept {
  if ((flags & kLock) != 0 && !has_lock()) return -EINVAL;
  return write(key, value, flags, cpu);
}

int Map::user_take(const void* key, void* value, u64 flags) noexcept {
  if (const int error = check_user_flags(flags)) return error;
  return take(key, value, flags);
}

// Pieces before and after the lock; the lock's own offset is a multiple of 4.
void Map::store_value(u8* element, const void* value, u64 flags) const noexcept {
  if (!has_lock()) {
    store_shared(element, value, def_.value_size);
    return;
  }
  const u32 lock = *def_.spin_lock_offset;
  u32* const word = reinterpret_cast<u32*>(element + lock);
  const u8* const source = static_cast<const u8*>(value);
  if ((flags & kLock) != 0) lock_word(word);
  for (u32 i = 0; i < def_.value_size; i++) {
    if (i - lock >= sizeof *word) store_relaxed(element + i, source[i]);
  }
  if ((flags & kLock) != 0) unlock_word(word);
}

void Map::load_value(void* value, const u8* element, u64 flags) const noexcept {
  if (!has_lock()) {
    load_shared(value, element, def_.value_size);
    return;
  }
  const u32 lock = *def_.spin_lock_offset;
  u32* const word = reinterpret_cast<u32*>(const_cast<u8*>(element) + lock);
  u8* const target = static_cast<u8*>(value);
  if ((flags & kLock) != 0) lock_word(word);
  for (u32 i = 0; i < def_.value_size; i++)
    target[i] = i - lock < sizeof *word ? u8{0} : load_relaxed(element + i);
  if ((flags & kLock) != 0) unlock_word(word);
}

int Map::lookup_batch(Batch&) noexcept {
  return -kEnotsupp;
}
int Map::take_batch(Batch&) noexcept {
  return -kEnotsupp;
}
int Map::update_batch(Batch&, u32) noexcept {
  return -kEnotsupp;
}
int Map::remove_batch(Batch&) noexcept {
  return -kEnotsupp;
}

int Map::generic_lookup_batch(Batch& batch) noexcept {
  if (const int error = check_user_flags(batch.elem_flags)) return error;
  const u32 room = std::exchange(batch.count, 0);
  if (room == 0) return 0;
  const std::size_t key_size = def_.key_size;
  const std::unique_ptr<u8[]> last(new (std::nothrow) u8[key_size]);
  if (!last) return -ENOMEM;
  u8* keys = static_cast<u8*>(batch.keys);
  u8* values = static_cast<u8*>(batch.values);
  const void* previous = batch.start;
  bool moved = false;
  while (batch.count < room) {
    if (const int error = next_key(previous, keys)) {
      if (moved && batch.count > 0) std::memcpy(batch.end, last.get(), key_size);
      return error;
    }
    const int error = read(keys, values, batch.elem_flags);
    // Kernel: an error other than this one leaves the user's count at 0.
    if (error != 0 && error != -ENOENT) {
      batch.count = 0;
      return error;
    }
    std::memcpy(last.get(), keys, key_size);
    previous = last.get();
    moved = true;
    if (error != 0) continue;
    batch.count++;
    keys += key_size;
    values += user_value_size();
  }
  std::memcpy(batch.end, last.get(), key_size);
  return 0;
}

int Map::generic_update_batch(Batch& batch, u32 cpu) noexcept {
  if (const int error = check_user_flags(batch.elem_flags)) return error;
  const u8* keys = static_cast<const u8*>(batch.keys);
  const u8* values = static_cast<const u8*>(batch.values);
  const u32 wanted = std::exchange(batch.count, 0);
  for (; batch.count < wanted; batch.count++) {
    if (const int error = write(keys, values, batch.elem_flags, cpu)) return error;
    keys += def_.key_size;
    values += user_value_size();
  }
  return 0;
}

int Map::generic_remove_batch(Batch& batch) noexcept {
  if (const int error = check_user_flags(batch.elem_flags)) return error;
  const u8* keys = static_cast<const u8*>(batch.keys);
  const u32 wanted = std::exchange(batch.count, 0);
  for (; batch.count < wanted; batch.count++, keys += def_.key_size) {
    if (const int error = remove(keys)) return error;
  }
  return 0;
}

}  // namespace skep::runtime::maps
