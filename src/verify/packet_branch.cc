// SPDX-License-Identifier: Apache-2.0
// Comparisons of packet pointers with the packet's end (or of metadata pointers with its start):
//
//    if (data + 14 > end) goto out;     fallen:  14 bytes from data exist
//                                       taken:   data + 14 is beyond the end
//
// Every form is brought to "pointer > limit", by exchanging operands and by exchanging the ways.
// Source: kernel/bpf/verifier.c (try_match_pkt_pointers).  Tested by tests/verify, tests/kernel
#include <algorithm>

#include "verify/branch.h"
#include "verify/scalar_branch.h"

namespace skep::verify {
namespace {

using isa::ebpf::JmpOp;

constexpr u64 kMaxPacketOffset = 0xffff;

bool is_packet_start(const Reg& reg) {
  return reg.is(RegKind::Packet) && reg.id == 0 && reg.off == 0 && reg.value.bits.is(0);
}

// Whether `limit` ends the area that `pointer` points into.
bool limits(const Reg& pointer, const Reg& limit) {
  if (pointer.is(RegKind::Packet)) return limit.is(RegKind::PacketEnd);
  return pointer.is(RegKind::PacketMeta) && is_packet_start(limit);
}

// The pointer's offset is inside (open: the byte there too): so much of the packet exists.
void extend_range(State& state, const Reg& pointer, bool open) {
  const Reg p = pointer;
  if (p.off < 0 || (p.off == 0 && open)) return;
  const u64 most = p.value.whole.umax;
  if (most > kMaxPacketOffset || most + static_cast<u64>(p.off) > kMaxPacketOffset) return;
  const s32 range = p.off + (open ? 1 : 0);
  for_each_reg(state, [&p, range](Reg& reg) {
    if (reg.kind == p.kind && reg.flags == p.flags && reg.id == p.id) {
      reg.range = std::max(reg.range, range);
    }
  });
}

// The pointer is at the end, or beyond it.
void mark_outside(State& state, u32 number, bool beyond) {
  Reg& reg = state.current().regs[number];
  if (reg.is(RegKind::Packet)) reg.range = beyond ? kBeyondPacketEnd : kAtPacketEnd;
}

}  // namespace

bool learn_packet_range(const isa::ebpf::Insn& insn, State& fallen, State& taken) {
  const isa::ebpf::OpInfo& facts = isa::ebpf::info(insn.op);
  if (facts.source != isa::ebpf::Source::X || facts.width != 64) return false;
  JmpOp op = facts.jmp;
  u32 pointer = insn.dst;
  const auto& regs = fallen.current().regs;
  if (!limits(regs[insn.dst], regs[insn.src])) {
    if (!limits(regs[insn.src], regs[insn.dst])) return false;
    pointer = insn.src;
    op = flipped(op);
  }
  // p > end, p >= end: the taken way is outside; p < end, p <= end: the other one. Strictly outside
  // is beyond the end, else it may be at it.
  const bool outside_taken = op == JmpOp::Jgt || op == JmpOp::Jge;
  const bool strict = op == JmpOp::Jgt || op == JmpOp::Jle;
  if (!outside_taken && op != JmpOp::Jlt && op != JmpOp::Jle) return false;
  State& outside = outside_taken ? taken : fallen;
  State& inside = outside_taken ? fallen : taken;
  extend_range(inside, inside.current().regs[pointer], !strict);
  mark_outside(outside, pointer, strict);
  return true;
}

std::optional<bool> decide_packet(JmpOp op, const Reg& dst, const Reg& src) {
  const Reg* pointer = &dst;
  if (!src.is(RegKind::PacketEnd)) {
    if (!dst.is(RegKind::PacketEnd)) return std::nullopt;
    pointer = &src;
    op = flipped(op);
  }
  if (pointer->range >= 0) return std::nullopt;
  const bool beyond = pointer->range == kBeyondPacketEnd;
  switch (op) {
    case JmpOp::Jgt:
      if (beyond) return true;
      break;
    case JmpOp::Jle:
      if (beyond) return false;
      break;
    case JmpOp::Jge: return true;
    case JmpOp::Jlt: return false;
    case JmpOp::Jeq:
    case JmpOp::Jset:
    case JmpOp::Jne:
    case JmpOp::Jsgt:
    case JmpOp::Jsge:
    case JmpOp::Jslt:
    case JmpOp::Jsle: break;
  }
  return std::nullopt;
}

}  // namespace skep::verify
