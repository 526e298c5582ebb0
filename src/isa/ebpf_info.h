// SPDX-License-Identifier: Apache-2.0
// The table of facts behind isa::ebpf::info(), made from ebpf.def. Included by ebpf.h only.
// Tested by ebpf_test.cc
#pragma once

#include "isa/ebpf.h"

namespace skep::isa::ebpf {

namespace table {

// Opcode bytes are built as RFC 9669 section 3 draws them: class in the low three bits, then the
// source bit (ALU and jumps) or size and mode (loads and stores).
constexpr u8 kAlu32 = 0x04;
constexpr u8 kAlu64 = 0x07;
constexpr u8 kJmp64 = 0x05;
constexpr u8 kJmp32 = 0x06;
constexpr u8 kSourceX = 0x08;
constexpr u8 kAtomic32 = 0xc3;
constexpr u8 kAtomic64 = 0xdb;
constexpr u8 kLddw = 0x18;

// off tells Div from SDiv and Mov from MovSx; for the others it is reserved, which is the same
// check.
constexpr OpInfo alu(std::string_view name, std::string_view mnemonic, std::string_view symbol,
                     u8 code, s32 off, AluOp op, u8 width, Source source, Group group,
                     Since since) {
  const u8 cls = width == 64 ? kAlu64 : kAlu32;
  const bool x = source == Source::X;
  return {.name = name,
          .mnemonic = mnemonic,
          .symbol = symbol,
          .code = static_cast<u8>(code | cls | (x ? kSourceX : 0)),
          .kind = Kind::Alu,
          .selector = Selector::Off,
          .selected = off,
          .fields = static_cast<u8>(kDst | (x ? kSrc : kImm)),
          .width = width,
          .source = source,
          .alu = op,
          .group = group,
          .since = since};
}

constexpr OpInfo movsx(std::string_view name, std::string_view mnemonic, u8 bits, u8 width,
                       Group group, Since since) {
  OpInfo info = alu(name, mnemonic, "=", 0xb0, bits, AluOp::Mov, width, Source::X, group, since);
  info.kind = Kind::MovSx;
  info.from_bits = bits;
  return info;
}

constexpr OpInfo unary(std::string_view name, std::string_view mnemonic, u8 code, u8 width,
                       Group group, Since since) {
  return {.name = name,
          .mnemonic = mnemonic,
          .symbol = "-",
          .code = static_cast<u8>(code | (width == 64 ? kAlu64 : kAlu32)),
          .kind = Kind::Neg,
          .fields = kDst,
          .width = width,
          .group = group,
          .since = since};
}

constexpr OpInfo end(std::string_view name, std::string_view mnemonic, std::string_view symbol,
                     u8 code, u8 bits, EndOp op, Group group, Since since) {
  return {.name = name,
          .mnemonic = mnemonic,
          .symbol = symbol,
          .code = code,
          .kind = Kind::End,
          .selector = Selector::Imm,
          .selected = bits,
          .fields = kDst,
          .width = bits,
          .end = op,
          .group = group,
          .since = since};
}

constexpr OpInfo jmp(std::string_view name, std::string_view mnemonic, std::string_view symbol,
                     u8 code, JmpOp op, u8 width, Source source, Group group, Since since) {
  const bool x = source == Source::X;
  return {.name = name,
          .mnemonic = mnemonic,
          .symbol = symbol,
          .code = static_cast<u8>(code | (width == 64 ? kJmp64 : kJmp32) | (x ? kSourceX : 0)),
          .kind = Kind::Jmp,
          .fields = static_cast<u8>(kDst | kOff | (x ? kSrc : kImm)),
          .width = width,
          .source = source,
          .jmp = op,
          .group = group,
          .since = width == 32 ? Since::V3 : since};
}

constexpr OpInfo memory(std::string_view name, std::string_view mnemonic, u8 code, u8 width,
                        Kind kind, u8 fields, Source source, Group group, Since since) {
  return {.name = name,
          .mnemonic = mnemonic,
          .symbol = "=",
          .code = code,
          .kind = kind,
          .fields = fields,
          .width = width,
          .source = source,
          .group = group,
          .since = since};
}

constexpr OpInfo atomic(std::string_view name, std::string_view mnemonic, std::string_view symbol,
                        s32 imm, bool fetch, AtomicOp op, u8 width, Group group, Since since) {
  return {.name = name,
          .mnemonic = mnemonic,
          .symbol = symbol,
          .code = width == 64 ? kAtomic64 : kAtomic32,
          .kind = Kind::Atomic,
          .selector = Selector::Imm,
          .selected = imm,
          .fields = kDst | kSrc | kOff,
          .width = width,
          .source = Source::X,
          .atomic = op,
          .fetch = fetch,
          .group = group,
          .since = since};
}

constexpr OpInfo acqrel(std::string_view name, std::string_view mnemonic, u8 code, s32 imm,
                        u8 width, Kind kind, Group group, Since since) {
  return {.name = name,
          .mnemonic = mnemonic,
          .symbol = kind == Kind::LoadAcquire ? "load_acquire" : "store_release",
          .code = code,
          .kind = kind,
          .selector = Selector::Imm,
          .selected = imm,
          .fields = kDst | kSrc | kOff,
          .width = width,
          .source = Source::X,
          .group = group,
          .since = since};
}

constexpr OpInfo lddw(std::string_view name, std::string_view mnemonic, std::string_view symbol,
                      s32 src, Group group, Since since) {
  return {.name = name,
          .mnemonic = mnemonic,
          .symbol = symbol,
          .code = kLddw,
          .kind = Kind::Lddw,
          .selector = Selector::Src,
          .selected = src,
          .fields = kDst | kImm,
          .width = 64,
          .source = Source::K,
          .group = group,
          .since = since};
}

constexpr OpInfo flow(std::string_view name, std::string_view mnemonic, std::string_view symbol,
                      u8 code, s32 src, u8 fields, Kind kind, Group group, Since since) {
  return {.name = name,
          .mnemonic = mnemonic,
          .symbol = symbol,
          .code = code,
          .kind = kind,
          .selector = Selector::Src,
          .selected = src,
          .fields = fields,
          .group = group,
          .since = since};
}

}  // namespace table

inline constexpr std::array<OpInfo, kOpCount> kOpInfo = {
// clang-format off
#define ALU(n, m, s, code, off, g, v)                                                       \
  table::alu(#n "32K", m, s, code, off, AluOp::n, 32, Source::K, Group::g, Since::v),       \
  table::alu(#n "32X", m, s, code, off, AluOp::n, 32, Source::X, Group::g, Since::v),       \
  table::alu(#n "64K", m, s, code, off, AluOp::n, 64, Source::K, Group::g, Since::v),       \
  table::alu(#n "64X", m, s, code, off, AluOp::n, 64, Source::X, Group::g, Since::v),
#define MOVSX(n, m, bits, g, v)                                                             \
  table::movsx(#n "X32", m, bits, 32, Group::g, Since::v),                                  \
  table::movsx(#n "X64", m, bits, 64, Group::g, Since::v),
#define MOVSX64(n, m, bits, g, v) table::movsx(#n "X64", m, bits, 64, Group::g, Since::v),
#define UNARY(n, m, code, g, v)                                                             \
  table::unary(#n "32", m, code, 32, Group::g, Since::v),                                   \
  table::unary(#n "64", m, code, 64, Group::g, Since::v),
#define END(n, m, s, code, imm, g, v)                                                       \
  table::end(#n, m, s, code, imm, EndOp::n, Group::g, Since::v),
#define JMP(n, m, s, code, g, v)                                                            \
  table::jmp(#n "32K", m, s, code, JmpOp::n, 32, Source::K, Group::g, Since::v),            \
  table::jmp(#n "32X", m, s, code, JmpOp::n, 32, Source::X, Group::g, Since::v),            \
  table::jmp(#n "64K", m, s, code, JmpOp::n, 64, Source::K, Group::g, Since::v),            \
  table::jmp(#n "64X", m, s, code, JmpOp::n, 64, Source::X, Group::g, Since::v),
#define LDX(n, m, code, bits, g, v)                                                         \
  table::memory(#n, m, code, bits, Kind::Ldx, kDst | kSrc | kOff, Source::X, Group::g, Since::v),
#define LDXSX(n, m, code, bits, g, v)                                                       \
  table::memory(#n, m, code, bits, Kind::LdxSx, kDst | kSrc | kOff, Source::X, Group::g, Since::v),
#define ST(n, m, code, bits, g, v)                                                          \
  table::memory(#n, m, code, bits, Kind::St, kDst | kOff | kImm, Source::K, Group::g, Since::v),
#define STX(n, m, code, bits, g, v)                                                         \
  table::memory(#n, m, code, bits, Kind::Stx, kDst | kSrc | kOff, Source::X, Group::g, Since::v),
#define ATOMIC(n, m, s, imm, fetch, g, v)                                                   \
  table::atomic(#n "32", m, s, imm, fetch != 0, AtomicOp::n, 32, Group::g, Since::v),       \
  table::atomic(#n "64", m, s, imm, fetch != 0, AtomicOp::n, 64, Group::g, Since::v),
#define ACQREL(n, m, code, imm, bits, kind, g, v)                                           \
  table::acqrel(#n, m, code, imm, bits, Kind::kind, Group::g, Since::v),
#define PACKET(n, m, code, bits, kind, g, v)                                                \
  table::memory(#n, m, code, bits, Kind::kind,                                              \
                Kind::kind == Kind::LdInd ? kSrc | kImm : kImm, Source::K, Group::g, Since::v),
#define LD64(n, m, s, src, g, v) table::lddw(#n, m, s, src, Group::g, Since::v),
#define FLOW(n, m, s, code, src, fields, kind, g, v)                                        \
  table::flow(#n, m, s, code, src, fields, Kind::kind, Group::g, Since::v),
#include "isa/ebpf.def"
    // clang-format on
    OpInfo{.name = "LddwHigh", .code = 0, .kind = Kind::LddwHigh},
};

constexpr const OpInfo& info(Op op) {
  return kOpInfo[static_cast<std::size_t>(op)];
}

constexpr s64 jump_distance(const Insn& insn) {
  const bool in_imm = insn.op == Op::Ja32 || insn.op == Op::CallLocal;
  return in_imm ? insn.imm : insn.off;
}

}  // namespace skep::isa::ebpf
