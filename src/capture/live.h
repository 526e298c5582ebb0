// SPDX-License-Identifier: Apache-2.0
// Live capture through libpcap, of every packet: filtering is the caller's business.
// Tested by tests/e2e/filter_live.sh
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/packet.h"
#include "support/result.h"

namespace skep::capture {

struct LiveOptions {
  u32 snaplen = kMaxSnaplen;
  bool promiscuous = true;
  Precision precision = Precision::Micro;
  std::optional<std::string> linktype;  ///< name for pcap_set_datalink()
};

/// Packets as pcap_stats() counts them; lost ones are those without room in a buffer.
struct LiveStatistics {
  u32 received = 0;
  u32 dropped = 0;            ///< by the kernel
  u32 interface_dropped = 0;  ///< by the interface or its driver
};

class LiveCapture {
 public:
  /// Called for each packet, whose bytes are valid during the call only.
  using OnPacket = void (*)(void* user, const Packet& packet);

  /// Starts capturing. Errors: NotFound (no such interface), Rejected (not allowed), Io, with
  /// libpcap's reason.
  static Result<std::unique_ptr<LiveCapture>> open(const std::string& interface,
                                                   const LiveOptions& options);
  virtual ~LiveCapture() = default;

  /// Waits for packets and hands out those that are there; false after stop(). Errors: Io.
  virtual Result<bool> dispatch(OnPacket on_packet, void* user) = 0;
  /// Makes dispatch() return false, soon; may be called in a signal handler.
  virtual void stop() = 0;
  /// One interface, in the form of a pcap file.
  virtual const Section& section() const = 0;
  virtual Result<LiveStatistics> statistics() = 0;
};

/// Lines as `tcpdump -D` prints them. Errors: Io.
Result<std::string> list_interfaces();
/// The name of the interface with that number in list_interfaces(). Errors: NotFound.
Result<std::string> interface_by_number(u32 number);
/// Lines as `tcpdump -L` prints them for an interface. Errors: those of open().
Result<std::string> list_linktypes(const std::string& interface);

}  // namespace skep::capture
