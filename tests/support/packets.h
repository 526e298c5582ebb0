// SPDX-License-Identifier: Apache-2.0
// Made-up Ethernet traffic for tests, benchmarks and shipped captures: ARP, IPv4 and IPv6 with
// TCP, UDP and ICMP, VLAN tags, options, fragments, few and many hosts and ports; some of it
// matches each of the filter expressions that the benchmarks use. No foreign data: all bytes come
// from the seed.
#pragma once

#include <string>
#include <vector>

#include "support/ints.h"
#include "tests/support/random.h"

namespace skep::testing {

/// One frame; wire_length is above bytes.size() where it was cut at the snap length.
struct TestPacket {
  std::vector<u8> bytes;
  u32 wire_length = 0;
};

/// One random frame of 60 to 1514 bytes (shorter when cut at snap_length).
TestPacket mixed_packet(Random& random, u32 snap_length = 65535);

/// `count` of them; the same for the same arguments.
std::vector<TestPacket> mixed_packets(u64 seed, std::size_t count, u32 snap_length = 65535);

/// The ten expressions that engines are compared on; the last has 50 hosts.
std::vector<std::string> ten_expressions();

}  // namespace skep::testing
