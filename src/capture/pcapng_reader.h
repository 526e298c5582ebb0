// SPDX-License-Identifier: Apache-2.0
// The pcapng file format (draft-ietf-opsawg-pcapng): blocks, grouped in sections of one byte order.
//
//   type 4 | total length 4 | body, padded to 4 bytes | total length 4
//
//   section header 0x0a0d0d0a   byte-order magic 4 | major 2 | minor 2 | section length 8 | options
//   interface        1          link type 2 | 0 2 | snap length 4 | options (time resolution,
//   offset) enhanced packet  6          interface 4 | time 8 | caplen 4 | len 4 | data | options
//   simple packet    3          len 4 | data
//   packet (old)     2          interface 2 | drops 2 | time 8 | caplen 4 | len 4 | data | options
// Every other block is passed over.
// Tested by pcapng_reader_test.cc
#pragma once

#include <array>

#include "capture/reader.h"
#include "capture/window.h"

namespace skep::capture {

constexpr u32 kBlockSection = 0x0a0d0d0a;
constexpr u32 kBlockInterface = 1;
constexpr u32 kBlockOldPacket = 2;
constexpr u32 kBlockSimplePacket = 3;
constexpr u32 kBlockEnhancedPacket = 6;
constexpr u32 kByteOrderMagic = 0x1a2b3c4d;
/// Interfaces that one section may describe; a limit on memory.
constexpr std::size_t kMaxInterfaces = 65536;
/// Bytes that the descriptions of one section and its interfaces may take; a limit on memory, as
/// they are kept for the output.
constexpr std::size_t kMaxDescriptionBytes = std::size_t{4} << 20;

/// How an interface counts time: units of 1/per_second, from `offset` seconds after the epoch.
struct TimeUnit {
  u64 per_second = 1000000;
  u8 binary_shift = 0;  ///< where not 0: per_second is 2 to this
  s64 offset = 0;

  /// Sets the time of `packet` from the file's 64-bit count.
  void apply(u64 ticks, Packet& packet) const;
};

class PcapngReader : public CaptureReader {
 public:
  /// Takes a window that stands at a section header. Errors: those of next().
  static Result<std::unique_ptr<PcapngReader>> open(Window window, u64 section_number);

  Result<Batch> next() override;
  const Section& section() const override { return section_; }
  const ByteSource& source() const override { return window_.source(); }
  Status peek() override;

 private:
  struct Block {
    u32 type = 0;
    u32 size = 0;
  };

  PcapngReader(Window window, u64 section_number)
      : window_(std::move(window)), next_section_(section_number) {}
  Result<bool> reach_packet();
  Result<Block> block_head();
  Status load_block(u32 size);
  Status load_description(u32 size, std::size_t kept);
  Status start_section();
  Status add_interface(u32 size);
  Status read_interface_options(Bytes options, Interface& interface, TimeUnit& unit) const;
  std::size_t fill_batch();
  const char* decode(const u8* block, Block head, Packet& packet) const;
  const char* locate(const u8* block, Block head, Packet& packet, std::size_t& data_at,
                     u64& ticks) const;
  Error bad(std::string message) const {
    return error_at_offset(Code::BadFormat, window_.offset(), std::move(message));
  }

  Window window_;
  Section section_;
  std::vector<TimeUnit> units_;  // beside section_.interfaces
  std::size_t described_ = 0;    // bytes kept of the section's descriptions
  u64 next_section_;
  std::array<Packet, kBatchPackets> packets_;
};

}  // namespace skep::capture
