// SPDX-License-Identifier: Apache-2.0
// Setting registers, and their names for people.
// Tested by tests/verify, tests/kernel
#include "verify/reg.h"

#include "support/assert.h"

namespace skep::verify {
namespace {

struct KindNames {
  std::string_view kernel;
  std::string_view words;
};

KindNames names(RegKind kind) {
  switch (kind) {
    case RegKind::NotInit: return {"?", "nothing yet"};
    case RegKind::Scalar: return {"scalar", "a number"};
    case RegKind::Ctx: return {"ctx", "the context pointer"};
    case RegKind::MapPtr: return {"map_ptr", "a map"};
    case RegKind::MapValue: return {"map_value", "a pointer to a map value"};
    case RegKind::MapKey: return {"map_key", "a pointer to a map key"};
    case RegKind::Stack: return {"fp", "a stack pointer"};
    case RegKind::Packet: return {"pkt", "a packet pointer"};
    case RegKind::PacketMeta: return {"pkt_meta", "a pointer to packet metadata"};
    case RegKind::PacketEnd: return {"pkt_end", "the packet's end"};
    case RegKind::FlowKeys: return {"flow_keys", "a pointer to flow keys"};
    case RegKind::Socket: return {"sock", "a socket"};
    case RegKind::SockCommon: return {"sock_common", "a socket's common part"};
    case RegKind::TcpSock: return {"tcp_sock", "a TCP socket"};
    case RegKind::XdpSock: return {"xdp_sock", "an XDP socket"};
    case RegKind::TpBuffer: return {"tp_buffer", "a tracepoint buffer"};
    case RegKind::Btf: return {"ptr_", "a kernel object"};
    case RegKind::Mem: return {"mem", "a pointer to memory"};
    case RegKind::Buf: return {"buf", "a pointer to a buffer"};
    case RegKind::Func: return {"func", "a function"};
    case RegKind::Dynptr: return {"dynptr_ptr", "a dynamic pointer"};
  }
  unreachable();
}

}  // namespace

void Reg::set_not_init() {
  set_unknown(false);
  kind = RegKind::NotInit;
}

void Reg::set_unknown(bool tracked_precisely) {
  Reg* const keep_parent = parent;
  const u8 keep_live = live;
  *this = Reg{};
  kind = RegKind::Scalar;
  parent = keep_parent;
  live = keep_live;
  precise = tracked_precisely;
}

void Reg::set_known(u64 x) {
  const bool keep_precise = precise;
  set_unknown(keep_precise);
  value = Scalar::known(x);
}

void Reg::set_pointer(RegKind k, u8 qualifiers) {
  set_known(0);
  kind = k;
  flags = qualifiers;
}

void Reg::copy_from(const Reg& other) {
  Reg* const keep_parent = parent;
  const u8 keep_live = live;
  *this = other;
  parent = keep_parent;
  live = keep_live;
}

std::string type_name(RegKind kind, u8 flags) {
  std::string text;
  if ((flags & kReadOnly) != 0) text = "rdonly_";
  if ((flags & kAllocated) != 0) text = "alloc_";
  if ((flags & kPerCpu) != 0) text = "percpu_";
  if ((flags & kUntrusted) != 0) text = "untrusted_";
  text += names(kind).kernel;
  if ((flags & kMaybeNull) != 0) text += kind == RegKind::Btf ? "or_null_" : "_or_null";
  return text;
}

std::string kind_in_words(const Reg& reg) {
  std::string text(names(reg.kind).words);
  if (reg.may_be_null()) text += " that may be null";
  return text;
}

}  // namespace skep::verify
