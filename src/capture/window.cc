// SPDX-License-Identifier: Apache-2.0
// Refilling the window: what is unread moves to the front, then whole blocks are read behind it,
// one system call a block.
// Tested by window_test.cc
#include "capture/window.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "support/assert.h"

namespace skep::capture {

Window::Window(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}

Status Window::make_room(std::size_t n) {
  const std::size_t unread = end_ - begin_;
  const std::size_t needed = std::max(n, unread + kBlockBytes);
  if (needed > capacity_) {
    const std::size_t capacity = std::max(needed, 2 * kBlockBytes);
    std::unique_ptr<u8[]> larger(new (std::nothrow) u8[capacity]);
    if (larger == nullptr) {
      return Error{Code::OutOfMemory, "no memory for a record of " + std::to_string(n) + " bytes"};
    }
    if (unread != 0) std::memcpy(larger.get(), buffer_.get() + begin_, unread);
    buffer_ = std::move(larger);
    capacity_ = capacity;
  } else if (unread != 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, unread);
  }
  begin_ = 0;
  end_ = unread;
  return {};
}

Result<std::size_t> Window::want(std::size_t n) {
  SKEP_ASSERT(n <= kMaxRecordBytes);
  if (end_ - begin_ >= n) return end_ - begin_;
  SKEP_TRY_DO(make_room(n));
  while (end_ - begin_ < n) {
    const std::size_t space = capacity_ - end_;
    SKEP_TRY(const std::size_t got,
             source_->read(buffer_.get() + end_, std::min(space, kBlockBytes)));
    if (got == 0) break;
    end_ += got;
  }
  return end_ - begin_;
}

Result<bool> Window::skip(u64 n) {
  while (n != 0) {
    if (begin_ == end_) {
      SKEP_TRY(const std::size_t got, want(1));
      if (got == 0) return false;
    }
    const auto step = static_cast<std::size_t>(std::min<u64>(n, end_ - begin_));
    advance(step);
    n -= step;
  }
  return true;
}

}  // namespace skep::capture
