// SPDX-License-Identifier: Apache-2.0
// The writers' half of the hash table, and walking it. Stores that make an element visible are
// releases; everything in the element was written before. Tested by hash_test.cc
#include "runtime/maps/hash_table.h"

#include <cerrno>

namespace skep::runtime::maps {

HashTable::HashTable(const Shape& shape, const Storage& storage, u32 seed)
    : buckets_(reinterpret_cast<u32*>(storage.data() + shape.bucket_offset())),
      elements_(storage.data() + shape.element_offset()),
      mask_(shape.buckets - 1),
      seed_(seed),
      element_bytes_(shape.element_bytes()),
      key_size_(shape.key_size),
      key_offset_(shape.key_offset()),
      value_offset_(shape.value_offset()),
      header_(reinterpret_cast<Header*>(storage.data())) {
  SKEP_CHECK(storage.size() >= shape.total_bytes());
  header_->free_head = kNone;
  for (u32 bucket = 0; bucket <= mask_; bucket++) buckets_[bucket] = kMarker | bucket;
}

HashTable::Place HashTable::locate(const void* key, u32 hash) const noexcept {
  Place place = {.link = &buckets_[hash & mask_], .index = kNone};
  for (u32 link = load_relaxed(place.link); !is_end(link); link = load_relaxed(place.link)) {
    u8* const candidate = element(link);
    if (load_relaxed(hash_of(candidate)) == hash &&
        equal_key<0>(candidate + key_offset_, static_cast<const u8*>(key), key_size_)) {
      place.index = link;
      return place;
    }
    place.link = next_of(candidate);
  }
  return place;
}

u32 HashTable::take_free() noexcept {
  const u32 index = header_->free_head;
  if (index != kNone) {
    header_->free_head = load_relaxed(hash_of(element(index)));
    return index;
  }
  return header_->fresh++;
}

void HashTable::put_free(u32 index) noexcept {
  store_relaxed(hash_of(element(index)), header_->free_head);
  header_->free_head = index;
}

void HashTable::set_key(u32 index, const void* key, u32 hash) noexcept {
  u8* const target = element(index);
  store_relaxed(hash_of(target), hash);
  store_key(target + key_offset_, static_cast<const u8*>(key), key_size_);
}

void HashTable::insert(u32 index) noexcept {
  u8* const target = element(index);
  u32* const head = &buckets_[load_relaxed(hash_of(target)) & mask_];
  store_relaxed(next_of(target), load_relaxed(head));
  store_release(head, index);
  header_->count++;
}

void HashTable::replace(const Place& place, u32 index) noexcept {
  store_relaxed(next_of(element(index)), load_relaxed(next_of(element(place.index))));
  store_release(place.link, index);
  count_removal();
}

void HashTable::unlink(const Place& place) noexcept {
  store_release(place.link, load_relaxed(next_of(element(place.index))));
  count_removal();
  header_->count--;
}

// After the element has left the chain, before anything in it changes.
void HashTable::count_removal() noexcept {
  store_release(&header_->removals, load_relaxed(&header_->removals) + 1);
  release_fence();
}

bool HashTable::unlink(u32 index) noexcept {
  u32* link = &buckets_[load_relaxed(hash_of(element(index))) & mask_];
  for (u32 at = load_relaxed(link); !is_end(at); at = load_relaxed(link)) {
    if (at == index) {
      unlink(Place{link, index});
      return true;
    }
    link = next_of(element(at));
  }
  return false;
}

int HashTable::next_key(const void* key, void* next_key) const noexcept {
  u32 bucket = 0;
  if (key != nullptr) {
    if (const u32 found = find<0>(key); found != kNone) {
      const u32 link = next(found);
      if (!is_end(link)) {
        load_shared(next_key, this->key(link), key_size_);
        return 0;
      }
      bucket = (hash(key) & mask_) + 1;
    }
  }
  for (; bucket <= mask_; bucket++) {
    const u32 link = first(bucket);
    if (is_end(link)) continue;
    load_shared(next_key, this->key(link), key_size_);
    return 0;
  }
  return -ENOENT;
}

u32 HashTable::next_element(Cursor& cursor) const noexcept {
  for (;;) {
    if (!cursor.in_bucket) {
      if (cursor.position > mask_) return kNone;
      cursor.link = first(cursor.position++);
      cursor.in_bucket = true;
    }
    if (!is_end(cursor.link)) {
      const u32 index = cursor.link;
      // Read now: the caller may delete the element.
      cursor.link = next(index);
      return index;
    }
    cursor.in_bucket = false;
  }
}

}  // namespace skep::runtime::maps
