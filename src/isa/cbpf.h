// SPDX-License-Identifier: Apache-2.0
// The vocabulary of classic BPF after decoding: a dense operation for every thing an instruction
// can be (each of Linux's ancillary loads is one, not an offset to be compared again), the decoded
// instruction, and a table of facts for each operation. All of it is made from cbpf.def.
//
//   RawInsn[] (struct sock_filter) --decode--> Insn[], same index --> checker, VMs, printers
//
// Decoding asks only whether an encoding exists; which of them a program may use, and with what
// operands, is the checker's business (cbpf/check.h), because the rule sets differ.
// Source: McCanne and Jacobson 1993, include/uapi/linux/filter.h.  Tested by cbpf_test.cc
#pragma once

#include <optional>
#include <string_view>

#include "support/ints.h"
#include "support/result.h"

namespace skep::isa::cbpf {

/// An instruction as programs are stored and exchanged; the layout of struct sock_filter.
struct RawInsn {
  u16 code = 0;
  u8 jt = 0;
  u8 jf = 0;
  u32 k = 0;
  bool operator==(const RawInsn&) const = default;
};
static_assert(sizeof(RawInsn) == 8);

/// Number of a decoded operation.
enum class Op : u8 {
#define OP(name, ...) name,
#define ALU(name, ...) name##K, name##X,
#define JMP(name, ...) name##K, name##X,
#define ANC(name, ...) name,
#include "isa/cbpf.def"
};

constexpr std::size_t kOpCount = 0
#define OP(name, ...) +1
#define ALU(name, ...) +2
#define JMP(name, ...) +2
#define ANC(name, ...) +1
#include "isa/cbpf.def"
    ;

/// How an operand is written in text.
enum class Operand : u8 {
  None,
  Hex,     ///< #0x1f
  Dec,     ///< #31
  X,       ///< x
  A,       ///< the accumulator
  Abs,     ///< [k]
  Ind,     ///< [x + k]
  Len,     ///< #pktlen, len
  Mem,     ///< M[k]
  Msh,     ///< 4*([k]&0xf)
  Target,  ///< an instruction
  Anc,     ///< a keyword
};

/// The family of an operation.
enum class Kind : u8 { Plain, AluK, AluX, JmpK, JmpX, Anc };

constexpr u32 kMemWords = 16;                ///< scratch memory, in 32-bit words
constexpr u32 kAncBase = 0u - 0x1000;        ///< SKF_AD_OFF: ancillary loads start here
constexpr u32 kNetworkBase = 0u - 0x100000;  ///< SKF_NET_OFF: relative to the network header
constexpr u32 kLinkBase = 0u - 0x200000;     ///< SKF_LL_OFF: relative to the link-layer header

/// Facts about an operation.
struct OpInfo {
  std::string_view name;      ///< the enumerator's name
  std::string_view mnemonic;  ///< Anc: the keyword of "ld KEYWORD", "" if there is none
  u16 code = 0;               ///< opcode; Anc: as written by default, a word load
  Operand operand = Operand::None;
  Kind kind = Kind::Plain;
  u32 offset = 0;            ///< Anc: the k that selects it
  std::string_view listing;  ///< Anc: as tcpdump -d writes it, "ld [LISTING]"
};

/// Facts about op.
constexpr const OpInfo& info(Op op);

/// A decoded instruction; index == pc. Unused fields keep what the program had, as kernels do not
/// look at them: encode(decode(x)) == x.
struct Insn {
  Op op = Op::RetK;
  u8 size = 0;  ///< Anc: the opcode's size bits (bpf_asm's `ldb proto` differs from `ld proto`)
  u8 jt = 0;
  u8 jf = 0;
  u32 k = 0;
  bool operator==(const Insn&) const = default;
};
static_assert(sizeof(Insn) == 8);

constexpr bool is_jump(Op op) {
  const Kind kind = info(op).kind;
  return kind == Kind::JmpK || kind == Kind::JmpX;
}
constexpr bool is_return(Op op) {
  return op == Op::RetK || op == Op::RetA;
}

/// The operation that raw encodes, or nothing. Packet loads at SKF_AD_OFF + a known number are
/// ancillary loads whatever their size, as in Linux.
std::optional<Insn> decode(const RawInsn& raw);
/// The encoding of insn.
RawInsn encode(const Insn& insn);

}  // namespace skep::isa::cbpf

#include "isa/cbpf_info.h"
