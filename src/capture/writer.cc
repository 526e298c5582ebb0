// SPDX-License-Identifier: Apache-2.0
// The slow parts of writing: headers, blocks, and records that have to be built.
// Tested by writer_test.cc
#include "capture/writer.h"

#include <algorithm>
#include <array>
#include <string>

#include "capture/pcap_reader.h"
#include "capture/pcapng_reader.h"

namespace skep::capture {

namespace {

constexpr u32 kLinktypeMask = 0x03ffffff;
constexpr u64 kSectionLengthUnknown = ~u64{0};

template <class T, std::size_t kSize>
void put(std::array<u8, kSize>& bytes, std::size_t at, T number) {
  store_host<T>(bytes.data() + at, number);
}

}  // namespace

u32 canonical_linktype(u32 linktype) {
  const u32 extension = linktype & ~kLinktypeMask;
  switch (linktype & kLinktypeMask) {
    // Numbers that differed between systems before LINKTYPE_ values were agreed upon.
    case 11: return extension | 100;
    case 12: return extension | 101;
    case 15: return extension | 102;
    case 16: return extension | 103;
    case 19: return extension | 106;
    default: return linktype;
  }
}

void CaptureWriter::start(OutputFile& file, const Section& section) {
  file_ = &file;
  section_ = 0;
  if (options_.format == FileFormat::Pcap) write_pcap_header();
  enter(section);
}

void CaptureWriter::write_pcap_header() {
  std::array<u8, kPcapFileHeaderBytes> header = {};
  put<u32>(header, 0, options_.precision == Precision::Nano ? kPcapMagicNano : kPcapMagicMicro);
  put<u16>(header, 4, 2);
  put<u16>(header, 6, 4);
  put<u32>(header, 16, options_.snaplen);
  put<u32>(header, 20, canonical_linktype(options_.linktype));
  file_->add_copy(header.data(), header.size());
}

void CaptureWriter::enter(const Section& section) {
  section_ = section.number;
  interfaces_ = 0;
  if (options_.format == FileFormat::Pcapng) {
    write_section_header(section);
    write_interfaces(section);
    copies_raw_ = section.format == FileFormat::Pcapng;
    return;
  }
  const auto same_linktype = [this](const Interface& interface) {
    return canonical_linktype(interface.linktype) == canonical_linktype(options_.linktype);
  };
  copies_raw_ = section.format == FileFormat::Pcap && section.order == kHostOrder &&
                section.interfaces[0].precision == options_.precision &&
                same_linktype(section.interfaces[0]);
  interfaces_ = 1;
}

void CaptureWriter::write_section_header(const Section& section) {
  if (section.format == FileFormat::Pcapng) {
    // As it was, but for the length: packets will be missing.
    std::vector<u8> block = section.raw_block;
    store<u64>(block.data() + 16, kSectionLengthUnknown, section.order);
    file_->add_copy(block.data(), block.size());
    return;
  }
  std::array<u8, 28> block = {};
  put<u32>(block, 0, kBlockSection);
  put<u32>(block, 4, 28);
  put<u32>(block, 8, kByteOrderMagic);
  put<u16>(block, 12, 1);
  put<u64>(block, 16, kSectionLengthUnknown);
  put<u32>(block, 24, 28);
  file_->add_copy(block.data(), block.size());
}

// Describes the interfaces of the section that are known and not yet in the file.
void CaptureWriter::write_interfaces(const Section& section) {
  for (; interfaces_ < section.interfaces.size(); ++interfaces_) {
    const Interface& interface = section.interfaces[interfaces_];
    if (section.format == FileFormat::Pcapng) {
      file_->add_copy(interface.raw_block.data(), interface.raw_block.size());
      continue;
    }
    // if_tsresol only for nanoseconds: option 9 of one byte, padded, then the end of options.
    std::array<u8, 32> block = {};
    const bool nano = interface.precision == Precision::Nano;
    const u32 size = nano ? 32 : 20;
    put<u32>(block, 0, kBlockInterface);
    put<u32>(block, 4, size);
    put<u16>(block, 8, static_cast<u16>(canonical_linktype(interface.linktype) & 0xffff));
    put<u32>(block, 12, interface.snaplen);
    if (nano) {
      put<u16>(block, 16, 9);
      put<u16>(block, 18, 1);
      block[20] = 9;
    }
    put<u32>(block, size - 4, size);
    file_->add_copy(block.data(), size);
  }
}

void CaptureWriter::add_built(const Packet& packet, const Section& section) {
  if (options_.format == FileFormat::Pcap) {
    const u32 linktype = section.interfaces[packet.interface].linktype;
    if (canonical_linktype(linktype) != canonical_linktype(options_.linktype)) {
      if (!error_) {
        error_ = Error{Code::BadFormat, "a packet of link type " +
                                            std::to_string(linktype & kLinktypeMask) +
                                            " cannot go into a pcap file of link type " +
                                            std::to_string(options_.linktype & kLinktypeMask) +
                                            "; --output-format pcapng holds both"};
      }
      return;
    }
    add_pcap_record(packet);
    return;
  }
  if (packet.interface >= interfaces_) write_interfaces(section);
  if (section.format == FileFormat::Pcapng) {
    file_->add_view(packet.raw, packet.raw_size);
  } else {
    add_enhanced_block(packet, section);
  }
}

void CaptureWriter::add_pcap_record(const Packet& packet) {
  const s64 fraction =
      options_.precision == Precision::Nano ? packet.nanoseconds : packet.nanoseconds / 1000;
  std::array<u8, kPcapRecordHeaderBytes> header;
  put<u32>(header, 0, static_cast<u32>(packet.seconds));
  put<u32>(header, 4, static_cast<u32>(fraction));
  put<u32>(header, 8, packet.caplen);
  put<u32>(header, 12, packet.len);
  file_->add_copy(header.data(), header.size());
  file_->add_view(packet.data, packet.caplen);
}

void CaptureWriter::add_enhanced_block(const Packet& packet, const Section& section) {
  constexpr u32 kFixedBytes = 32;
  const u32 padding = (4 - packet.caplen % 4) % 4;
  const u32 size = kFixedBytes + packet.caplen + padding;
  const u64 ticks =
      section.interfaces[packet.interface].precision == Precision::Nano
          ? static_cast<u64>(packet.seconds) * 1000000000 + static_cast<u64>(packet.nanoseconds)
          : static_cast<u64>(packet.seconds) * 1000000 +
                static_cast<u64>(packet.nanoseconds / 1000);
  std::array<u8, 28> head;
  put<u32>(head, 0, kBlockEnhancedPacket);
  put<u32>(head, 4, size);
  put<u32>(head, 8, packet.interface);
  put<u32>(head, 12, static_cast<u32>(ticks >> 32));
  put<u32>(head, 16, static_cast<u32>(ticks));
  put<u32>(head, 20, packet.caplen);
  put<u32>(head, 24, packet.len);
  file_->add_copy(head.data(), head.size());
  file_->add_view(packet.data, packet.caplen);
  std::array<u8, 8> tail = {};
  put<u32>(tail, padding, size);
  file_->add_copy(tail.data(), padding + 4);
}

}  // namespace skep::capture
