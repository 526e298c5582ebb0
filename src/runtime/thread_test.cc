// SPDX-License-Identifier: Apache-2.0
#include "runtime/thread.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>

namespace skep::runtime {
namespace {

std::unique_ptr<Cpus> make_cpus(u32 count) {
  auto cpus = Cpus::make(count);
  EXPECT_TRUE(cpus.has_value());
  return std::move(*cpus);
}

void count_down(void* counter) {
  --*static_cast<int*>(counter);
}

TEST(Cpus, ThreadsGetTheLowestFreeSlot) {
  const auto cpus = make_cpus(3);
  Thread a = cpus->attach();
  {
    Thread b = cpus->attach();
    EXPECT_EQ(a.cpu(), 0u);
    EXPECT_EQ(b.cpu(), 1u);
  }
  EXPECT_EQ(cpus->attach().cpu(), 1u);
}

TEST(Cpus, AttachWaitsForAFreeSlot) {
  const auto cpus = make_cpus(1);
  std::atomic<bool> attached = false;
  std::thread other;
  {
    Thread mine = cpus->attach();
    other = std::thread([&] {
      Thread thread = cpus->attach();
      attached = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(attached);
  }
  other.join();
  EXPECT_TRUE(attached);
}

TEST(Cpus, TooManySlotsAreRefused) {
  EXPECT_EQ(Cpus::make(kMaxCpus + 1).error().code, Code::InvalidArgument);
  EXPECT_GE((*Cpus::make(0))->count(), 1u);
}

TEST(Cpus, RetiredObjectsWaitForTheRunsUnderWay) {
  const auto cpus = make_cpus(2);
  Thread thread = cpus->attach();
  int alive = 2;
  thread.enter();
  cpus->retire(&alive, count_down);
  EXPECT_EQ(alive, 2);
  thread.enter();  // nested: the outer run still counts
  thread.leave();
  EXPECT_EQ(cpus->collect(), 1u);
  EXPECT_EQ(alive, 2);
  thread.leave();
  EXPECT_EQ(cpus->collect(), 0u);
  EXPECT_EQ(alive, 1);
  // A run that begins after the object was retired does not hold it.
  thread.enter();
  cpus->retire(&alive, count_down);
  thread.leave();
  thread.enter();
  EXPECT_EQ(cpus->collect(), 0u);
  thread.leave();
  EXPECT_EQ(alive, 0);
}

TEST(Cpus, DestructionFreesWhatStillWaits) {
  int alive = 1;
  {
    const auto cpus = make_cpus(1);
    Thread thread = cpus->attach();
    const RunScope scope(thread);
    cpus->retire(&alive, count_down);
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

// Readers use an object that a writer replaces and retires all the time; a use after free shows
// under the address sanitizer, a missing order under the thread sanitizer.
TEST(Cpus, ReadersNeverSeeAFreedObject) {
  struct Object {
    std::atomic<u64> value = 42;
  };
  const auto cpus = make_cpus(3);
  std::atomic<Object*> shared = new Object;
  std::atomic<bool> stop = false;
  std::atomic<u64> runs = 0;
  std::array<std::thread, 3> readers;
  for (std::thread& reader : readers) {
    reader = std::thread([&] {
      Thread thread = cpus->attach();
      while (!stop.load(std::memory_order_relaxed)) {
        const RunScope scope(thread);
        const Object* object = shared.load(std::memory_order_acquire);
        ASSERT_EQ(object->value.load(std::memory_order_relaxed), 42u);
        runs.fetch_add(1, std::memory_order_relaxed);
      }
    });
  }
  const auto free_object = [](void* object) {
    static_cast<Object*>(object)->value.store(0, std::memory_order_relaxed);
    delete static_cast<Object*>(object);
  };
  for (int i = 0; i < 2000 || runs.load() < 1000; ++i) {
    Object* old = shared.exchange(new Object, std::memory_order_acq_rel);
    cpus->retire(old, free_object);
    if (i % 100 == 0) cpus->synchronize();
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(cpus->collect(), 0u);
  delete shared.load();
}

}  // namespace
}  // namespace skep::runtime
