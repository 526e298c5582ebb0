// SPDX-License-Identifier: Apache-2.0
// Opening a capture file of any known form, and reading it batch by batch. Packets before a
// damaged place are always handed out first; the error follows with the next call.
// Tested by reader_test.cc, pcap_reader_test.cc, pcapng_reader_test.cc
#pragma once

#include <memory>
#include <string>

#include "capture/byte_source.h"
#include "capture/packet.h"
#include "support/result.h"

namespace skep::capture {

/// Packets in one batch, at most; keeps the batch in the first-level cache.
constexpr std::size_t kBatchPackets = 128;

class CaptureReader {
 public:
  virtual ~CaptureReader() = default;
  /// The next packets, empty at the end. Views of the batch before become invalid.
  /// Errors: Truncated (the input ends inside a record), BadFormat, Unsupported, Io, OutOfMemory;
  /// the place is the offset in the (uncompressed) input. After an error only more errors follow.
  virtual Result<Batch> next() = 0;
  /// The current section; with pcapng its interfaces grow while packets are read.
  virtual const Section& section() const = 0;
  /// The byte stream behind the reader.
  virtual const ByteSource& source() const = 0;
  /// Reads up to the first packet, so that section() lists the interfaces described before it.
  virtual Status peek() = 0;
};

/// Recognises pcap and pcapng, gzip and zstd. `first_section` numbers the file's sections.
Result<std::unique_ptr<CaptureReader>> open_capture(std::unique_ptr<ByteSource> source,
                                                    u64 first_section = 1);
/// The file `path`, or standard input for "-". Errors: NotFound and Io with the system's reason.
Result<std::unique_ptr<CaptureReader>> open_capture_file(const std::string& path,
                                                         u64 first_section = 1);

}  // namespace skep::capture
