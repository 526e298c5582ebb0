// SPDX-License-Identifier: Apache-2.0
// Legacy packet loads (LD_ABS, LD_IND): big-endian reads of the packet that was given to the run,
// or of its state's.
// An offset below 0 counts from the network header or from the start of the packet, as classic BPF
// defines SKF_NET_OFF and SKF_LL_OFF. Kernel: bpf_internal_load_pointer_neg_helper in
// kernel/bpf/core.c. Tested by packet_test.cc
#pragma once

#include <optional>

#include "runtime/program.h"
#include "support/bytes.h"

namespace skep::runtime {

constexpr s32 kNetOffset = -0x100000;   ///< SKF_NET_OFF
constexpr s32 kLinkOffset = -0x200000;  ///< SKF_LL_OFF

/// The T at offset, in host order, or nothing when it is not wholly inside of the packet.
template <class T>
std::optional<u64> load_packet(const RunInput& input, s32 offset) noexcept {
  const Bytes packet = input.state != nullptr ? input.state->packet : input.packet;
  const u32 network = input.state != nullptr ? input.state->network_offset : input.network_offset;
  s64 at = offset;
  if (offset < 0) {
    if (offset >= kNetOffset) {
      at = s64{offset} - kNetOffset + network;
    } else if (offset >= kLinkOffset) {
      at = s64{offset} - kLinkOffset;
    }
  }
  const s64 size = static_cast<s64>(packet.size());
  if (at < 0 || at > size - static_cast<s64>(sizeof(T))) return std::nullopt;
  return u64{load_be<T>(packet.data() + at)};
}

}  // namespace skep::runtime
