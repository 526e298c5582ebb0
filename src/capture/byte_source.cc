// SPDX-License-Identifier: Apache-2.0
// Descriptors and memory as byte sources, and the choice of a decompressor.
// Tested by byte_source_test.cc
#include "capture/byte_source.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace skep::capture {

namespace {

class DescriptorSource : public ByteSource {
 public:
  explicit DescriptorSource(int fd) : fd_(fd) {}
  ~DescriptorSource() override {
    if (fd_ != STDIN_FILENO) ::close(fd_);
  }
  DescriptorSource(const DescriptorSource&) = delete;
  DescriptorSource& operator=(const DescriptorSource&) = delete;

  Result<std::size_t> read(u8* out, std::size_t size) override {
    // EINTR too is an error: it comes only to programs that catch signals, and those want to end.
    const ssize_t got = ::read(fd_, out, size);
    if (got < 0) {
      return error_at_offset(Code::Io, consumed_,
                             std::string("reading failed: ") + strerror(errno));
    }
    consumed_ += static_cast<u64>(got);
    return static_cast<std::size_t>(got);
  }
  u64 consumed() const override { return consumed_; }

 private:
  int fd_;
  u64 consumed_ = 0;
};

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(Bytes bytes) : bytes_(bytes) {}
  Result<std::size_t> read(u8* out, std::size_t size) override {
    const std::size_t n = std::min(size, bytes_.size() - position_);
    if (n != 0) std::memcpy(out, bytes_.data() + position_, n);
    position_ += n;
    return n;
  }
  u64 consumed() const override { return position_; }

 private:
  Bytes bytes_;
  std::size_t position_ = 0;
};

// Hands out the few bytes that were read to recognise the format, then the rest.
class PushbackSource : public ByteSource {
 public:
  PushbackSource(std::unique_ptr<ByteSource> inner, const u8* head, std::size_t size)
      : inner_(std::move(inner)), size_(size) {
    std::memcpy(head_, head, size);
  }
  Result<std::size_t> read(u8* out, std::size_t size) override {
    if (position_ == size_) return inner_->read(out, size);
    const std::size_t n = std::min(size, size_ - position_);
    std::memcpy(out, head_ + position_, n);
    position_ += n;
    return n;
  }
  u64 consumed() const override { return inner_->consumed(); }

 private:
  std::unique_ptr<ByteSource> inner_;
  u8 head_[4] = {};
  std::size_t size_;
  std::size_t position_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> descriptor_source(int fd) {
  return std::make_unique<DescriptorSource>(fd);
}

std::unique_ptr<ByteSource> memory_source(Bytes bytes) {
  return std::make_unique<MemorySource>(bytes);
}

Result<std::unique_ptr<ByteSource>> decompressed(std::unique_ptr<ByteSource> inner) {
  u8 head[4] = {};
  std::size_t size = 0;
  while (size < sizeof head) {
    SKEP_TRY(const std::size_t got, inner->read(head + size, sizeof head - size));
    if (got == 0) break;
    size += got;
  }
  const u32 magic = load_le<u32>(head);
  auto whole = std::make_unique<PushbackSource>(std::move(inner), head, size);
  if (size >= 2 && (magic & 0xffff) == 0x8b1f) return gzip_source(std::move(whole));
  // A zstd frame, or one of the 16 skippable frames that may stand before it (RFC 8878, 3.1).
  if (magic == 0xfd2fb528 || (magic & 0xfffffff0) == 0x184d2a50)
    return zstd_source(std::move(whole));
  return std::unique_ptr<ByteSource>(std::move(whole));
}

std::optional<u64> regular_file_size(int fd) {
  struct stat info = {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return static_cast<u64>(info.st_size);
}

}  // namespace skep::capture
