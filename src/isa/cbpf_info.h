// SPDX-License-Identifier: Apache-2.0
// The table behind isa::cbpf::info(), made from cbpf.def. Part of cbpf.h; include that.
// Tested by cbpf_test.cc
#pragma once

#include <array>

namespace skep::isa::cbpf {

inline constexpr std::array<OpInfo, kOpCount> kInfo = {{
#define OP(name, mnemonic, code, operand) \
  {#name, mnemonic, code, Operand::operand, Kind::Plain, 0, ""},
#define ALU(name, mnemonic, code, operand)                          \
  {#name "K", mnemonic, code, Operand::operand, Kind::AluK, 0, ""}, \
      {#name "X", mnemonic, (code) + 8, Operand::X, Kind::AluX, 0, ""},
#define JMP(name, mnemonic, code, operand)                          \
  {#name "K", mnemonic, code, Operand::operand, Kind::JmpK, 0, ""}, \
      {#name "X", mnemonic, (code) + 8, Operand::X, Kind::JmpX, 0, ""},
#define ANC(name, keyword, listing, number, field) \
  {#name, keyword, 0x20, Operand::Anc, Kind::Anc, kAncBase + (number), listing},
#include "isa/cbpf.def"
}};

constexpr const OpInfo& info(Op op) {
  return kInfo[static_cast<std::size_t>(op)];
}

}  // namespace skep::isa::cbpf
