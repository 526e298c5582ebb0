// SPDX-License-Identifier: Apache-2.0
// Source: kernel/bpf/hashtab.c. Tested by hash_test.cc
#include "runtime/maps/hash_base.h"

#include <sys/random.h>

#include <bit>
#include <cerrno>

namespace skep::runtime::maps {

HashTable::Shape hash_shape(const MapDef& def, u32 capacity, u32 value_bytes) {
  HashTable::Shape shape;
  shape.key_size = def.key_size;
  shape.buckets = static_cast<u32>(std::bit_ceil(u64{def.max_entries}));
  shape.capacity = capacity;
  shape.value_bytes = value_bytes;
  return shape;
}

Result<Storage> hash_storage(const MapDef& def, const MapOptions& options,
                             const HashTable::Shape& shape) {
  // Kernel: buckets of 16 bytes must be fewer than 2^32 bytes in all.
  constexpr u64 kMostBuckets = (u64{1} << 32) / 16 - 1;
  if (std::bit_ceil(u64{def.max_entries}) > kMostBuckets)
    return map_error(E2BIG, "max_entries is too large");
  return Storage::make(shape.total_bytes(), options.backing, def.name);
}

u32 hash_seed(const MapDef& def, const MapOptions& options) {
  if ((def.flags & kZeroSeedFlag) != 0) return 0;
  if (options.hash_seed) return *options.hash_seed;
  u32 seed = 0;
  // Without random numbers yet, early at boot: what is left is less protection, not an error.
  if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed) seed = 0x6b657073;
  return seed;
}

int check_exists(bool exists, u64 flags) noexcept {
  if (exists && (flags & ~kLock) == kNoExist) return -EEXIST;
  if (!exists && (flags & ~kLock) == kExist) return -ENOENT;
  return 0;
}

int HashBase::read(const void* key, void* value, u64 flags) noexcept {
  const u32 index = table_.find<0>(key);
  if (index == kNone) return -ENOENT;
  copy_out(value, index, flags);
  return 0;
}

int HashBase::remove(const void* key) noexcept {
  const u32 hash = table_.hash(key);
  const WriteLock guard(table_.lock());
  const HashTable::Place place = table_.locate(key, hash);
  if (!place.found()) return -ENOENT;
  table_.unlink(place);
  give_back(place.index);
  return 0;
}

int HashBase::take(const void* key, void* value, u64 flags) noexcept {
  const u32 hash = table_.hash(key);
  const WriteLock guard(table_.lock());
  const HashTable::Place place = table_.locate(key, hash);
  if (!place.found()) return -ENOENT;
  copy_out(value, place.index, flags);
  table_.unlink(place);
  give_back(place.index);
  return 0;
}

bool HashBase::next_element(Cursor& cursor, u32 cpu) const noexcept {
  const u32 index = table_.next_element(cursor);
  if (index == kNone) return false;
  cursor.key = table_.key(index);
  cursor.value = program_value(index, cpu);
  return true;
}

// Whole buckets at a time, as in the kernel: a position is a bucket's number, so a bucket that does
// not fit ends the batch, or is ENOSPC when it is the first one.
int HashBase::walk_batch(Batch& batch, bool remove) noexcept {
  if (const int error = check_user_flags(batch.elem_flags)) return error;
  if (batch.flags != 0) return -EINVAL;
  if (batch.count == 0) return 0;
  const u32 room = std::exchange(batch.count, 0);
  u32 bucket = batch.start != nullptr ? load_host<u32>(batch.start) : 0;
  if (bucket >= table_.buckets()) return -ENOENT;
  u8* keys = static_cast<u8*>(batch.keys);
  u8* values = static_cast<u8*>(batch.values);
  int result = -ENOENT;
  for (; bucket < table_.buckets(); bucket++) {
    if (HashTable::is_end(table_.first(bucket))) continue;
    const WriteLock guard(table_.lock());
    u32 size = 0;
    for (u32 at = table_.first(bucket); !HashTable::is_end(at); at = table_.next(at)) size++;
    if (size > room - batch.count) {
      result = batch.count == 0 ? -ENOSPC : 0;
      break;
    }
    for (u32 at = table_.first(bucket); !HashTable::is_end(at);) {
      load_shared(keys, table_.key(at), def_.key_size);
      copy_out(values, at, batch.elem_flags);
      keys += def_.key_size;
      values += user_value_size();
      const u32 index = std::exchange(at, table_.next(at));
      if (!remove) continue;
      table_.unlink(index);
      give_back(index);
    }
    batch.count += size;
  }
  store_host<u32>(batch.end, bucket);
  return result;
}

}  // namespace skep::runtime::maps
