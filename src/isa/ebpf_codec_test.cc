// SPDX-License-Identifier: Apache-2.0
#include "isa/ebpf_codec.h"

#include <gtest/gtest.h>

namespace skep::isa::ebpf {
namespace {

Result<std::vector<Insn>> decode_slots(std::vector<Slot> slots) {
  std::vector<u8> bytes(slots.size() * kSlotBytes);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    write_slot(&bytes[i * kSlotBytes], slots[i], kHostOrder);
  }
  return decode(bytes);
}

/// A slot that names op, with every field that means something filled in.
Slot example(const OpInfo& op) {
  Slot slot{.code = op.code};
  if ((op.fields & kDst) != 0) slot.dst = 3;
  if ((op.fields & kSrc) != 0) slot.src = 4;
  if ((op.fields & kOff) != 0) slot.off = -5;
  if ((op.fields & kImm) != 0) slot.imm = -6;
  if (op.selector == Selector::Off) slot.off = static_cast<s16>(op.selected);
  if (op.selector == Selector::Imm) slot.imm = op.selected;
  if (op.selector == Selector::Src) slot.src = static_cast<u8>(op.selected);
  return slot;
}

TEST(EbpfCodec, EveryOperationSurvivesDecodeAndEncode) {
  for (std::size_t i = 0; i < kOpCount; ++i) {
    const Op op = static_cast<Op>(i);
    if (op == Op::LddwHigh) continue;
    std::vector<Slot> slots = {example(info(op))};
    if (info(op).kind == Kind::Lddw) slots.push_back({.imm = 0x12345678});
    const auto insns = decode_slots(slots);
    ASSERT_TRUE(insns.has_value()) << info(op).name << ": " << insns.error().message;
    EXPECT_EQ(insns->at(0).op, op) << info(op).name;
    for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
      const auto again = decode(encode(*insns, order), order);
      ASSERT_TRUE(again.has_value()) << info(op).name;
      EXPECT_EQ(*again, *insns) << info(op).name;
    }
  }
}

TEST(EbpfCodec, EveryReservedFieldIsRefused) {
  for (const OpInfo& op : kOpInfo) {
    if (op.kind == Kind::LddwHigh) continue;
    const auto refused = [](Slot slot) { return !decode_slots({slot, {.imm = 0}}).has_value(); };
    Slot slot = example(op);
    if ((op.fields & kDst) == 0) {
      slot.dst = 1;
      EXPECT_TRUE(refused(slot)) << op.name << " dst";
      slot = example(op);
    }
    if ((op.fields & kSrc) == 0 && op.selector != Selector::Src) {
      slot.src = 1;
      EXPECT_TRUE(refused(slot)) << op.name << " src";
      slot = example(op);
    }
    if ((op.fields & kOff) == 0 && op.selector != Selector::Off) {
      slot.off = 1;
      EXPECT_TRUE(refused(slot)) << op.name << " off";
      slot = example(op);
    }
    if ((op.fields & kImm) == 0 && op.selector != Selector::Imm) {
      slot.imm = 1;
      EXPECT_TRUE(refused(slot)) << op.name << " imm";
    }
  }
}

// Walks every opcode byte; the count of valid ones is RFC 9669's plus jcond and the byte and
// halfword atomics (which only load-acquire and store-release use).
TEST(EbpfCodec, OpcodeBytesOutsideOfTheTableAreRefused) {
  int valid = 0;
  for (int code = 0; code < 256; ++code) {
    bool any = false;
    for (const OpInfo& op : kOpInfo) any |= op.kind != Kind::LddwHigh && op.code == code;
    valid += any;
    if (any) continue;
    const auto insns = decode_slots({{.code = static_cast<u8>(code)}});
    ASSERT_FALSE(insns.has_value()) << code;
    EXPECT_EQ(insns.error().code, Code::BadInsn);
    EXPECT_EQ(insns.error().where->pc, 0u);
  }
  // 24 + 24 binary ALU, 2 neg, 3 byte order, 44 conditional jumps, 2 ja, call, exit, jcond,
  // 7 loads, 4 + 4 stores, 4 atomic sizes, 6 packet loads, lddw.
  EXPECT_EQ(valid, 48 + 2 + 3 + 44 + 2 + 1 + 1 + 1 + 7 + 8 + 4 + 6 + 1);
}

TEST(EbpfCodec, ConstantsTakeTwoSlots) {
  const auto insns = decode_slots({{.code = 0x18, .dst = 1, .imm = -2}, {.imm = 0x11223344}});
  ASSERT_TRUE(insns.has_value());
  ASSERT_EQ(insns->size(), 2u);
  EXPECT_EQ(insns->at(0).imm, 0x11223344fffffffe);
  EXPECT_EQ(insns->at(1).op, Op::LddwHigh);
}

TEST(EbpfCodec, ErrorsNameThePlace) {
  EXPECT_EQ(to_string(decode_slots({{.code = 0x95}, {.code = 0xff}}).error()),
            "insn 1: unknown opcode 0xff");
  EXPECT_EQ(to_string(decode_slots({{.code = 0x07, .dst = 11}}).error()),
            "insn 0: there is no register r11");
  EXPECT_EQ(to_string(decode_slots({{.code = 0x18, .dst = 1}}).error()),
            "insn 0: a 64-bit constant lacks its second slot");
  EXPECT_EQ(to_string(decode_slots({{.code = 0x18, .dst = 1}, {.code = 0x95}}).error()),
            "insn 1: the second slot of a 64-bit constant may hold nothing but imm");
  EXPECT_EQ(to_string(decode_slots({{.code = 0x37, .off = 7}}).error()),
            "insn 0: opcode 0x37 has no operation with off = 7");
  EXPECT_EQ(to_string(decode_slots({{.code = 0x95, .imm = 7}}).error()),
            "insn 0: imm must be zero in exit (opcode 0x95)");
  const u8 odd[9] = {};
  EXPECT_EQ(decode(odd).error().code, Code::Truncated);
}

TEST(EbpfCodec, RegisterNibblesSwapWithTheByteOrder) {
  u8 bytes[kSlotBytes];
  write_slot(bytes, {.code = 0xbf, .dst = 1, .src = 2}, ByteOrder::Little);
  EXPECT_EQ(bytes[1], 0x21);
  write_slot(bytes, {.code = 0xbf, .dst = 1, .src = 2}, ByteOrder::Big);
  EXPECT_EQ(bytes[1], 0x12);
  EXPECT_EQ(read_slot(bytes, ByteOrder::Big).dst, 1);
}

}  // namespace
}  // namespace skep::isa::ebpf
