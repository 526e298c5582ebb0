// SPDX-License-Identifier: Apache-2.0
// Who runs programs: a Thread is one operating-system thread's permission to run, a slot that
// stands for a CPU. Per-CPU data of programs belongs to the slot, and what programs can still reach
// is freed only when no slot is running any more.
//
//   auto cpus = skep::Cpus::create();      // once, as many slots as the machine has CPUs
//   skep::Thread thread = cpus->attach();  // in each thread that runs programs; may wait
//   program->run(thread, input);           // as often as you like; never waits
//
// Tested by src/api/thread_test.cc
#pragma once

#include <memory>

#include "skep/expected.h"
#include "skep/export.h"

namespace skep {

namespace detail {
struct CpusImpl;
struct ThreadImpl;
}  // namespace detail

/// Permission to run programs in one operating-system thread. Movable; not to be used by two
/// threads at once. Gives its slot back when destroyed.
class SKEP_API Thread {
 public:
  Thread(Thread&&) noexcept;
  Thread& operator=(Thread&&) noexcept;
  ~Thread();

  /// The slot's number, from 0: what programs see as their CPU.
  unsigned cpu() const noexcept;

 private:
  friend class Cpus;
  friend class Program;
  explicit Thread(std::unique_ptr<detail::ThreadImpl> impl);
  std::unique_ptr<detail::ThreadImpl> impl_;
};

/// A set of CPU slots. Must outlive the Threads that it gives out.
class SKEP_API Cpus {
 public:
  /// Most slots in a set.
  static constexpr unsigned kMaxSlots = 1024;

  /// count slots, 1 to kMaxSlots; 0 means one for each CPU of the machine. Errors:
  /// InvalidArgument, OutOfMemory.
  static Expected<Cpus> create(unsigned count = 0);

  Cpus(Cpus&&) noexcept;
  Cpus& operator=(Cpus&&) noexcept;
  ~Cpus();

  /// Takes a free slot; waits while there is none.
  Thread attach();
  /// The number of slots.
  unsigned count() const noexcept;

 private:
  explicit Cpus(std::unique_ptr<detail::CpusImpl> impl);
  std::unique_ptr<detail::CpusImpl> impl_;
};

}  // namespace skep
