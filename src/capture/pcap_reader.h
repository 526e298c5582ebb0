// SPDX-License-Identifier: Apache-2.0
// The pcap file format (pcap-savefile(5), draft-ietf-opsawg-pcap): a 24-byte header, then records.
//
//   magic 4 | major 2 | minor 2 | zone 4 | sigfigs 4 | snaplen 4 | linktype and FCS bits 4
//   { seconds 4 | micro- or nanoseconds 4 | caplen 4 | len 4 | caplen bytes } ...
// Tested by pcap_reader_test.cc
#pragma once

#include <array>

#include "capture/reader.h"
#include "capture/window.h"

namespace skep::capture {

constexpr u32 kPcapMagicMicro = 0xa1b2c3d4;
constexpr u32 kPcapMagicNano = 0xa1b23c4d;
constexpr std::size_t kPcapFileHeaderBytes = 24;
constexpr std::size_t kPcapRecordHeaderBytes = 16;

/// The longest packet that libpcap reads from a file of that link type, in bytes.
u32 max_caplen(u32 linktype);

class PcapReader : public CaptureReader {
 public:
  /// Takes a window that stands at the file header. Errors: Truncated, BadFormat, Unsupported.
  static Result<std::unique_ptr<PcapReader>> open(Window window, u64 section_number);

  Result<Batch> next() override;
  const Section& section() const override { return section_; }
  const ByteSource& source() const override { return window_.source(); }
  Status peek() override { return {}; }

 private:
  // Older writers swapped the two lengths of a record (file versions up to 2.2, and 543.0), or
  // perhaps did (2.3).
  enum class Lengths : u8 { AsDocumented, Swapped, SwappedWhereCaplenIsLarger };

  explicit PcapReader(Window window) : window_(std::move(window)) {}
  Status parse_header();
  u32 decode(const u8* header, Packet& packet) const;
  std::size_t fill_batch();
  Status check(u32 caplen) const;
  Status read_one_record();

  Window window_;
  Section section_;
  ByteOrder order_ = kHostOrder;
  Precision precision_ = Precision::Micro;
  Lengths lengths_ = Lengths::AsDocumented;
  u32 snaplen_ = 0;
  u32 max_caplen_ = 0;
  std::array<Packet, kBatchPackets> packets_;
};

}  // namespace skep::capture
