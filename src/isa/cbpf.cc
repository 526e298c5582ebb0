// SPDX-License-Identifier: Apache-2.0
// Decoder and encoder of classic BPF: two small tables made from cbpf.def at compile time, one by
// opcode and one by ancillary number.
// Tested by cbpf_test.cc
#include "isa/cbpf.h"

namespace skep::isa::cbpf {
namespace {

constexpr u8 kNone = 0xff;
constexpr u16 kModeAndClass = 0xe7;  // all but the size bits
constexpr u16 kSizeBits = 0x18;
constexpr u16 kLoadAbsolute = 0x20;
constexpr u32 kAncStep = 4;

struct Tables {
  std::array<u8, 256> by_code{};
  std::array<u8, 16> by_anc{};
};

consteval Tables make_tables() {
  Tables tables;
  tables.by_code.fill(kNone);
  tables.by_anc.fill(kNone);
  for (std::size_t i = 0; i < kOpCount; ++i) {
    const OpInfo& row = kInfo[i];
    if (row.kind == Kind::Anc)
      tables.by_anc[(row.offset - kAncBase) / kAncStep] = static_cast<u8>(i);
    else
      tables.by_code[row.code] = static_cast<u8>(i);
  }
  return tables;
}

constexpr Tables kTables = make_tables();

}  // namespace

std::optional<Insn> decode(const RawInsn& raw) {
  if (raw.code > 0xff || kTables.by_code[raw.code] == kNone) return std::nullopt;
  Insn insn{static_cast<Op>(kTables.by_code[raw.code]), 0, raw.jt, raw.jf, raw.k};
  const u32 anc = raw.k - kAncBase;
  const bool absolute = (raw.code & kModeAndClass) == kLoadAbsolute;
  if (absolute && anc % kAncStep == 0 && anc / kAncStep < kTables.by_anc.size() &&
      kTables.by_anc[anc / kAncStep] != kNone) {
    insn.op = static_cast<Op>(kTables.by_anc[anc / kAncStep]);
    insn.size = static_cast<u8>(raw.code & kSizeBits);
  }
  return insn;
}

RawInsn encode(const Insn& insn) {
  const OpInfo& row = info(insn.op);
  if (row.kind == Kind::Anc)
    return {static_cast<u16>(row.code | insn.size), insn.jt, insn.jf, row.offset};
  return {row.code, insn.jt, insn.jf, insn.k};
}

}  // namespace skep::isa::cbpf
