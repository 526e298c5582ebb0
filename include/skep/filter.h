// SPDX-License-Identifier: Apache-2.0
// Packet filters: classic BPF from a tcpdump expression or from instructions.
//
//   auto filter = skep::Filter::compile("tcp port 80");
//   if (filter->match(packet)) use(packet);
//
// Tested by src/api/filter_test.cc; examples/match_packets.cc
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "skep/expected.h"
#include "skep/export.h"

namespace skep {

namespace detail {
struct FilterImpl;
}

/// An instruction of classic BPF; the layout of Linux's struct sock_filter.
struct ClassicInsn {
  std::uint16_t code = 0;
  std::uint8_t jt = 0;
  std::uint8_t jf = 0;
  std::uint32_t k = 0;
};

/// What Linux's ancillary loads and negative offsets read besides packet bytes; numbers in host
/// order. The default is a packet about which nothing is known.
struct PacketMetadata {
  std::uint32_t protocol = 0;        ///< EtherType
  std::uint32_t packet_type = 0;     ///< PACKET_HOST, ... as in <linux/if_packet.h>
  std::uint32_t ifindex = 0;         ///< number of the interface
  std::uint32_t mark = 0;            ///< firewall mark
  std::uint32_t queue = 0;           ///< queue of a multi-queue device
  std::uint32_t hardware_type = 0;   ///< ARPHRD_ number of the interface
  std::uint32_t rx_hash = 0;         ///< flow hash
  std::uint32_t cpu = 0;             ///< CPU that handles the packet
  std::uint32_t vlan_tci = 0;        ///< VLAN tag that the device took out of the packet
  std::uint32_t vlan_present = 0;    ///< 1 if there was one
  std::uint32_t vlan_tpid = 0;       ///< its EtherType
  std::uint32_t payload_offset = 0;  ///< bytes of headers
  std::uint32_t random = 0;          ///< a fresh random number
  std::uint32_t network_offset = 0;  ///< bytes before the network header (SKF_NET_OFF)
  std::uint32_t link_offset = 0;     ///< bytes before the link header (SKF_LL_OFF)
  std::uint32_t has_device = 1;      ///< 0: loads of ifindex and hardware_type end the program
};

/// Whose rules a classic program is checked and run by; see docs/classic.md for the differences.
enum class ClassicRules : std::uint8_t {
  Linux,    ///< socket filters: forward jumps, ancillary loads, shifts masked
  Libpcap,  ///< backward jumps on a budget, a shift by 32 or more gives 0
  Seccomp,  ///< 32-bit loads from struct seccomp_data
};

/// Which machine runs a classic program.
enum class FilterEngine : std::uint8_t { Threaded, Switch };

/// How an expression is compiled.
struct FilterOptions {
  std::uint32_t link_type = 1;         ///< LINKTYPE_ number as in capture files; 1 is Ethernet
  std::uint32_t snap_length = 262144;  ///< bytes; what an accepted packet is cut to
  bool optimize = true;                ///< libpcap's optimiser (cubic on long lists)
  FilterEngine engine = FilterEngine::Threaded;
};

/// A compiled filter; immutable, may be used by any number of threads at once.
class SKEP_API Filter {
 public:
  /// Compiles a tcpdump expression ("" accepts all) by libpcap. Errors: Syntax with libpcap's
  /// message (also for a link type that it does not know or that the expression does not fit),
  /// Unsupported in a build without capture.
  static Expected<Filter> compile(std::string_view expression, const FilterOptions& options = {});
  /// Checks a program by rules and readies it. Errors name the instruction: BadInsn, BadJump,
  /// TooLong, Rejected, OutOfMemory.
  static Expected<Filter> load(std::span<const ClassicInsn> program, ClassicRules rules,
                               FilterEngine engine = FilterEngine::Threaded);

  Filter(Filter&&) noexcept;
  Filter& operator=(Filter&&) noexcept;
  ~Filter();

  /// What the program returns for a packet: 0 rejects it, else the number of bytes to keep (for
  /// seccomp, the action; packet is then a struct seccomp_data). wire_length is the packet's length
  /// before it was cut, 0 = packet.size().
  std::uint32_t match(std::span<const std::uint8_t> packet,
                      std::uint32_t wire_length = 0) const noexcept;
  /// The same for a packet of which more is known.
  std::uint32_t match(std::span<const std::uint8_t> packet, std::uint32_t wire_length,
                      const PacketMetadata& metadata) const noexcept;

 private:
  explicit Filter(std::unique_ptr<detail::FilterImpl> impl);
  std::unique_ptr<detail::FilterImpl> impl_;
};

}  // namespace skep
