// SPDX-License-Identifier: Apache-2.0
// What each operation of classic BPF computes, on top of semantics.h: eBPF took its 32-bit
// arithmetic and comparisons from here. The three rule sets agree but for these:
//
//                              Linux, seccomp              libpcap
//   shift by X >= 32           count modulo 32             0
//   X + k of an indirect load  wraps at 32 bits, signed    does not wrap
//   negative offsets           headers and metadata        out of range
//
// Division and modulo by X = 0 and a load out of range end the program with 0 in all of them.
// Source: net/core/filter.c (bpf_convert_filter), kernel/seccomp.c; libpcap's bpf_filter().
// Tested by cbpf_test.cc
#pragma once

#include <limits>

#include "isa/semantics.h"

namespace skep::isa::cbpf {

/// Which system's meaning and limits a program has.
enum class Rules : u8 { Linux, Libpcap, Seccomp };

using AluOp = ebpf::AluOp;  ///< what an ALU row computes: the same name in ebpf.def
using JmpOp = ebpf::JmpOp;  ///< what a JMP row compares: the same name in ebpf.def

/// True if `A op X` ends the program with 0 where X is 0.
constexpr bool ends_at_zero(AluOp op) {
  return op == AluOp::Div || op == AluOp::Mod;
}

/// a op b; extended BPF's meaning but for libpcap's shifts. Division by 0 is the caller's case.
constexpr u32 eval(Rules rules, AluOp op, u32 a, u32 b) {
  const bool shift = op == AluOp::Lsh || op == AluOp::Rsh;
  if (rules == Rules::Libpcap && shift && b >= 32) return 0;
  return ebpf::eval<u32>(op, a, b);
}

/// True if the jump is taken to jt.
constexpr bool holds(JmpOp op, u32 a, u32 b) {
  return ebpf::holds<u32>(op, a, b);
}

/// -a.
constexpr u32 negate(u32 a) {
  return ebpf::negate<u32>(a);
}

/// The length of an IPv4 header in bytes, from its first byte.
constexpr u32 header_length(u8 first) {
  return (first & 0xfu) * 4;
}

/// An offset that no packet has.
constexpr u32 kNowhere = std::numeric_limits<u32>::max();

/// The offset of an indirect load, kNowhere where X + k does not exist.
constexpr u32 indirect(Rules rules, u32 x, u32 k) {
  const u32 sum = x + k;
  return rules == Rules::Libpcap && sum < x ? kNowhere : sum;
}

}  // namespace skep::isa::cbpf
