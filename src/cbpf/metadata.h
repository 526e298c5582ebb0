// SPDX-License-Identifier: Apache-2.0
// What Linux's extensions of classic BPF read besides packet bytes: the packet's metadata, which
// the kernel keeps in struct sk_buff. Every field is a 32-bit number in host order, so that one
// load serves all of them and the eBPF translation can address them (to_ebpf.h).
// Tested by check_test.cc (layout), switch_vm_test.cc
#pragma once

#include "support/ints.h"

namespace skep::cbpf {

/// Metadata of one packet. The default is a packet about which nothing is known.
struct Metadata {
  u32 protocol = 0;        ///< EtherType
  u32 packet_type = 0;     ///< PACKET_HOST, PACKET_OUTGOING, ... as in <linux/if_packet.h>
  u32 ifindex = 0;         ///< number of the interface
  u32 mark = 0;            ///< firewall mark
  u32 queue = 0;           ///< queue of a multi-queue device
  u32 hardware_type = 0;   ///< ARPHRD_* of the interface
  u32 rx_hash = 0;         ///< flow hash
  u32 cpu = 0;             ///< number of the CPU that handles the packet
  u32 vlan_tci = 0;        ///< VLAN tag that the device took out of the packet
  u32 vlan_present = 0;    ///< 1 if there was one
  u32 vlan_tpid = 0;       ///< its EtherType
  u32 payload_offset = 0;  ///< bytes of headers, as payload_offset() finds them
  u32 random = 0;          ///< a fresh random number
  u32 network_offset = 0;  ///< bytes from the packet's start to the network header (SKF_NET_OFF)
  u32 link_offset = 0;     ///< bytes from the packet's start to the link header (SKF_LL_OFF)
  u32 has_device = 1;      ///< 0: no interface is known; `ld ifidx`, `ld hatype` end the program
};
static_assert(sizeof(Metadata) == 64);

/// The metadata of a packet about which nothing is known.
inline constexpr Metadata kNoMetadata{};

}  // namespace skep::cbpf
