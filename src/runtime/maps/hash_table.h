// SPDX-License-Identifier: Apache-2.0
// The chained hash table under all hash maps. Everything is in the map's storage:
//
//   | Header | area | bucket[0] ... bucket[n - 1] | element 0 ... element capacity - 1 | more |
//
//   bucket: a link                         element: | next | hash | (links of LRU) | key | value |
//   link:   index of an element, or kMarker | number of a bucket = end of that bucket's chain
//
// Look-ups take no lock. An element can be taken out of a chain, and be put into another one, while
// a reader stands on it; the reader then arrives at the end of the other chain, sees a marker that
// is not its bucket's, and starts again (the idea of the kernel's hlist_nulls). So an element that
// is free keeps its `next`; the list of free elements is linked through `hash`. Replacing a value
// means replacing the element, in its place in the chain, by one store: a key that is there is
// always found. (The kernel puts the new one at the head and then takes the old one out; a reader
// that is between the two misses the key.) What that needs: a reader may stand on an element while
// it leaves the chain and is written anew, as another key or further down in the same chain, and
// come to the right end without having seen all. So elements that leave a chain are counted, before
// they are written to, and a reader that found nothing while the count changed starts again too.
// Elements that were never used are not in the free list: they are counted by `fresh`, and their
// memory is untouched. Source: kernel/bpf/hashtab.c. Tested by hash_test.cc
#pragma once

#include "runtime/maps/create.h"
#include "runtime/maps/hash_key.h"
#include "runtime/maps/write_lock.h"
#include "support/assert.h"

namespace skep::runtime::maps {

/// A link with this bit ends a chain.
constexpr u32 kMarker = 1u << 31;
/// No element.
constexpr u32 kNone = ~u32{0};

class HashTable {
 public:
  /// Sizes from which the places in the storage follow.
  struct Shape {
    u32 key_size = 0;
    u32 buckets = 0;      ///< a power of 2
    u32 capacity = 0;     ///< elements
    u32 area_bytes = 0;   ///< kept free behind the header, for the map's own use
    u32 links_bytes = 0;  ///< kept free in each element, before the key
    u32 value_bytes = 0;  ///< of each element
    u64 more_bytes = 0;   ///< behind the elements
    u64 area_offset() const { return sizeof(Header); }
    u64 bucket_offset() const { return area_offset() + round_up(area_bytes, kLine); }
    u64 element_offset() const {
      return bucket_offset() + round_up(u64{buckets} * sizeof(u32), kLine);
    }
    u32 key_offset() const { return kLinksOffset + links_bytes; }
    u32 value_offset() const { return key_offset() + round_up_8(key_size); }
    u32 element_bytes() const { return value_offset() + round_up_8(value_bytes); }
    u64 more_offset() const {
      return element_offset() + round_up(u64{element_bytes()} * capacity, kLine);
    }
    u64 total_bytes() const { return more_offset() + more_bytes; }
  };
  static constexpr u32 kLinksOffset = 8;
  static constexpr u64 kLine = 64;

  struct alignas(64) Header {
    u32 lock;
    u32 free_head;             ///< first free element, or kNone
    u32 fresh;                 ///< elements from this index on were never used
    u32 count;                 ///< elements in chains
    alignas(64) u32 removals;  ///< elements that left a chain so far; in a line of its own
  };

  /// Writes empty chains into the storage, which has shape.total_bytes() zero bytes.
  HashTable(const Shape& shape, const Storage& storage, u32 seed);

  u32 hash(const void* key) const noexcept {
    return hash_key<0>(static_cast<const u8*>(key), key_size_, seed_);
  }
  /// The index of the element that has the key, or kNone. No lock.
  template <u32 kBytes>
  [[gnu::always_inline]] u32 find(const void* key) const noexcept;

  u8* element(u32 index) const noexcept { return elements_ + u64{index} * element_bytes_; }
  u8* key(u32 index) const noexcept { return element(index) + key_offset_; }
  u8* value(u32 index) const noexcept { return element(index) + value_offset_; }
  u32 key_size() const noexcept { return key_size_; }
  u32 buckets() const noexcept { return mask_ + 1; }
  u32* lock() const noexcept { return &header_->lock; }
  Header& header() const noexcept { return *header_; }

  // ---- under the lock
  // ----------------------------------------------------------------------------

  /// A place in a chain: the link that leads to the element with the key, or nowhere.
  struct Place {
    u32* link = nullptr;
    u32 index = kNone;
    bool found() const { return index != kNone; }
  };
  Place locate(const void* key, u32 hash) const noexcept;
  /// A free element, or kNone; it is in no list afterwards.
  u32 take_free() noexcept;
  /// Gives back an element that is in no chain.
  void put_free(u32 index) noexcept;
  /// Writes the key into a free element.
  void set_key(u32 index, const void* key, u32 hash) noexcept;
  /// Makes a filled element the first of its chain.
  void insert(u32 index) noexcept;
  /// Puts a filled element where another one with the same key is, which is then in no chain.
  void replace(const Place& place, u32 index) noexcept;
  /// Takes out of the chain.
  void unlink(const Place& place) noexcept;
  /// The same for an element found otherwise; false when it is in no chain.
  bool unlink(u32 index) noexcept;

  // ---- walking, no lock
  // ----------------------------------------------------------------------------

  /// The first link of a bucket, the next one after an element.
  u32 first(u32 bucket) const noexcept { return load_acquire(&buckets_[bucket]); }
  u32 next(u32 index) const noexcept { return load_acquire(next_of(element(index))); }
  static bool is_end(u32 link) noexcept { return (link & kMarker) != 0; }
  /// Map::next_key for a hash map.
  int next_key(const void* key, void* next) const noexcept;
  /// Map::next_element: the next element's index, or kNone.
  u32 next_element(Cursor& cursor) const noexcept;

 private:
  void count_removal() noexcept;
  static u32* next_of(u8* element) noexcept { return reinterpret_cast<u32*>(element); }
  static u32* hash_of(u8* element) noexcept { return reinterpret_cast<u32*>(element) + 1; }

  u32* buckets_;
  u8* elements_;
  u32 mask_;
  u32 seed_;
  u32 element_bytes_;
  u32 key_size_;
  u32 key_offset_;
  u32 value_offset_;
  Header* header_;
};

template <u32 kBytes>
inline u32 HashTable::find(const void* key) const noexcept {
  const u8* const wanted = static_cast<const u8*>(key);
  const u32 hash = hash_key<kBytes>(wanted, key_size_, seed_);
  const u32 bucket = hash & mask_;
  for (;;) {
    const u32 removals = load_acquire(&header_->removals);
    u32 link = first(bucket);
    while (!is_end(link)) {
      u8* const element = this->element(link);
      if (load_relaxed(hash_of(element)) == hash &&
          equal_key<kBytes>(element + key_offset_, wanted, key_size_))
        return link;
      link = load_acquire(next_of(element));
    }
    acquire_fence();
    if (link == (kMarker | bucket) && load_relaxed(&header_->removals) == removals) [[likely]]
      return kNone;
  }
}

}  // namespace skep::runtime::maps
