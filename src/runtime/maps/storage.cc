// SPDX-License-Identifier: Apache-2.0
// Pages from mmap. A shared storage reserves addresses first and puts the memfd over them, so the
// untouchable tail of 32-bit hosts comes for free. Tested by storage_test.cc
#include "runtime/maps/storage.h"

#include <sys/mman.h>
#include <unistd.h>

#include <limits>
#include <utility>

#include "runtime/maps/shared_memory.h"

namespace skep::runtime::maps {
namespace {

constexpr u64 kTailBytes = sizeof(void*) == 4 ? 64 * 1024 : 0;

u64 physical_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return std::numeric_limits<u64>::max();
  return static_cast<u64>(pages) * static_cast<u64>(page);
}

Error no_memory(u64 bytes) {
  return {Code::OutOfMemory, "no memory for a map of " + std::to_string(bytes) + " bytes"};
}

/// The memfd, of that size, or -1.
int make_memfd(const std::string& name, u64 bytes) {
  const int fd = memfd_create(name.c_str(), MFD_CLOEXEC);
  if (fd >= 0 && ftruncate(fd, static_cast<off_t>(bytes)) != 0) {
    close(fd);
    return -1;
  }
  return fd;
}

}  // namespace

Result<Storage> Storage::make(u64 bytes, Backing backing, const std::string& name) {
  const long page = sysconf(_SC_PAGESIZE);
  if (bytes > physical_bytes() || bytes >= std::numeric_limits<std::size_t>::max() / 2)
    return no_memory(bytes);
  const u64 size = round_up(bytes == 0 ? 1 : bytes, static_cast<u64>(page));
  Storage storage;
  const bool reserve_first = kTailBytes != 0 || backing == Backing::Shared;
  void* const start =
      mmap(nullptr, static_cast<std::size_t>(size + kTailBytes),
           reserve_first ? PROT_NONE : PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | (reserve_first ? MAP_NORESERVE : 0), -1, 0);
  if (start == MAP_FAILED) return no_memory(bytes);
  storage.data_ = static_cast<u8*>(start);
  storage.size_ = static_cast<std::size_t>(size);
  storage.mapped_ = static_cast<std::size_t>(size + kTailBytes);
  if (!reserve_first) return storage;
  int share = MAP_PRIVATE | MAP_ANONYMOUS;
  if (backing == Backing::Shared) {
    storage.fd_ = make_memfd("bpf-map-" + name, size);
    if (storage.fd_ < 0) return no_memory(bytes);
    share = MAP_SHARED;
  }
  if (mmap(start, storage.size_, PROT_READ | PROT_WRITE, share | MAP_FIXED, storage.fd_, 0) ==
      MAP_FAILED)
    return no_memory(bytes);
  return storage;
}

Storage::~Storage() {
  if (data_ != nullptr) munmap(data_, mapped_);
  if (fd_ >= 0) close(fd_);
}

Storage::Storage(Storage&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      mapped_(std::exchange(other.mapped_, 0)),
      fd_(std::exchange(other.fd_, -1)) {}

Storage& Storage::operator=(Storage&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(mapped_, other.mapped_);
  std::swap(fd_, other.fd_);
  return *this;
}

}  // namespace skep::runtime::maps
