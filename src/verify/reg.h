// SPDX-License-Identifier: Apache-2.0
// What the verifier knows of a register (or of a register's copy in a stack slot): the kind of
// thing it holds, and for that kind the numbers that matter.
//
//   kind Scalar      value = the number
//   pointer kinds    address = base of the object + off + (a number described by value)
//
// The fields before `parent` are a register's meaning: two registers are interchangeable if those
// bytes are equal (prune.cc). What follows is bookkeeping of the walk.
// Source: include/linux/bpf_verifier.h.  Tested by tests/verify, tests/kernel
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "support/ints.h"
#include "verify/scalar.h"

namespace skep::verify {

/// What a register holds.
enum class RegKind : u8 {
  NotInit,     ///< nothing was written yet; reading it is an error
  Scalar,      ///< a number
  Ctx,         ///< the program's context
  MapPtr,      ///< a map, for helpers
  MapValue,    ///< inside a map's value
  MapKey,      ///< inside a map's key (callbacks)
  Stack,       ///< inside the stack of frame `frame`
  Packet,      ///< inside the packet: `range` bytes from the base are known to exist
  PacketMeta,  ///< inside the packet's metadata area
  PacketEnd,   ///< the packet's end
  FlowKeys,
  Socket,
  SockCommon,
  TcpSock,
  XdpSock,
  TpBuffer,  ///< buffer of a writable raw tracepoint
  Btf,       ///< kernel object described by BTF
  Mem,       ///< memory of `size` bytes
  Buf,       ///< buffer whose length is checked when the program is attached
  Func,      ///< subprogram number `subprog`, for callbacks
  Dynptr,
};

/// Bits of Reg::flags: qualifiers of the kind.
enum RegFlag : u8 {
  kMaybeNull = 1,  ///< may be 0; to be compared before use
  kReadOnly = 2,   ///< Mem, Buf: may not be written
  kAllocated = 4,  ///< Mem: has to be given back
  kUntrusted = 8,
  kPerCpu = 16,
};

/// Bits of Reg::live.
enum Live : u8 {
  kLiveNone = 0,
  kLiveRead = 1,     ///< a later instruction reads it
  kLiveWritten = 2,  ///< written since the parent state, so reads do not reach that one
  kLiveDone = 4,     ///< reads of the state are complete
};

/// Packet::range of a pointer that was compared with the end and found to be there, or beyond.
constexpr s32 kAtPacketEnd = -1;
constexpr s32 kBeyondPacketEnd = -2;

struct Reg {
  RegKind kind = RegKind::NotInit;
  u8 flags = 0;
  u16 reserved = 0;
  s32 off = 0;       ///< pointers: the fixed part of the offset
  u32 map = 0;       ///< MapPtr, MapValue, MapKey: number of the map (Env::map), from 1
  u32 extra = 0;     ///< MapPtr, MapValue: which look-up an inner map came from; Mem: its size in
                     ///< bytes; Func: the subprogram
  s32 range = 0;     ///< Packet, PacketMeta
  u32 id = 0;        ///< shared by copies of one unknown; 0 when nobody needs to know
  u32 ref = 0;       ///< the reference that has to be released
  u32 btf_type = 0;  ///< Btf
  Scalar value = {};
  // -- end of the meaning --
  Reg* parent = nullptr;  ///< the same register in the state that this one continues
  u8 frame = 0;           ///< Stack: whose
  u8 live = kLiveNone;
  bool precise = false;  ///< Scalar: its value decided something

  bool is_scalar() const { return kind == RegKind::Scalar; }
  bool may_be_null() const { return (flags & kMaybeNull) != 0; }
  /// Scalar 0.
  bool is_zero() const { return is_scalar() && value.bits.is(0); }
  bool is_known_scalar() const { return is_scalar() && value.is_known(); }
  bool is_packet() const { return kind == RegKind::Packet || kind == RegKind::PacketMeta; }
  bool is_packet_or_end() const { return is_packet() || kind == RegKind::PacketEnd; }
  bool is_socket() const {
    return kind == RegKind::Socket || kind == RegKind::SockCommon || kind == RegKind::TcpSock ||
           kind == RegKind::XdpSock;
  }
  /// Of this kind without any qualifier.
  bool is(RegKind k) const { return kind == k && flags == 0; }

  /// A register that nothing is known of; keeps parent and live.
  void set_not_init();
  /// Any number; keeps parent and live. Unprivileged programs track every number precisely.
  void set_unknown(bool tracked_precisely);
  /// The number x; keeps parent, live and precise.
  void set_known(u64 x);
  /// A pointer of this kind to the start of its object; keeps parent and live.
  void set_pointer(RegKind k, u8 qualifiers = 0);
  /// Takes over other's meaning, frame and precision; keeps parent and live.
  void copy_from(const Reg& other);
};

constexpr std::size_t kMeaningBytes = offsetof(Reg, parent);
static_assert(kMeaningBytes == 32 + sizeof(Scalar), "no padding that a comparison would see");

/// Whether a and b mean the same.
inline bool same_meaning(const Reg& a, const Reg& b) {
  return std::memcmp(&a, &b, kMeaningBytes) == 0;
}

/// The kind as the kernel's messages write it: "map_value_or_null", "pkt", "scalar", ...
std::string type_name(RegKind kind, u8 flags);
inline std::string type_name(const Reg& reg) {
  return type_name(reg.kind, reg.flags);
}
/// The kind in words: "a map value that may be null".
std::string kind_in_words(const Reg& reg);

}  // namespace skep::verify
