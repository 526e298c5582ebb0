// SPDX-License-Identifier: Apache-2.0
// Compiles two tcpdump expressions and asks each about a packet.
#include <array>
#include <cstdint>
#include <cstdio>

#include "skep/filter.h"

int main() {
  const auto ip = skep::Filter::compile("ip");
  const auto ip6 = skep::Filter::compile("ip6");
  if (!ip || !ip6) {
    std::fprintf(stderr, "%s\n", skep::to_string(ip ? ip6.error() : ip.error()).c_str());
    return 1;
  }
  // An Ethernet frame: addresses, then the EtherType of IPv4, then whatever.
  std::array<std::uint8_t, 60> packet = {};
  packet[12] = 0x08;
  const bool is_ip = ip->match(packet) != 0;
  const bool is_ip6 = ip6->match(packet) != 0;
  std::printf("ip: %s, ip6: %s\n", is_ip ? "yes" : "no", is_ip6 ? "yes" : "no");
  return is_ip && !is_ip6 ? 0 : 1;
}
