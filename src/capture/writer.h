// SPDX-License-Identifier: Apache-2.0
// Writes packets to an OutputFile: as pcap exactly as `tcpdump -w` does (host byte order, version
// 2.4, zone and accuracy 0), or as pcapng with the sections and interfaces of the input carried
// through. A record that is already in the output's form goes out as the view that was read.
// Tested by writer_test.cc
#pragma once

#include <memory>
#include <optional>

#include "capture/output_file.h"
#include "capture/packet.h"

namespace skep::capture {

/// The link type that a pcap file of LINKTYPE_ `linktype` has after libpcap read and wrote it.
u32 canonical_linktype(u32 linktype);

struct WriterOptions {
  FileFormat format = FileFormat::Pcap;
  Precision precision = Precision::Micro;  ///< of pcap; pcapng keeps each interface's own
  u32 linktype = kLinkEthernet;            ///< of pcap
  u32 snaplen = kMaxSnaplen;               ///< of pcap
};

class CaptureWriter {
 public:
  explicit CaptureWriter(const WriterOptions& options) : options_(options) {}

  /// Goes on in `file`, from its first byte; `file` outlives its use here.
  void start(OutputFile& file, const Section& section);
  /// Appends a packet of `section`. Its bytes must stay until file.settle().
  void add(const Packet& packet, const Section& section) {
    if (section.number != section_) [[unlikely]]
      enter(section);
    if (copies_raw_ && packet.raw != nullptr && packet.interface < interfaces_) [[likely]] {
      file_->add_view(packet.raw, packet.raw_size);
    } else {
      add_built(packet, section);
    }
  }
  /// The first packet that the output could not take: its link type differs from the file's.
  const std::optional<Error>& error() const { return error_; }

 private:
  void enter(const Section& section);
  void write_pcap_header();
  void write_section_header(const Section& section);
  void write_interfaces(const Section& section);
  void add_built(const Packet& packet, const Section& section);
  void add_pcap_record(const Packet& packet);
  void add_enhanced_block(const Packet& packet, const Section& section);

  WriterOptions options_;
  OutputFile* file_ = nullptr;
  std::optional<Error> error_;
  u64 section_ = 0;             // number of the section that the file is in
  bool copies_raw_ = false;     // raw records of this section have the output's form
  std::size_t interfaces_ = 0;  // of this section, that are described in the file
};

}  // namespace skep::capture
