// SPDX-License-Identifier: Apache-2.0
// Builds small capture files, right and wrong ones, byte by byte for the tests of this room.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "capture/byte_source.h"
#include "capture/packet.h"
#include "capture/pcap_reader.h"
#include "capture/pcapng_reader.h"

namespace skep::capture::testing {

/// Bytes that grow, in a byte order.
class FileBuilder {
 public:
  explicit FileBuilder(ByteOrder order = kHostOrder) : order_(order) {}

  template <class T>
  FileBuilder& put(T number) {
    u8 bytes[sizeof(T)];
    store<T>(bytes, number, order_);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof(T));
    return *this;
  }
  FileBuilder& text(std::string_view characters) {
    bytes_.insert(bytes_.end(), characters.begin(), characters.end());
    return *this;
  }
  /// A pcap file header.
  FileBuilder& pcap(u32 magic = kPcapMagicMicro, u32 snaplen = 65535, u32 linktype = 1,
                    u16 major = 2, u16 minor = 4) {
    put<u32>(magic).put<u16>(major).put<u16>(minor);
    return put<u32>(0).put<u32>(0).put<u32>(snaplen).put<u32>(linktype);
  }
  FileBuilder& record(u32 seconds, u32 fraction, std::string_view data, u32 len) {
    put<u32>(seconds).put<u32>(fraction);
    put<u32>(static_cast<u32>(data.size())).put<u32>(len);
    return text(data);
  }
  /// A pcapng block with any body, padded.
  FileBuilder& block(u32 type, const std::vector<u8>& body) {
    const u32 padding = static_cast<u32>((4 - body.size() % 4) % 4);
    const u32 size = static_cast<u32>(12 + body.size()) + padding;
    put<u32>(type).put<u32>(size);
    bytes_.insert(bytes_.end(), body.begin(), body.end());
    bytes_.insert(bytes_.end(), padding, u8{0});
    return put<u32>(size);
  }
  FileBuilder& section() {
    FileBuilder body(order_);
    body.put<u32>(kByteOrderMagic).put<u16>(1).put<u16>(0).put<u64>(~u64{0});
    return block(kBlockSection, body.bytes());
  }
  FileBuilder& interface(u16 linktype, u32 snaplen, const std::vector<u8>& options = {}) {
    FileBuilder body(order_);
    body.put<u16>(linktype).put<u16>(0).put<u32>(snaplen);
    std::vector<u8> bytes = body.bytes();
    bytes.insert(bytes.end(), options.begin(), options.end());
    return block(kBlockInterface, bytes);
  }
  FileBuilder& enhanced(u32 interface, u64 ticks, std::string_view data, u32 len) {
    FileBuilder body(order_);
    body.put<u32>(interface)
        .put<u32>(static_cast<u32>(ticks >> 32))
        .put<u32>(static_cast<u32>(ticks));
    body.put<u32>(static_cast<u32>(data.size())).put<u32>(len).text(data);
    return block(kBlockEnhancedPacket, body.bytes());
  }
  /// Drops bytes from the end.
  FileBuilder& cut(std::size_t n) {
    bytes_.resize(bytes_.size() - n);
    return *this;
  }

  const std::vector<u8>& bytes() const { return bytes_; }
  std::unique_ptr<ByteSource> source() const { return memory_source(bytes_); }

 private:
  ByteOrder order_;
  std::vector<u8> bytes_;
};

/// What a reader gave, copied out: one line a packet, then how it ended.
struct ReadResult {
  std::vector<std::string> packets;
  std::string error;  ///< empty at a clean end
};

inline ReadResult read_all(Result<std::unique_ptr<CaptureReader>> opened) {
  ReadResult result;
  if (!opened) {
    result.error = to_string(opened.error());
    return result;
  }
  for (;;) {
    auto batch = (*opened)->next();
    if (!batch) {
      result.error = to_string(batch.error());
      return result;
    }
    if (batch->packets.empty()) return result;
    for (const Packet& packet : batch->packets) {
      std::string line = std::to_string(packet.seconds) + "." + std::to_string(packet.nanoseconds);
      line += " if" + std::to_string(packet.interface) + " " + std::to_string(packet.len) + " ";
      line.append(reinterpret_cast<const char*>(packet.data), packet.caplen);
      result.packets.push_back(line);
    }
  }
}

}  // namespace skep::capture::testing
