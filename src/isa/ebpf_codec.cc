// SPDX-License-Identifier: Apache-2.0
// Decoding and encoding of eBPF, driven by the table of facts only: the operations that share an
// opcode byte form a chain, and the one whose selector field fits is the answer.
// Tested by ebpf_codec_test.cc
#include "isa/ebpf_codec.h"

#include <fmt/format.h>

#include "support/assert.h"

namespace skep::isa::ebpf {
namespace {

constexpr u16 kNone = 0xffff;

/// chain.first[code] is the first operation with that opcode byte, next[op] the one after it.
struct OpcodeChains {
  std::array<u16, 256> first{};
  std::array<u16, kOpCount> next{};
};

constexpr OpcodeChains make_chains() {
  OpcodeChains chains;
  chains.first.fill(kNone);
  chains.next.fill(kNone);
  for (std::size_t i = kOpCount; i-- > 0;) {
    const OpInfo& op = kOpInfo[i];
    if (op.kind == Kind::LddwHigh) continue;  // never found by its opcode byte
    chains.next[i] = chains.first[op.code];
    chains.first[op.code] = static_cast<u16>(i);
  }
  return chains;
}

constexpr OpcodeChains kChains = make_chains();

s32 selector_value(Selector selector, const Slot& slot) {
  switch (selector) {
    case Selector::None: return 0;
    case Selector::Off: return slot.off;
    case Selector::Imm: return slot.imm;
    case Selector::Src: return slot.src;
  }
  unreachable();
}

std::string_view selector_name(Selector selector) {
  switch (selector) {
    case Selector::None: return "";
    case Selector::Off: return "off";
    case Selector::Imm: return "imm";
    case Selector::Src: return "src";
  }
  unreachable();
}

Error unknown(const Slot& slot, u32 pc) {
  const u16 first = kChains.first[slot.code];
  if (first == kNone) {
    return error_at_pc(Code::BadInsn, pc, fmt::format("unknown opcode 0x{:02x}", slot.code));
  }
  const Selector selector = kOpInfo[first].selector;
  return error_at_pc(Code::BadInsn, pc,
                     fmt::format("opcode 0x{:02x} has no operation with {} = {}", slot.code,
                                 selector_name(selector), selector_value(selector, slot)));
}

/// The name of a reserved field that is not zero, or "" when all is well.
std::string_view non_zero_reserved(const OpInfo& op, const Slot& slot) {
  const auto reserved = [&op](u8 field, Selector selector) {
    return (op.fields & field) == 0 && op.selector != selector;
  };
  if ((op.fields & kDst) == 0 && slot.dst != 0) return "dst";
  if (reserved(kSrc, Selector::Src) && slot.src != 0) return "src";
  if (reserved(kOff, Selector::Off) && slot.off != 0) return "off";
  if (reserved(kImm, Selector::Imm) && slot.imm != 0) return "imm";
  return "";
}

Result<Insn> decode_slot(const Slot& slot, u32 pc) {
  const std::optional<Op> op = find_op(slot);
  if (!op) return unknown(slot, pc);
  const OpInfo& facts = info(*op);
  if (const std::string_view field = non_zero_reserved(facts, slot); !field.empty()) {
    return error_at_pc(
        Code::BadInsn, pc,
        fmt::format("{} must be zero in {} (opcode 0x{:02x})", field, facts.mnemonic, slot.code));
  }
  const bool dst_bad = (facts.fields & kDst) != 0 && slot.dst >= kRegisterCount;
  const bool src_bad = (facts.fields & kSrc) != 0 && slot.src >= kRegisterCount;
  if (dst_bad || src_bad) {
    return error_at_pc(Code::BadInsn, pc,
                       fmt::format("there is no register r{}", dst_bad ? slot.dst : slot.src));
  }
  Insn insn{.op = *op, .off = 0, .imm = 0};
  if ((facts.fields & kDst) != 0) insn.dst = slot.dst;
  if ((facts.fields & kSrc) != 0) insn.src = slot.src;
  if ((facts.fields & kOff) != 0) insn.off = slot.off;
  if ((facts.fields & kImm) != 0) insn.imm = slot.imm;
  return insn;
}

}  // namespace

Slot read_slot(const u8* bytes, ByteOrder order) {
  const bool little = order == ByteOrder::Little;
  const u8 registers = bytes[1];
  const u8 low = registers & 0xf;
  const u8 high = registers >> 4;
  return {.code = bytes[0],
          .dst = little ? low : high,
          .src = little ? high : low,
          .off = static_cast<s16>(load<u16>(bytes + 2, order)),
          .imm = static_cast<s32>(load<u32>(bytes + 4, order))};
}

void write_slot(u8* bytes, const Slot& slot, ByteOrder order) {
  const bool little = order == ByteOrder::Little;
  bytes[0] = slot.code;
  bytes[1] = static_cast<u8>(little ? slot.dst | slot.src << 4 : slot.src | slot.dst << 4);
  store<u16>(bytes + 2, static_cast<u16>(slot.off), order);
  store<u32>(bytes + 4, static_cast<u32>(slot.imm), order);
}

std::optional<Op> find_op(const Slot& slot) {
  for (u16 i = kChains.first[slot.code]; i != kNone; i = kChains.next[i]) {
    if (kOpInfo[i].selected == selector_value(kOpInfo[i].selector, slot)) return static_cast<Op>(i);
  }
  return std::nullopt;
}

Result<std::vector<Insn>> decode(Bytes program, ByteOrder order) {
  if (program.size() % kSlotBytes != 0) {
    return error_at_offset(
        Code::Truncated, program.size(),
        fmt::format("a program's size is a multiple of 8 bytes, not {}", program.size()));
  }
  const std::size_t count = program.size() / kSlotBytes;
  std::vector<Insn> insns;
  insns.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const u32 pc = static_cast<u32>(i);
    SKEP_TRY(Insn insn, decode_slot(read_slot(&program[i * kSlotBytes], order), pc));
    if (info(insn.op).kind == Kind::Lddw) {
      if (i + 1 == count) {
        return error_at_pc(Code::Truncated, pc, "a 64-bit constant lacks its second slot");
      }
      const Slot high = read_slot(&program[(i + 1) * kSlotBytes], order);
      if (high.code != 0 || high.dst != 0 || high.src != 0 || high.off != 0) {
        return error_at_pc(Code::BadInsn, pc + 1,
                           "the second slot of a 64-bit constant may hold nothing but imm");
      }
      insn.imm =
          static_cast<s64>(u64{static_cast<u32>(high.imm)} << 32 | static_cast<u32>(insn.imm));
      insns.push_back(insn);
      insns.push_back({.op = Op::LddwHigh});
      ++i;
      continue;
    }
    insns.push_back(insn);
  }
  return insns;
}

std::vector<u8> encode(std::span<const Insn> program, ByteOrder order) {
  std::vector<u8> bytes(program.size() * kSlotBytes);
  for (std::size_t i = 0; i < program.size(); ++i) {
    const Insn& insn = program[i];
    const OpInfo& facts = info(insn.op);
    Slot slot{.code = facts.code,
              .dst = insn.dst,
              .src = insn.src,
              .off = insn.off,
              .imm = static_cast<s32>(insn.imm)};
    if (facts.selector == Selector::Off) slot.off = static_cast<s16>(facts.selected);
    if (facts.selector == Selector::Imm) slot.imm = facts.selected;
    if (facts.selector == Selector::Src) slot.src = static_cast<u8>(facts.selected);
    if (facts.kind == Kind::LddwHigh && i > 0)
      slot.imm = static_cast<s32>(program[i - 1].imm >> 32);
    write_slot(&bytes[i * kSlotBytes], slot, order);
  }
  return bytes;
}

}  // namespace skep::isa::ebpf
