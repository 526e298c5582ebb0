// SPDX-License-Identifier: Apache-2.0
// Hashing and comparing keys. In an element a key is padded with zeros to a multiple of 8 bytes, so
// both work a word at a time. kBytes is the key's size where it is known when the code is compiled,
// 0 where it is not: look-ups are compiled for the usual sizes.
// The hash is seeded; each word is mixed in by a multiplication and a shift that brings the
// product's good bits down. Tested by hash_key_test.cc
#pragma once

#include <cstring>

#include "runtime/maps/shared_memory.h"
#include "support/bytes.h"
#include "support/ints.h"

namespace skep::runtime::maps {

/// The last bytes (1 to 7) of a key as a word: in memory they are followed by zeros.
[[gnu::always_inline]] inline u64 tail_word(const u8* key, u32 bytes) noexcept {
  u64 word = 0;
  u8 padded[8] = {};
  switch (bytes) {
    case 4:
      return kHostOrder == ByteOrder::Little ? u64{load_host<u32>(key)}
                                             : u64{load_host<u32>(key)} << 32;
    case 1: padded[0] = key[0]; break;
    case 2: std::memcpy(padded, key, 2); break;
    default:
      for (u32 i = 0; i < bytes; i++) padded[i] = key[i];
  }
  std::memcpy(&word, padded, sizeof word);
  return word;
}

[[gnu::always_inline]] inline u64 mix(u64 hash, u64 word) noexcept {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15;
  return hash ^ (hash >> 32);
}

/// The hash of a key.
template <u32 kBytes>
[[gnu::always_inline]] inline u32 hash_key(const u8* key, u32 bytes, u32 seed) noexcept {
  if constexpr (kBytes != 0) bytes = kBytes;
  u64 hash = u64{seed} << 32 | bytes;
  for (; bytes >= 8; bytes -= 8, key += 8) hash = mix(hash, load_host<u64>(key));
  if (bytes != 0) hash = mix(hash, tail_word(key, bytes));
  // A second multiplication: the low bits choose the bucket and must depend on all of the key.
  return static_cast<u32>((hash * 0xd6e8feb86659fd93) >> 32);
}

/// Whether an element's key equals a caller's.
template <u32 kBytes>
[[gnu::always_inline]] inline bool equal_key(const u8* stored, const u8* key, u32 bytes) noexcept {
  if constexpr (kBytes != 0) bytes = kBytes;
  for (; bytes >= 8; bytes -= 8, key += 8, stored += 8) {
    if (load_word(stored) != load_host<u64>(key)) return false;
  }
  return bytes == 0 || load_word(stored) == tail_word(key, bytes);
}

/// Writes a key into an element, with its padding.
inline void store_key(u8* stored, const u8* key, u32 bytes) noexcept {
  for (; bytes >= 8; bytes -= 8, key += 8, stored += 8) store_word(stored, load_host<u64>(key));
  if (bytes != 0) store_word(stored, tail_word(key, bytes));
}

}  // namespace skep::runtime::maps
