// SPDX-License-Identifier: Apache-2.0
// Reads one input with our readers and with libpcap's. Packets that libpcap gives must be ours, in
// order and byte by byte, as far as libpcap goes; every byte handed out is touched, so that address
// sanitizer sees a view that leaves the buffer.
#pragma once

#include <pcap/pcap.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "capture/reader.h"
#include "support/assert.h"

namespace skep::testing {

struct SeenPacket {
  u32 seconds = 0;
  s64 nanoseconds = 0;
  u32 len = 0;
  std::vector<u8> data;
  bool operator==(const SeenPacket&) const = default;
};

struct SeenFile {
  bool opened = false;
  bool failed = false;  ///< ended with an error
  std::vector<SeenPacket> packets;
};

inline SeenFile read_with_ours(Bytes bytes) {
  SeenFile seen;
  auto opened = capture::open_capture(capture::memory_source(bytes));
  seen.opened = opened.has_value();
  seen.failed = !seen.opened;
  while (seen.opened) {
    const auto batch = (*opened)->next();
    seen.failed = !batch.has_value();
    if (seen.failed || batch->packets.empty()) break;
    for (const capture::Packet& packet : batch->packets) {
      SKEP_CHECK(packet.interface < batch->section->interfaces.size());
      seen.packets.push_back({.seconds = static_cast<u32>(packet.seconds),
                              .nanoseconds = packet.nanoseconds,
                              .len = packet.len,
                              .data = {packet.data, packet.data + packet.caplen}});
      if (packet.raw == nullptr) continue;
      const std::vector<u8> raw(packet.raw, packet.raw + packet.raw_size);
      SKEP_CHECK(packet.data >= packet.raw);
      SKEP_CHECK(packet.data + packet.caplen <= packet.raw + packet.raw_size);
    }
  }
  return seen;
}

inline SeenFile read_with_libpcap(Bytes bytes) {
  SeenFile seen;
  if (bytes.empty()) return seen;
  std::vector<u8> copy(bytes.begin(), bytes.end());
  std::FILE* file = fmemopen(copy.data(), copy.size(), "rb");
  char reason[PCAP_ERRBUF_SIZE] = {};
  pcap_t* handle =
      pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, reason);
  if (handle == nullptr) {
    std::fclose(file);
    return seen;
  }
  seen.opened = true;
  pcap_pkthdr* header = nullptr;
  const u_char* data = nullptr;
  int result = 0;
  while ((result = pcap_next_ex(handle, &header, &data)) == 1) {
    seen.packets.push_back({.seconds = static_cast<u32>(header->ts.tv_sec),
                            .nanoseconds = header->ts.tv_usec,
                            .len = header->len,
                            .data = {data, data + header->caplen}});
  }
  seen.failed = result == PCAP_ERROR;
  pcap_close(handle);
  return seen;
}

}  // namespace skep::testing
