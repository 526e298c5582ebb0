// SPDX-License-Identifier: Apache-2.0
// Reads pcapng. fill_batch() decodes packet blocks that lie whole in the window; any other block,
// and every error, is the work of reach_packet(), which leaves the window at a packet block or at
// the end. Nothing is consumed before it is checked, so an error repeats when asked again.
// Tested by pcapng_reader_test.cc
#include "capture/pcapng_reader.h"

#include <algorithm>
#include <string>

#include "capture/pcap_reader.h"

namespace skep::capture {

namespace {

constexpr u32 kHeadBytes = 8;
constexpr u32 kMinBlockBytes = 12;
constexpr u32 kSectionFixedBytes = 28;
constexpr u32 kInterfaceFixedBytes = 20;
constexpr u16 kOptionEnd = 0;
constexpr u16 kOptionTimeResolution = 9;
constexpr u16 kOptionTimeOffset = 14;

bool is_packet(u32 type) {
  return type == kBlockEnhancedPacket || type == kBlockSimplePacket || type == kBlockOldPacket;
}

// The unit that an if_tsresol byte names; false where a 64-bit count cannot hold it.
bool time_unit(u8 resolution, TimeUnit& unit) {
  const u8 exponent = resolution & 0x7f;
  if ((resolution & 0x80) != 0) {
    if (exponent > 63) return false;
    unit.per_second = u64{1} << exponent;
    unit.binary_shift = exponent;
    return true;
  }
  if (exponent > 19) return false;
  unit.per_second = 1;
  for (u8 i = 0; i < exponent; ++i) unit.per_second *= 10;
  unit.binary_shift = 0;
  return true;
}

}  // namespace

void TimeUnit::apply(u64 ticks, Packet& packet) const {
  constexpr u64 kBillion = 1000000000;
  u64 seconds = 0;
  u64 nanoseconds = 0;
  if (per_second == 1000000) {  // a constant, so that the usual unit needs no division
    seconds = ticks / 1000000;
    nanoseconds = ticks % 1000000 * 1000;
  } else {
    seconds = ticks / per_second;
    const u64 fraction = ticks % per_second;
    // fraction * 10^9 must fit: above 2^34 units a second the lowest bits are dropped first.
    const int drop = binary_shift > 34 ? binary_shift - 34 : 0;
    if (binary_shift != 0) {
      nanoseconds = ((fraction >> drop) * kBillion) >> (binary_shift - drop);
    } else if (per_second <= kBillion) {
      nanoseconds = fraction * (kBillion / per_second);
    } else {
      nanoseconds = fraction / (per_second / kBillion);
    }
  }
  packet.seconds = static_cast<s64>(seconds + static_cast<u64>(offset));
  packet.nanoseconds = static_cast<s64>(nanoseconds);
}

Result<std::unique_ptr<PcapngReader>> PcapngReader::open(Window window, u64 section_number) {
  std::unique_ptr<PcapngReader> reader(new PcapngReader(std::move(window), section_number));
  SKEP_TRY_DO(reader->start_section());
  return reader;
}

// Type and size of the block at the window's start, checked for sense; size 0 at the end.
Result<PcapngReader::Block> PcapngReader::block_head() {
  SKEP_TRY(const std::size_t have, window_.want(kHeadBytes));
  if (have == 0) return Block{};
  if (have < kHeadBytes) {
    return error_at_offset(Code::Truncated, window_.offset(),
                           "the file ends inside a block header");
  }
  const u8* bytes = window_.bytes().data();
  Block head = {.type = load<u32>(bytes, section_.order),
                .size = load<u32>(bytes + 4, section_.order)};
  if (head.type == kBlockSection) return head;  // its size is in the new section's byte order
  if (head.size < kMinBlockBytes || head.size % 4 != 0) {
    return bad("a block's length of " + std::to_string(head.size) +
               " bytes is not a multiple of 4 of at least 12");
  }
  return head;
}

// Brings the whole block into memory and compares its two lengths.
Status PcapngReader::load_block(u32 size) {
  if (size > kMaxRecordBytes) {
    return bad("a block of " + std::to_string(size) + " bytes is above the limit of 16 MiB");
  }
  SKEP_TRY(const std::size_t have, window_.want(size));
  if (have < size) {
    return error_at_offset(Code::Truncated, window_.offset(),
                           "the file ends inside a block: " + std::to_string(have) + " of " +
                               std::to_string(size) + " bytes are there");
  }
  const u32 trailer = load<u32>(window_.bytes().data() + size - 4, section_.order);
  if (trailer != size) {
    return bad("a block's lengths differ: " + std::to_string(size) + " bytes at its start, " +
               std::to_string(trailer) + " at its end");
  }
  return {};
}

// load_block() for what will be kept beside `kept` bytes of the section.
Status PcapngReader::load_description(u32 size, std::size_t kept) {
  if (size > kMaxDescriptionBytes - kept) {
    return bad("the descriptions of a section and its interfaces are above the limit of 4 MiB");
  }
  return load_block(size);
}

Status PcapngReader::start_section() {
  SKEP_TRY(const std::size_t have, window_.want(kSectionFixedBytes));
  if (have < kSectionFixedBytes) {
    return error_at_offset(Code::Truncated, window_.offset(),
                           "the file ends inside a section header");
  }
  const u8* bytes = window_.bytes().data();
  const u32 magic = load_le<u32>(bytes + 8);
  if (magic != kByteOrderMagic && byteswap(magic) != kByteOrderMagic) {
    return bad("the section header has no byte-order magic");
  }
  const ByteOrder order = magic == kByteOrderMagic ? ByteOrder::Little : ByteOrder::Big;
  const u32 size = load<u32>(bytes + 4, order);
  if (size < kSectionFixedBytes || size % 4 != 0) {
    return bad("a section header's length of " + std::to_string(size) + " bytes makes no sense");
  }
  const u16 major = load<u16>(bytes + 12, order);
  const u16 minor = load<u16>(bytes + 14, order);
  if (major != 1 || (minor != 0 && minor != 2)) {
    return error_at_offset(
        Code::Unsupported, window_.offset(),
        "unsupported pcapng version " + std::to_string(major) + "." + std::to_string(minor));
  }
  section_.order = order;
  SKEP_TRY_DO(load_description(size, 0));
  described_ = size;
  bytes = window_.bytes().data();
  section_.format = FileFormat::Pcapng;
  section_.number = next_section_++;
  section_.raw_block.assign(bytes, bytes + size);
  section_.interfaces.clear();
  units_.clear();
  window_.advance(size);
  return {};
}

Status PcapngReader::read_interface_options(Bytes options, Interface& interface,
                                            TimeUnit& unit) const {
  Reader reader(options, section_.order);
  while (reader.remaining() >= 4) {
    const u16 code = *reader.read<u16>();
    const u16 length = *reader.read<u16>();
    if (code == kOptionEnd) break;
    const auto value = reader.take(length);
    if (!value) return bad("an option of an interface is longer than its block");
    if (code == kOptionTimeResolution) {
      if (length != 1) return bad("an interface's time resolution is not one byte");
      if (!time_unit((*value)[0], unit)) return bad("an interface's time unit is too small");
    } else if (code == kOptionTimeOffset) {
      if (length != 8) return bad("an interface's time offset is not eight bytes");
      unit.offset = static_cast<s64>(load<u64>(value->data(), section_.order));
    }
    reader.skip(std::min<std::size_t>((4 - length % 4) % 4, reader.remaining()));
  }
  interface.precision = unit.per_second > 1000000 ? Precision::Nano : Precision::Micro;
  return {};
}

Status PcapngReader::add_interface(u32 size) {
  if (size < kInterfaceFixedBytes) return bad("an interface description is too short");
  if (section_.interfaces.size() == kMaxInterfaces) return bad("a section has too many interfaces");
  const u8* bytes = window_.bytes().data();
  const u32 linktype = load<u16>(bytes + 8, section_.order);
  const u32 snaplen = load<u32>(bytes + 12, section_.order);
  Interface interface;
  TimeUnit unit;
  interface.linktype = linktype;
  interface.snaplen = snaplen == 0 || snaplen > 0x7fffffff ? max_caplen(linktype) : snaplen;
  interface.raw_block.assign(bytes, bytes + size);
  SKEP_TRY_DO(
      read_interface_options(Bytes(bytes + 16, size - kInterfaceFixedBytes), interface, unit));
  section_.interfaces.push_back(std::move(interface));
  units_.push_back(unit);
  described_ += size;
  window_.advance(size);
  return {};
}

// True with a whole, sound packet block at the window's start; false at the end of the input.
Result<bool> PcapngReader::reach_packet() {
  for (;;) {
    SKEP_TRY(const Block head, block_head());
    if (head.size == 0 && head.type == 0) return false;
    if (head.type == kBlockSection) {
      SKEP_TRY_DO(start_section());
    } else if (head.type == kBlockInterface) {
      SKEP_TRY_DO(load_description(head.size, described_));
      SKEP_TRY_DO(add_interface(head.size));
    } else if (is_packet(head.type)) {
      SKEP_TRY_DO(load_block(head.size));
      Packet packet;
      const char* reason = decode(window_.bytes().data(), head, packet);
      if (reason != nullptr) return bad(reason);
      return true;
    } else {
      const u64 start = window_.offset();
      SKEP_TRY(const bool whole, window_.skip(head.size));
      if (!whole) {
        return error_at_offset(Code::Truncated, start, "the file ends inside a block");
      }
    }
  }
}

// Where a packet block has its data, how long they are and when they came; a reason, or null.
inline const char* PcapngReader::locate(const u8* block, Block head, Packet& packet,
                                        std::size_t& data_at, u64& ticks) const {
  const ByteOrder order = section_.order;
  const bool simple = head.type == kBlockSimplePacket;
  data_at = simple ? 12 : 28;
  if (head.size < data_at + 4) return "a packet block is too short for its fields";
  const u32 room = head.size - 4 - static_cast<u32>(data_at);
  if (simple) {
    packet.len = load<u32>(block + 8, order);
    packet.interface = 0;
    packet.caplen = packet.len;
    if (section_.interfaces.empty()) return "a packet comes before any interface description";
    packet.caplen = std::min(packet.len, section_.interfaces[0].snaplen);
    ticks = 0;
  } else {
    const bool enhanced = head.type == kBlockEnhancedPacket;
    packet.interface = enhanced ? load<u32>(block + 8, order) : load<u16>(block + 8, order);
    ticks = (u64{load<u32>(block + 12, order)} << 32) | load<u32>(block + 16, order);
    packet.caplen = load<u32>(block + 20, order);
    packet.len = load<u32>(block + 24, order);
  }
  if (packet.caplen > room) return "a packet's captured length is above its block's";
  return nullptr;
}

inline const char* PcapngReader::decode(const u8* block, Block head, Packet& packet) const {
  std::size_t data_at = 0;
  u64 ticks = 0;
  if (const char* reason = locate(block, head, packet, data_at, ticks)) return reason;
  if (packet.interface >= units_.size()) return "a packet names an interface that is not described";
  if (packet.caplen > kMaxSnaplen &&
      packet.caplen > max_caplen(section_.interfaces[packet.interface].linktype)) {
    return "a packet's captured length is above the maximum of 262144 bytes";
  }
  units_[packet.interface].apply(ticks, packet);
  packet.data = block + data_at;
  packet.raw = block;
  packet.raw_size = head.size;
  return nullptr;
}

std::size_t PcapngReader::fill_batch() {
  const Bytes bytes = window_.bytes();
  const u8* at = bytes.data();
  std::size_t left = bytes.size();
  std::size_t count = 0;
  while (count < kBatchPackets && left >= kMinBlockBytes) {
    const Block head = {.type = load<u32>(at, section_.order),
                        .size = load<u32>(at + 4, section_.order)};
    if (!is_packet(head.type) || head.size < kMinBlockBytes || head.size % 4 != 0) break;
    if (head.size > left || load<u32>(at + head.size - 4, section_.order) != head.size) break;
    if (decode(at, head, packets_[count]) != nullptr) break;
    ++count;
    at += head.size;
    left -= head.size;
  }
  window_.advance(bytes.size() - left);
  return count;
}

Result<Batch> PcapngReader::next() {
  std::size_t count = fill_batch();
  if (count == 0) {
    SKEP_TRY(const bool more, reach_packet());
    if (more) count = fill_batch();
  }
  return Batch{.packets = {packets_.data(), count}, .section = &section_};
}

Status PcapngReader::peek() {
  SKEP_TRY(const bool more, reach_packet());
  static_cast<void>(more);
  return {};
}

}  // namespace skep::capture
