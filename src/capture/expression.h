// SPDX-License-Identifier: Apache-2.0
// Filter expressions (pcap-filter(7)) become classic programs through libpcap. A handle is made as
// for a capture file of the link type, so that code and messages are those of `tcpdump -r`.
// Tested by expression_test.cc
#pragma once

#include <string>
#include <vector>

#include "capture/packet.h"
#include "isa/cbpf.h"
#include "support/result.h"

namespace skep::capture {

using Program = std::vector<isa::cbpf::RawInsn>;

struct ExpressionOptions {
  u32 linktype = kLinkEthernet;
  u32 snaplen = kMaxSnaplen;  ///< bytes; what an accepting program returns
  bool optimize = true;       ///< run libpcap's optimiser
};

/// Compiles `text`; an empty one accepts every packet. Errors: Syntax with libpcap's message.
Result<Program> compile_expression(const std::string& text, const ExpressionOptions& options);

/// The LINKTYPE_ number of a name such as "EN10MB". Errors: NotFound.
Result<u32> linktype_by_name(const std::string& name);
/// "EN10MB (Ethernet)", or "link type 999" where libpcap knows no name.
std::string linktype_text(u32 linktype);

}  // namespace skep::capture
