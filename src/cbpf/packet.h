// SPDX-License-Identifier: Apache-2.0
// How a classic program sees its input, shared by the virtual machines: bounds-checked big-endian
// loads, offsets below zero (headers), netlink attributes, struct seccomp_data.
// Source: net/core/filter.c (bpf_skb_load_helper_*, bpf_skb_get_nlattr*), kernel/seccomp.c.
// Tested by packet_test.cc
#pragma once

#include <optional>

#include "cbpf/metadata.h"
#include "isa/cbpf.h"
#include "isa/cbpf_semantics.h"
#include "support/bytes.h"

namespace skep::cbpf {

/// Longest input that programs see; the rest of a longer one is out of range, as offsets are
/// signed.
constexpr u32 kMaxInput = 0x7fff'ffff;
/// sizeof(struct seccomp_data), what `ld len` gives under seccomp's rules.
constexpr u32 kSeccompDataSize = 64;

/// One packet (or struct seccomp_data) as a program sees it.
struct Packet {
  const u8* data;
  u32 size;  ///< bytes that can be loaded

  Bytes bytes() const { return {data, size}; }
};

/// How much of the input programs see.
inline u32 visible_size(Bytes input) {
  return input.size() > kMaxInput ? kMaxInput : static_cast<u32>(input.size());
}

/// True if T can be loaded at offset, an offset from the packet's start.
template <class T>
constexpr bool in_range(u32 size, u32 offset) {
  return u64{offset} + sizeof(T) <= size;
}

/// The offset from the packet's start that an offset below zero means under Linux's rules, or
/// kNowhere.
constexpr u32 header_offset(u32 offset, const Metadata& metadata) {
  if (offset >= isa::cbpf::kNetworkBase)
    return offset - isa::cbpf::kNetworkBase + metadata.network_offset;
  if (offset >= isa::cbpf::kLinkBase) return offset - isa::cbpf::kLinkBase + metadata.link_offset;
  return isa::cbpf::kNowhere;
}

/// Loads the T at offset into a, which may be an offset below zero; false if it is out of range.
template <class T, isa::cbpf::Rules R>
inline bool load_packet(Packet packet, const Metadata& metadata, u32 offset, u32& a) noexcept {
  if (!in_range<T>(packet.size, offset)) [[unlikely]] {
    if (R != isa::cbpf::Rules::Linux || offset <= kMaxInput) return false;
    offset = header_offset(offset, metadata);
    if (!in_range<T>(packet.size, offset)) return false;
  }
  a = load_be<T>(packet.data + offset);
  return true;
}

/// The offset of the first netlink attribute of the given type in the list that starts at
/// `start`, 0 if there is none or the list is damaged before it.
u32 netlink_attribute(Bytes packet, u32 start, u32 type) noexcept;
/// The same for the list inside of the attribute at `start`.
u32 nested_netlink_attribute(Bytes packet, u32 start, u32 type) noexcept;

/// What SKF_AD_PAY_OFFSET gives: the bytes before the transport layer's payload, from the packet's
/// start; `network` is the offset of the network header and `protocol` its EtherType. Where a
/// header is unknown or cut, what was understood so far.
u32 payload_offset(Bytes packet, u32 network, u32 protocol) noexcept;

}  // namespace skep::cbpf
