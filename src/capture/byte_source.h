// SPDX-License-Identifier: Apache-2.0
// Where capture bytes come from: a file descriptor, through zlib or libzstd where the first bytes
// say so. Everything streams; the only large allocation is zstd's window, limited to
// kMaxZstdWindow.
// Tested by byte_source_test.cc
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "support/bytes.h"
#include "support/result.h"

namespace skep::capture {

/// Bytes asked from the system in one read.
constexpr std::size_t kBlockBytes = 256 * 1024;
/// Largest zstd window accepted, in bytes; windows above 8 MiB are what takes memory.
constexpr u64 kMaxZstdWindow = u64{128} << 20;

enum class Compression : u8 { None, Gzip, Zstd };

/// A stream of bytes. One level of implementations: descriptor, memory, gzip, zstd.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Reads up to `size` bytes to `out`; 0 only at the end. Errors: Io, Truncated, BadFormat.
  virtual Result<std::size_t> read(u8* out, std::size_t size) = 0;
  /// Bytes of the underlying file consumed so far, for progress.
  virtual u64 consumed() const = 0;
  virtual Compression compression() const { return Compression::None; }
  /// The zstd window in bytes where it is above 8 MiB, else 0.
  virtual u64 large_window() const { return 0; }
};

/// Owns fd and closes it, unless it is standard input.
std::unique_ptr<ByteSource> descriptor_source(int fd);
/// A copy-free source over memory that outlives it; for tests and fuzzers.
std::unique_ptr<ByteSource> memory_source(Bytes bytes);
/// Looks at the first bytes of `inner` and puts a decompressor over it where they ask for one.
Result<std::unique_ptr<ByteSource>> decompressed(std::unique_ptr<ByteSource> inner);

/// The decompressors, over an inner source that starts with their magic number.
std::unique_ptr<ByteSource> gzip_source(std::unique_ptr<ByteSource> inner);
std::unique_ptr<ByteSource> zstd_source(std::unique_ptr<ByteSource> inner);

/// The size of the file behind fd, or nothing for pipes and devices.
std::optional<u64> regular_file_size(int fd);

}  // namespace skep::capture
