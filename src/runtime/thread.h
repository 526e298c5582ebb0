// SPDX-License-Identifier: Apache-2.0
// Who runs programs, and when what they can reach may be freed. A set of CPU slots gives each
// running operating-system thread a Thread: a slot number (per-CPU data belongs to it) and an epoch
// word that says whether a run is under way and since when.
//
//   slot 0  [ epoch 7 ]   running since epoch 7        retired at 6: free once every slot is idle
//   slot 1  [   0     ]   idle                         or has entered at 7 or later, so now
//   slot 2  [ epoch 8 ]                                retired at 8: waits for slot 0 to leave
//
// A run's way in and out is one store each. The fence that this needs against a thread that
// retires something is paid by the latter alone, through membarrier(2), where the system has it.
// Source: epoch-based reclamation (Fraser 2004).  Tested by thread_test.cc
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "support/ints.h"
#include "support/result.h"
#include "support/sanitizer.h"

namespace skep::runtime {

constexpr u32 kMaxCpus = 1024;

/// A full fence, except under thread sanitizer, which does not know fences; there the sequentially
/// consistent accesses beside it are full barriers of the machine (x86-64).
inline void full_fence() noexcept {
  if constexpr (!kThreadSanitizer) std::atomic_thread_fence(std::memory_order_seq_cst);
}

class Thread;

/// A set of CPU slots. Outlives its Threads.
class Cpus {
 public:
  /// count slots; 0 = one for each CPU of the machine. Errors: InvalidArgument (more than
  /// kMaxCpus), OutOfMemory.
  static Result<std::unique_ptr<Cpus>> make(u32 count = 0);
  /// Frees what was retired. No Thread of the set may be left.
  ~Cpus();
  Cpus(const Cpus&) = delete;
  Cpus& operator=(const Cpus&) = delete;

  u32 count() const { return count_; }

  /// Takes the lowest free slot; waits while there is none.
  Thread attach();

  /// Calls free_it(object) once no run that is under way now can still be using object, which the
  /// caller has made unreachable for new runs: at once or in a later retire() or collect(), in the
  /// thread that calls those.
  void retire(void* object, void (*free_it)(void* object));
  /// Frees what may be freed by now; returns how many objects still wait.
  std::size_t collect();
  /// Waits until every run that is under way now has ended. Not to be called from inside a run.
  void synchronize();

 private:
  friend class Thread;

  // A cache line each: a slot's owner writes its word twice a run.
  struct alignas(64) Slot {
    std::atomic<u64> epoch = 0;  // 0: idle; else the global epoch when the run began
    bool taken = false;          // under mutex_
  };
  struct Retired {
    void* object = nullptr;
    void (*free_it)(void*) = nullptr;
    u64 epoch = 0;
  };

  explicit Cpus(u32 count);
  void detach(u32 cpu);
  // Starts an epoch and makes every slot's earlier entries visible here; returns it.
  u64 advance();
  // Whether every slot is idle or entered at epoch or later.
  bool passed(u64 epoch) const;

  u32 count_;
  std::unique_ptr<Slot[]> slots_;
  std::atomic<u64> epoch_ = 1;
  bool asymmetric_ = false;  // membarrier(2) works, entering needs no fence
  std::mutex mutex_;
  std::condition_variable slot_freed_;
  std::mutex retired_mutex_;
  std::vector<Retired> retired_;
};

/// One thread's permission to run programs; gives its slot back when destroyed. Not for two
/// threads at once.
class Thread {
 public:
  Thread(Thread&& other) noexcept : cpus_(other.cpus_), cpu_(other.cpu_) { other.cpus_ = nullptr; }
  Thread& operator=(Thread&& other) noexcept;
  ~Thread();

  /// The slot's number, from 0.
  u32 cpu() const { return cpu_; }

  /// Marks a run; programs and what they reach stay alive until the matching leave(). Nests.
  void enter() noexcept {
    if (depth_++ != 0) return;
    std::atomic<u64>& word = cpus_->slots_[cpu_].epoch;
    const u64 now = cpus_->epoch_.load(std::memory_order_acquire);
    if (cpus_->asymmetric_) {
      word.store(now, std::memory_order_relaxed);
      std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
      word.store(now, std::memory_order_seq_cst);
      full_fence();
    }
  }
  void leave() noexcept {
    if (--depth_ == 0) cpus_->slots_[cpu_].epoch.store(0, std::memory_order_release);
  }

 private:
  friend class Cpus;
  Thread(Cpus* cpus, u32 cpu) : cpus_(cpus), cpu_(cpu) {}

  Cpus* cpus_;
  u32 cpu_;
  u32 depth_ = 0;
};

/// enter() and leave() for a scope.
class RunScope {
 public:
  explicit RunScope(Thread& thread) noexcept : thread_(thread) { thread_.enter(); }
  ~RunScope() { thread_.leave(); }
  RunScope(const RunScope&) = delete;
  RunScope& operator=(const RunScope&) = delete;

 private:
  Thread& thread_;
};

}  // namespace skep::runtime
