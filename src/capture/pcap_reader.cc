// SPDX-License-Identifier: Apache-2.0
// Reads pcap files with libpcap's rules for odd headers: a snap length of 0 or above 2^31 means
// the maximum, packets longer than the snap length are cut to it, packets beyond the maximum are
// an error. The loop over records that lie whole in the window is fill_batch(); everything that
// needs more bytes or is wrong goes through next().
// Tested by pcap_reader_test.cc
#include "capture/pcap_reader.h"

#include <algorithm>
#include <string>

namespace skep::capture {

namespace {

constexpr u32 kMagicKuznetzov = 0xa1b2cd34;
constexpr u32 kLinktypeMask = 0x03ffffff;

}  // namespace

u32 max_caplen(u32 linktype) {
  constexpr u32 kDbus = 231;
  constexpr u32 kUsbLinuxMmapped = 220;
  constexpr u32 kEbhscr = 279;
  switch (linktype & kLinktypeMask) {
    case kDbus:
    case kUsbLinuxMmapped: return static_cast<u32>(kMaxRecordBytes - kPcapRecordHeaderBytes);
    case kEbhscr: return 8 * 1024 * 1024;
    default: return kMaxSnaplen;
  }
}

Result<std::unique_ptr<PcapReader>> PcapReader::open(Window window, u64 section_number) {
  std::unique_ptr<PcapReader> reader(new PcapReader(std::move(window)));
  reader->section_.number = section_number;
  SKEP_TRY_DO(reader->parse_header());
  return reader;
}

Status PcapReader::parse_header() {
  SKEP_TRY(const std::size_t have, window_.want(kPcapFileHeaderBytes));
  if (have < kPcapFileHeaderBytes) {
    return error_at_offset(Code::Truncated, have, "the file ends inside the pcap file header");
  }
  const u8* header = window_.bytes().data();
  const u32 magic = load_le<u32>(header);
  const u32 swapped = byteswap(magic);
  if (magic == kMagicKuznetzov || swapped == kMagicKuznetzov) {
    return error_at_offset(Code::Unsupported, 0,
                           "modified pcap files (magic number 0xa1b2cd34, longer record headers) "
                           "are not supported");
  }
  const bool little = magic == kPcapMagicMicro || magic == kPcapMagicNano;
  order_ = little ? ByteOrder::Little : ByteOrder::Big;
  precision_ = (little ? magic : swapped) == kPcapMagicNano ? Precision::Nano : Precision::Micro;

  const u16 major = load<u16>(header + 4, order_);
  const u16 minor = load<u16>(header + 6, order_);
  const bool known = (major == 2 && minor <= 4) || (major == 543 && minor == 0);
  if (!known) {
    return error_at_offset(
        Code::Unsupported, 4,
        "unsupported pcap file version " + std::to_string(major) + "." + std::to_string(minor));
  }
  if (major == 543 || minor < 3) lengths_ = Lengths::Swapped;
  if (major == 2 && minor == 3) lengths_ = Lengths::SwappedWhereCaplenIsLarger;

  const u32 snaplen = load<u32>(header + 16, order_);
  const u32 linktype = load<u32>(header + 20, order_);
  max_caplen_ = max_caplen(linktype);
  snaplen_ = snaplen == 0 || snaplen > 0x7fffffff ? max_caplen_ : snaplen;
  section_.format = FileFormat::Pcap;
  section_.order = order_;
  section_.interfaces.push_back(
      {.linktype = linktype, .snaplen = snaplen_, .precision = precision_, .raw_block = {}});
  window_.advance(kPcapFileHeaderBytes);
  return {};
}

// Describes the record with that header in `packet` and returns its captured length in the file,
// which nobody has checked yet. Field by field: a whole Packet copied right after it was made
// costs as much as the rest of the loop.
inline u32 PcapReader::decode(const u8* header, Packet& packet) const {
  u32 caplen = load<u32>(header + 8, order_);
  packet.len = load<u32>(header + 12, order_);
  bool as_written_today = order_ == kHostOrder;
  if (lengths_ != Lengths::AsDocumented) [[unlikely]] {
    if (lengths_ == Lengths::Swapped || caplen > packet.len) {
      std::swap(caplen, packet.len);
      as_written_today = false;
    }
  }
  // libpcap reads the fraction as a signed number, except where it swaps its bytes.
  const u32 fraction = load<u32>(header + 4, order_);
  const s64 scale = precision_ == Precision::Nano ? 1 : 1000;
  packet.seconds = s64{load<u32>(header, order_)};
  packet.nanoseconds =
      (order_ == kHostOrder ? s64{static_cast<s32>(fraction)} : s64{fraction}) * scale;
  packet.data = header + kPcapRecordHeaderBytes;
  packet.raw = as_written_today && caplen <= snaplen_ ? header : nullptr;
  packet.raw_size = static_cast<u32>(kPcapRecordHeaderBytes) + caplen;
  packet.caplen = std::min(caplen, snaplen_);
  packet.interface = 0;
  return caplen;
}

std::size_t PcapReader::fill_batch() {
  const Bytes bytes = window_.bytes();
  const u8* at = bytes.data();
  std::size_t left = bytes.size();
  std::size_t count = 0;
  while (count < kBatchPackets && left >= kPcapRecordHeaderBytes) {
    const u32 caplen = decode(at, packets_[count]);
    if (caplen > max_caplen_ || left - kPcapRecordHeaderBytes < caplen) break;
    ++count;
    const std::size_t size = kPcapRecordHeaderBytes + caplen;
    at += size;
    left -= size;
  }
  window_.advance(bytes.size() - left);
  return count;
}

Status PcapReader::check(u32 caplen) const {
  if (caplen <= max_caplen_) return {};
  const std::string start = "a packet's captured length of " + std::to_string(caplen);
  if (caplen > snaplen_) {
    return error_at_offset(
        Code::BadFormat, window_.offset(),
        start + " bytes is above the file's snap length of " + std::to_string(snaplen_));
  }
  return error_at_offset(Code::BadFormat, window_.offset(),
                         start + " bytes is above the maximum of " + std::to_string(max_caplen_));
}

// Brings the record at the window's start into memory, or says why that cannot be.
Status PcapReader::read_one_record() {
  SKEP_TRY(std::size_t have, window_.want(kPcapRecordHeaderBytes));
  if (have == 0) return {};
  if (have < kPcapRecordHeaderBytes) {
    return error_at_offset(
        Code::Truncated, window_.offset(),
        "the file ends inside a record header: " + std::to_string(have) + " of 16 bytes are there");
  }
  Packet packet;
  const u32 caplen = decode(window_.bytes().data(), packet);
  SKEP_TRY_DO(check(caplen));
  SKEP_TRY(have, window_.want(kPcapRecordHeaderBytes + caplen));
  if (have < kPcapRecordHeaderBytes + caplen) {
    return error_at_offset(
        Code::Truncated, window_.offset(),
        "the file ends inside a packet: " + std::to_string(have - kPcapRecordHeaderBytes) + " of " +
            std::to_string(caplen) + " bytes are there");
  }
  return {};
}

Result<Batch> PcapReader::next() {
  std::size_t count = fill_batch();
  if (count == 0) {
    SKEP_TRY_DO(read_one_record());
    count = fill_batch();
  }
  return Batch{.packets = {packets_.data(), count}, .section = &section_};
}

}  // namespace skep::capture
