// SPDX-License-Identifier: Apache-2.0
// Reading and writing bytes that other threads may touch at the same time: values and keys of map
// elements. Every access is a relaxed atomic of the widest aligned kind, up to the host's word, so
// words do not tear and thread sanitizer speaks only of real races (DESIGN decision 5).
// Long runs go to memcpy outside of thread sanitizer: it moves aligned words whole on our CPUs, as
// the kernel's own copies do. Tested by shared_memory_test.cc
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "support/bytes.h"
#include "support/ints.h"
#include "support/sanitizer.h"

namespace skep::runtime::maps {

template <class T>
[[gnu::always_inline]] inline T load_relaxed(const T* p) noexcept {
  return __atomic_load_n(p, __ATOMIC_RELAXED);
}
template <class T>
[[gnu::always_inline]] inline void store_relaxed(T* p, T x) noexcept {
  __atomic_store_n(p, x, __ATOMIC_RELAXED);
}
template <class T>
[[gnu::always_inline]] inline T load_acquire(const T* p) noexcept {
  return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
template <class T>
[[gnu::always_inline]] inline void store_release(T* p, T x) noexcept {
  __atomic_store_n(p, x, __ATOMIC_RELEASE);
}

// For relaxed accesses with a count beside them (a sequence lock). Thread sanitizer knows no
// fences, and where it runs (x86-64) these are no instructions.
[[gnu::always_inline]] inline void acquire_fence() noexcept {
  if constexpr (!kThreadSanitizer) __atomic_thread_fence(__ATOMIC_ACQUIRE);
}
[[gnu::always_inline]] inline void release_fence() noexcept {
  if constexpr (!kThreadSanitizer) __atomic_thread_fence(__ATOMIC_RELEASE);
}

/// The 8 bytes at p, which is 8-byte aligned: one access on 64-bit hosts, two on 32-bit ones.
[[gnu::always_inline]] inline u64 load_word(const u8* p) noexcept {
  if constexpr (sizeof(void*) == 8) {
    return load_relaxed(reinterpret_cast<const u64*>(p));
  } else {
    std::array<u32, 2> halves = {};
    halves[0] = load_relaxed(reinterpret_cast<const u32*>(p));
    halves[1] = load_relaxed(reinterpret_cast<const u32*>(p) + 1);
    return std::bit_cast<u64>(halves);
  }
}
[[gnu::always_inline]] inline void store_word(u8* p, u64 x) noexcept {
  if constexpr (sizeof(void*) == 8) {
    store_relaxed(reinterpret_cast<u64*>(p), x);
  } else {
    const auto halves = std::bit_cast<std::array<u32, 2>>(x);
    store_relaxed(reinterpret_cast<u32*>(p), halves[0]);
    store_relaxed(reinterpret_cast<u32*>(p) + 1, halves[1]);
  }
}

/// Bytes from which on a copy is memcpy's.
inline constexpr u32 kInlineCopy = 64;

/// Copies from a caller's buffer (any alignment) to shared memory that is 8-byte aligned.
inline void store_shared(u8* to, const void* from, u32 bytes) noexcept {
  const u8* source = static_cast<const u8*>(from);
  if constexpr (kThreadSanitizer) {
    for (u32 i = 0; i < bytes; i++) store_relaxed(to + i, load_relaxed(source + i));
    return;
  }
  if (bytes > kInlineCopy) {
    std::memcpy(to, source, bytes);
    return;
  }
  for (; bytes >= 8; bytes -= 8, to += 8, source += 8) store_word(to, load_host<u64>(source));
  if (bytes & 4) {
    store_relaxed(reinterpret_cast<u32*>(to), load_host<u32>(source));
    to += 4, source += 4;
  }
  for (bytes &= 3; bytes > 0; bytes--) store_relaxed(to++, *source++);
}

/// Copies from shared memory that is 8-byte aligned to a caller's buffer (any alignment).
inline void load_shared(void* to, const u8* from, u32 bytes) noexcept {
  u8* target = static_cast<u8*>(to);
  if constexpr (kThreadSanitizer) {
    for (u32 i = 0; i < bytes; i++) store_relaxed(target + i, load_relaxed(from + i));
    return;
  }
  if (bytes > kInlineCopy) {
    std::memcpy(target, from, bytes);
    return;
  }
  for (; bytes >= 8; bytes -= 8, target += 8, from += 8) store_host<u64>(target, load_word(from));
  if (bytes & 4) {
    store_host<u32>(target, load_relaxed(reinterpret_cast<const u32*>(from)));
    target += 4, from += 4;
  }
  for (bytes &= 3; bytes > 0; bytes--) *target++ = load_relaxed(from++);
}

/// Sets shared memory, 8-byte aligned, to 0.
inline void clear_shared(u8* to, u32 bytes) noexcept {
  u32 done = 0;
  for (; done + 8 <= bytes; done += 8) store_word(to + done, 0);
  for (; done < bytes; done++) store_relaxed(to + done, u8{0});
}

constexpr u32 round_up_8(u32 bytes) {
  return (bytes + 7) & ~u32{7};
}
constexpr u64 round_up(u64 bytes, u64 unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace skep::runtime::maps
