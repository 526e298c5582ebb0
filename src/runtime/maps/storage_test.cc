// SPDX-License-Identifier: Apache-2.0
#include "runtime/maps/storage.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <limits>

namespace skep::runtime::maps {
namespace {

TEST(Storage, IsZeroAndWritable) {
  Result<Storage> made = Storage::make(10'000, Backing::Private, "x");
  ASSERT_TRUE(made.has_value());
  EXPECT_GE(made->size(), 10'000u);
  for (std::size_t i = 0; i < made->size(); i++) ASSERT_EQ(made->data()[i], 0);
  made->data()[made->size() - 1] = 1;
  EXPECT_EQ(made->fd(), -1);
}

TEST(Storage, MoreThanTheMachineHasIsOutOfMemory) {
  for (const u64 bytes : {u64{1} << 46, u64{1} << 62, std::numeric_limits<u64>::max()}) {
    for (const Backing backing : {Backing::Private, Backing::Shared}) {
      const Result<Storage> made = Storage::make(bytes, backing, "x");
      ASSERT_FALSE(made.has_value()) << bytes;
      EXPECT_EQ(made.error().code, Code::OutOfMemory);
    }
  }
}

TEST(Storage, AddressesWithinReachOfAnInstructionDoNotWrap) {
  const Result<Storage> made = Storage::make(1, Backing::Private, "x");
  ASSERT_TRUE(made.has_value());
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(made->data()) + made->size();
  EXPECT_LE(end - 1, std::numeric_limits<std::uintptr_t>::max() - 64 * 1024);
}

// The child's write is seen by the parent in shared storage only.
void write_in_child(Backing backing, u8 expected) {
  const Result<Storage> made = Storage::make(100, backing, "x");
  ASSERT_TRUE(made.has_value());
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    made->data()[7] = 42;
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(made->data()[7], expected);
}

TEST(Storage, SharedIsOneMemoryAcrossFork) {
  write_in_child(Backing::Shared, 42);
}
TEST(Storage, PrivateIsCopiedByFork) {
  write_in_child(Backing::Private, 0);
}

}  // namespace
}  // namespace skep::runtime::maps
