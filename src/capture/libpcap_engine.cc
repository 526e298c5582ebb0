// SPDX-License-Identifier: Apache-2.0
// bpf_filter() as an engine. It reads no metadata: programs with ancillary loads see offsets that
// no packet has.
// Tested by expression_test.cc
#include "capture/libpcap_engine.h"

#include <pcap/pcap.h>

#include <vector>

namespace skep::capture {

namespace {

// libpcap's interpreter knows no metadata.
u32 match_libpcap(const void* program, const u8* data, u32 caplen, u32 len,
                  const cbpf::Metadata&) noexcept {
  return bpf_filter(static_cast<const std::vector<bpf_insn>*>(program)->data(), data, len, caplen);
}

Result<engine::Filter> make_libpcap(std::span<const isa::cbpf::RawInsn> raw, isa::cbpf::Rules) {
  auto program = std::make_shared<std::vector<bpf_insn>>();
  for (const isa::cbpf::RawInsn& insn : raw) {
    program->push_back({.code = insn.code, .jt = insn.jt, .jf = insn.jf, .k = insn.k});
  }
  if (bpf_validate(program->data(), static_cast<int>(program->size())) == 0) {
    return Error{Code::Rejected, "libpcap does not accept the program"};
  }
  return engine::Filter(&match_libpcap, std::move(program));
}

constexpr engine::FilterEngine kEngine = {"libpcap", &make_libpcap};

}  // namespace

const engine::FilterEngine& libpcap_engine() {
  return kEngine;
}

}  // namespace skep::capture
