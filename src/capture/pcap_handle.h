// SPDX-License-Identifier: Apache-2.0
// Ownership of libpcap's objects, for the files of this room that use it.
#pragma once

#include <pcap/pcap.h>

#include <memory>
#include <string>

#include "support/ints.h"

namespace skep::capture {

struct PcapClose {
  void operator()(pcap_t* handle) const { pcap_close(handle); }
};
using PcapHandle = std::unique_ptr<pcap_t, PcapClose>;

/// A handle on an empty capture file, or null with the reason in `reason`. libpcap has no other way
/// to compile for a LINKTYPE_ number as it does for a file.
PcapHandle savefile_handle(u32 linktype, u32 snaplen, std::string& reason);

}  // namespace skep::capture
