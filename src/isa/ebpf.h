// SPDX-License-Identifier: Apache-2.0
// The vocabulary of extended BPF after decoding: a dense operation for every thing an instruction
// can be (a signed division or a map-descriptor load is an operation of its own, not a flag), the
// decoded instruction, and a table of facts for each operation. All of it is made from ebpf.def.
//
//   bytes --decode--> Insn[] (one a slot of 8 bytes, so index == pc) --> everything else
//
// Source: RFC 9669, include/uapi/linux/bpf.h.  Tested by ebpf_test.cc
#pragma once

#include <array>
#include <compare>
#include <string_view>

#include "support/ints.h"

namespace skep::isa::ebpf {

/// Number of a decoded operation.
enum class Op : u16 {
#define ALU(name, ...) name##32K, name##32X, name##64K, name##64X,
#define MOVSX(name, ...) name##X32, name##X64,
#define MOVSX64(name, ...) name##X64,
#define UNARY(name, ...) name##32, name##64,
#define END(name, ...) name,
#define JMP(name, ...) name##32K, name##32X, name##64K, name##64X,
#define LDX(name, ...) name,
#define LDXSX(name, ...) name,
#define ST(name, ...) name,
#define STX(name, ...) name,
#define ATOMIC(name, ...) name##32, name##64,
#define ACQREL(name, ...) name,
#define PACKET(name, ...) name,
#define LD64(name, ...) name,
#define FLOW(name, ...) name,
#include "isa/ebpf.def"
  LddwHigh,  ///< second slot of a 64-bit constant; never executed
};

constexpr std::size_t kOpCount = static_cast<std::size_t>(Op::LddwHigh) + 1;

/// What an ALU operation computes, whatever its width and source.
enum class AluOp : u8 {
#define ALU(name, ...) name,
#include "isa/ebpf.def"
};

/// What a conditional jump compares.
enum class JmpOp : u8 {
#define JMP(name, ...) name,
#include "isa/ebpf.def"
};

/// Byte order changes; to_le and to_be depend on the host, bswap does not.
enum class EndOp : u8 {
#define END(name, ...) name,
#include "isa/ebpf.def"
};

/// Read-modify-write operations.
enum class AtomicOp : u8 {
#define ATOMIC(name, ...) name,
#include "isa/ebpf.def"
};

/// The family of an operation; one case each in a dispatch that does not care for the details.
enum class Kind : u8 {
  Alu,           ///< OpInfo::alu, width, source
  MovSx,         ///< OpInfo::from_bits to width
  Neg,           ///< width
  End,           ///< OpInfo::end
  Jmp,           ///< OpInfo::jmp, width, source
  Ldx,           ///< width; zero-extends
  LdxSx,         ///< width; sign-extends to 64 bits
  St,            ///< width
  Stx,           ///< width
  Atomic,        ///< OpInfo::atomic, width
  LoadAcquire,   ///< width; dst = *(src + off)
  StoreRelease,  ///< width; *(dst + off) = src
  LdAbs,         ///< width
  LdInd,         ///< width
  Lddw,          ///< first slot of a 64-bit constant of any sort
  LddwHigh,      ///< its second slot
  Ja,            ///< distance in off (Ja) or imm (Ja32): see jump_distance()
  Call,          ///< helper number in imm
  CallLocal,     ///< distance in imm
  CallKfunc,     ///< BTF id in imm, module index in off
  Exit,
  MayGoto,
};

/// Where the second operand comes from.
enum class Source : u8 { None, K, X };

/// RFC 9669's conformance groups, section 2.4; the number is in OpInfo::width.
enum class Group : u8 { Base, DivMul, Atomic, Packet };

/// clang's -mcpu level that brought the operation; V5: Linux after 6.6.
enum class Since : u8 { V1 = 1, V2, V3, V4, V5 };

/// The field that tells operations of the same opcode byte apart.
enum class Selector : u8 { None, Off, Imm, Src };

/// Bits of OpInfo::fields: which fields mean something; all others must be zero.
enum Field : u8 { kDst = 1, kSrc = 2, kOff = 4, kImm = 8 };

constexpr u8 kRegisterCount = 11;  ///< r0..r10
constexpr u8 kFramePointer = 10;   ///< r10 is read-only
constexpr u32 kStackBytes = 512;   ///< a frame's stack
constexpr u32 kMaxFrames = 8;      ///< nested BPF-to-BPF calls, the first function included

/// Facts about an operation.
struct OpInfo {
  std::string_view name = {};      ///< the enumerator's name
  std::string_view mnemonic = {};  ///< bpf_conformance's notation, without width and source
  std::string_view symbol = {};    ///< the kernel's and LLVM's notation
  u8 code = 0;                     ///< opcode byte
  Kind kind = Kind::Alu;
  Selector selector = Selector::None;
  s32 selected = 0;  ///< the selector field's value for this operation
  u8 fields = 0;     ///< Field bits
  u8 width = 64;     ///< bits computed on, compared, loaded or stored
  u8 from_bits = 0;  ///< MovSx: bits of the source that count
  Source source = Source::None;
  AluOp alu = AluOp::Add;
  JmpOp jmp = JmpOp::Jeq;
  EndOp end = EndOp::ToLe16;
  AtomicOp atomic = AtomicOp::AtomicAdd;
  bool fetch = false;  ///< Atomic: the old value goes to src (CmpXchg: to r0)
  Group group = Group::Base;
  Since since = Since::V1;
};

/// Facts about op; constant time, usable in constant expressions (ebpf_info.h has the table).
constexpr const OpInfo& info(Op op);

/// A decoded instruction. pc counts slots of 8 bytes, so a program's Insn at index i is at pc i.
struct Insn {
  Op op = Op::Exit;
  u8 dst = 0;
  u8 src = 0;
  s16 off = 0;
  s64 imm = 0;  ///< sign-extended 32 bits; Lddw*: the whole constant, as stored in the two slots
  bool operator==(const Insn&) const = default;
};
static_assert(sizeof(Insn) == 16);

/// The slots that a jump moves on from the one after it, for Jmp, Ja, CallLocal and MayGoto.
constexpr s64 jump_distance(const Insn& insn);

}  // namespace skep::isa::ebpf

#include "isa/ebpf_info.h"
