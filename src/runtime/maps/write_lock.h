// SPDX-License-Identifier: Apache-2.0
// The lock of a map's writers: one 32-bit word inside of the map's storage, so that it works
// between processes that share the storage. 0 = free, 1 = taken. Sections under it are tens of
// nanoseconds long, so a waiter spins first; if the holder was preempted, it gives way, then
// sleeps. The bpf_spin_lock inside of a value is the same word with the same rules. A robust lock
// would put the owner's thread id into the word; nobody else looks at its value. Tested by
// write_lock_test.cc
#pragma once

#include <sched.h>
#include <time.h>

#include "runtime/maps/shared_memory.h"
#include "support/ints.h"

namespace skep::runtime::maps {

namespace detail {
/// Waits a little, longer with each turn.
inline void back_off(u32 turn) noexcept {
  constexpr u32 kSpins = 128;
  constexpr u32 kYields = 256;
  if (turn < kSpins) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__arm__) || defined(__aarch64__)
    __asm__ volatile("yield");
#endif
  } else if (turn < kYields) {
    sched_yield();
  } else {
    const timespec pause = {.tv_sec = 0, .tv_nsec = 50'000};
    nanosleep(&pause, nullptr);
  }
}
}  // namespace detail

/// Takes the lock; waits for it when another thread has it.
inline void lock_word(u32* word) noexcept {
  u32 turn = 0;
  while (__atomic_exchange_n(word, 1u, __ATOMIC_ACQUIRE) != 0) {
    while (load_relaxed(word) != 0) detail::back_off(turn++);
  }
}
/// Gives it back.
inline void unlock_word(u32* word) noexcept {
  store_release(word, 0u);
}

/// Holds a lock as long as it lives.
class WriteLock {
 public:
  explicit WriteLock(u32* word) noexcept : word_(word) { lock_word(word_); }
  ~WriteLock() { unlock_word(word_); }
  WriteLock(const WriteLock&) = delete;
  WriteLock& operator=(const WriteLock&) = delete;

 private:
  u32* word_;
};

}  // namespace skep::runtime::maps
