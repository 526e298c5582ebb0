// SPDX-License-Identifier: Apache-2.0
// Tested by tests/verify, tests/kernel
#include "verify/spill.h"

#include "support/assert.h"

namespace skep::verify {

bool is_spillable(const Reg& reg) {
  switch (reg.kind) {
    case RegKind::Ctx:
    case RegKind::MapPtr:
    case RegKind::MapValue:
    case RegKind::MapKey:
    case RegKind::Stack:
    case RegKind::Packet:
    case RegKind::PacketMeta:
    case RegKind::PacketEnd:
    case RegKind::FlowKeys:
    case RegKind::Socket:
    case RegKind::SockCommon:
    case RegKind::TcpSock:
    case RegKind::XdpSock:
    case RegKind::Btf:
    case RegKind::Mem:
    case RegKind::Buf:
    case RegKind::Func: return true;
    case RegKind::NotInit:
    case RegKind::Scalar:
    case RegKind::TpBuffer:
    case RegKind::Dynptr: return false;
  }
  unreachable();
}

void spill(Slot& slot, const Reg& reg, u32 size) {
  slot.spilled.copy_from(reg);
  if (size == kSlotSize) slot.spilled.live |= kLiveWritten;
  for (u32 i = 0; i < kSlotSize; ++i) {
    ByteKind& kind = slot.bytes[i];
    if (i >= kSlotSize - size) {
      kind = ByteKind::Spill;
    } else if (kind != ByteKind::Invalid) {
      kind = ByteKind::Misc;
    }
  }
}

u32 spilled_bytes(const Slot& slot) {
  u32 bytes = 0;
  while (bytes < kSlotSize && slot.bytes[kSlotSize - 1 - bytes] == ByteKind::Spill) ++bytes;
  return bytes;
}

}  // namespace skep::verify
