// SPDX-License-Identifier: Apache-2.0
// What a capture reader hands out: packets in batches, as views into the reader's buffer, beside
// the interfaces they came from. A packet also knows its bytes in the input file, so that a
// writer of the same form copies them without building a header.
//
//   input file   | record header | data ....... | record header | data ...
//                ^ raw           ^ data                  raw_size = 16 + caplen (pcap)
#pragma once

#include <span>
#include <string>
#include <vector>

#include "support/bytes.h"
#include "support/ints.h"

namespace skep::capture {

/// Longest snap length that capture files use; libpcap's limit for all but a few link types.
constexpr u32 kMaxSnaplen = 262144;

/// Link type numbers that the code names; the rest is libpcap's business.
constexpr u32 kLinkEthernet = 1;

enum class FileFormat : u8 { Pcap, Pcapng };
enum class Precision : u8 { Micro, Nano };

/// An interface of a capture file: pcap files have one, pcapng sections any number.
struct Interface {
  u32 linktype = kLinkEthernet;  ///< LINKTYPE_ number as in the file, with pcap's FCS bits
  u32 snaplen = kMaxSnaplen;     ///< bytes; what libpcap would report
  Precision precision = Precision::Micro;
  std::vector<u8> raw_block;  ///< pcapng: the description block as read, in the section's order
};

/// A packet; data and raw point into the reader's buffer until its next call.
struct Packet {
  s64 seconds = 0;
  s64 nanoseconds = 0;  ///< may lie outside of 0..999999999 where the file does
  const u8* data = nullptr;
  const u8* raw = nullptr;  ///< the record in the file, or null where it cannot be copied
  u32 raw_size = 0;         ///< bytes at raw
  u32 caplen = 0;           ///< bytes at data
  u32 len = 0;              ///< bytes on the wire
  u32 interface = 0;        ///< index into Section::interfaces
};

/// What stays the same for many packets: a pcap file, or a section of a pcapng file.
struct Section {
  FileFormat format = FileFormat::Pcap;
  ByteOrder order = kHostOrder;
  u64 number = 0;             ///< counts sections of all files read, from 1
  std::vector<u8> raw_block;  ///< pcapng: the section header block as read
  std::vector<Interface> interfaces;
};

/// Packets of one section, in file order. Empty at the end of the input.
struct Batch {
  std::span<const Packet> packets;
  const Section* section = nullptr;
};

}  // namespace skep::capture
