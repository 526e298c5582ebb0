// SPDX-License-Identifier: Apache-2.0
// The memory of one map: one contiguous, zeroed, page-aligned run of bytes, private or in a memfd
// that other processes can map. Inside of it only 32-bit indexes are kept, never addresses. Pages
// are touched when they are first used, so a large empty map costs nothing.
//
//   | values or tables ...            | (32-bit hosts: 64 KiB that nobody may touch) |
//
// The tail keeps address + 64 KiB, the farthest that an instruction's offset reaches, from
// wrapping. Tested by storage_test.cc
#pragma once

#include <string>

#include "support/ints.h"
#include "support/result.h"

namespace skep::runtime::maps {

/// Where a storage's bytes live.
enum class Backing : u8 {
  Private,  ///< this process, and a copy in a child after fork
  Shared,   ///< a memfd: one memory for this process, its children, and whoever maps fd()
};

/// Owns the memory.
class Storage {
 public:
  /// bytes of zeros. Errors: OutOfMemory (more than the machine has, or the system refuses);
  /// nothing has been allocated then.
  static Result<Storage> make(u64 bytes, Backing backing, const std::string& name);

  Storage() = default;
  ~Storage();
  Storage(Storage&& other) noexcept;
  Storage& operator=(Storage&& other) noexcept;

  u8* data() const { return data_; }
  /// Usable bytes.
  std::size_t size() const { return size_; }
  /// The memfd of a Shared storage (owned by it), else -1.
  int fd() const { return fd_; }

 private:
  u8* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t mapped_ = 0;
  int fd_ = -1;
};

}  // namespace skep::runtime::maps
