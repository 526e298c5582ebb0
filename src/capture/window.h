// SPDX-License-Identifier: Apache-2.0
// The part of a stream that is in memory: one buffer, filled by large reads; records are parsed
// in place. Only a record that a block's end cuts is moved, to the front of the buffer.
//
//   buffer   | used up | begin_ ... unread ... end_ |  free  |
//                        ^ offset() in the stream
// Tested by window_test.cc
#pragma once

#include <memory>

#include "capture/byte_source.h"

namespace skep::capture {

/// Longest record that is read, header included: the memory bound of every reader.
constexpr std::size_t kMaxRecordBytes = std::size_t{16} << 20;

class Window {
 public:
  explicit Window(std::unique_ptr<ByteSource> source);

  /// Unread bytes in memory. Views stay valid until the next want().
  Bytes bytes() const { return {buffer_.get() + begin_, end_ - begin_}; }
  /// Offset in the (uncompressed) stream of bytes().front().
  u64 offset() const { return offset_; }
  /// Marks n bytes of bytes() as read.
  void advance(std::size_t n) {
    begin_ += n;
    offset_ += n;
  }
  /// Reads until at least n bytes are in memory or the stream ends; returns how many are.
  /// n is at most kMaxRecordBytes. Moves bytes(). Errors: those of the source, OutOfMemory.
  Result<std::size_t> want(std::size_t n);
  /// Passes over n bytes, which need not be in memory; false where the stream ends before.
  Result<bool> skip(u64 n);

  const ByteSource& source() const { return *source_; }

 private:
  Status make_room(std::size_t n);

  std::unique_ptr<ByteSource> source_;
  std::unique_ptr<u8[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  u64 offset_ = 0;
};

}  // namespace skep::capture
