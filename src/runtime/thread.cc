// SPDX-License-Identifier: Apache-2.0
// CPU slots, grace periods and the list of what waits for one.
// Tested by thread_test.cc
#include "runtime/thread.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <thread>

#include "support/assert.h"

namespace skep::runtime {
namespace {

bool register_membarrier() {
  // Thread sanitizer does not know that membarrier orders anything.
  if constexpr (kThreadSanitizer) return false;
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

u32 machine_cpus() {
  const long configured = sysconf(_SC_NPROCESSORS_CONF);
  return configured < 1 ? 1 : static_cast<u32>(std::min<long>(configured, kMaxCpus));
}

}  // namespace

Result<std::unique_ptr<Cpus>> Cpus::make(u32 count) {
  if (count > kMaxCpus) {
    return Error{Code::InvalidArgument, "at most " + std::to_string(kMaxCpus) + " CPU slots, not " +
                                            std::to_string(count)};
  }
  std::unique_ptr<Cpus> cpus(new (std::nothrow) Cpus(count == 0 ? machine_cpus() : count));
  if (cpus == nullptr || cpus->slots_ == nullptr) {
    return Error{Code::OutOfMemory, "no memory for the CPU slots"};
  }
  return cpus;
}

Cpus::Cpus(u32 count)
    : count_(count), slots_(new (std::nothrow) Slot[count]), asymmetric_(register_membarrier()) {}

Cpus::~Cpus() {
  for (const Retired& retired : retired_) retired.free_it(retired.object);
}

Thread Cpus::attach() {
  std::unique_lock lock(mutex_);
  for (;;) {
    for (u32 cpu = 0; cpu < count_; ++cpu) {
      if (slots_[cpu].taken) continue;
      slots_[cpu].taken = true;
      return Thread(this, cpu);
    }
    slot_freed_.wait(lock);
  }
}

void Cpus::detach(u32 cpu) {
  {
    const std::lock_guard lock(mutex_);
    slots_[cpu].taken = false;
  }
  slot_freed_.notify_one();
}

u64 Cpus::advance() {
  const u64 epoch = epoch_.fetch_add(1, std::memory_order_seq_cst) + 1;
  if (asymmetric_) {
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
  } else {
    full_fence();
  }
  return epoch;
}

bool Cpus::passed(u64 epoch) const {
  for (u32 cpu = 0; cpu < count_; ++cpu) {
    const u64 entered = slots_[cpu].epoch.load(std::memory_order_acquire);
    if (entered != 0 && entered < epoch) return false;
  }
  return true;
}

void Cpus::retire(void* object, void (*free_it)(void* object)) {
  {
    const std::lock_guard lock(retired_mutex_);
    retired_.push_back({object, free_it, advance()});
  }
  collect();
}

std::size_t Cpus::collect() {
  std::vector<Retired> ready;
  std::size_t waiting = 0;
  {
    const std::lock_guard lock(retired_mutex_);
    const auto first_ready =
        std::partition(retired_.begin(), retired_.end(),
                       [this](const Retired& retired) { return !passed(retired.epoch); });
    ready.assign(first_ready, retired_.end());
    retired_.erase(first_ready, retired_.end());
    waiting = retired_.size();
  }
  // Outside of the lock: freeing may retire more.
  for (const Retired& retired : ready) retired.free_it(retired.object);
  return waiting;
}

void Cpus::synchronize() {
  const u64 epoch = advance();
  while (!passed(epoch)) std::this_thread::yield();
}

Thread& Thread::operator=(Thread&& other) noexcept {
  std::swap(cpus_, other.cpus_);
  std::swap(cpu_, other.cpu_);
  std::swap(depth_, other.depth_);
  return *this;
}

Thread::~Thread() {
  SKEP_ASSERT(depth_ == 0);
  if (cpus_ != nullptr) cpus_->detach(cpu_);
}

}  // namespace skep::runtime
