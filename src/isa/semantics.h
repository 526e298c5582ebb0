// SPDX-License-Identifier: Apache-2.0
// What each eBPF operation computes, written once. Interpreters, constant folders, the verifier's
// constants, the IR evaluator and the tests call these; nothing else in skep knows that division
// by zero gives zero or that shift counts are masked. With a constant operation the switch folds
// away, so calling eval(AluOp::Add, a, b) in a hot handler costs one add.
//
// T is u32 or u64; the result of a 32-bit operation is zero-extended by storing it in 64 bits.
// Source: RFC 9669 sections 4 and 5.  Tested by semantics_test.cc
#pragma once

#include <concepts>
#include <limits>
#include <type_traits>

#include "isa/ebpf.h"
#include "support/assert.h"
#include "support/bytes.h"

namespace skep::isa::ebpf {

template <class T>
concept Word = std::same_as<T, u32> || std::same_as<T, u64>;

/// The low from_bits (8, 16 or 32) of x, sign-extended to T.
template <Word T>
constexpr T sign_extend(T x, unsigned from_bits) {
  const unsigned shift = std::numeric_limits<T>::digits - from_bits;
  return static_cast<T>(static_cast<std::make_signed_t<T>>(x << shift) >> shift);
}

/// Signed division; x / 0 = 0 and the one overflow, MIN / -1, wraps to MIN.
template <Word T>
constexpr T signed_divide(T a, T b) {
  using S = std::make_signed_t<T>;
  if (b == 0) return 0;
  if (b == static_cast<T>(-1)) return T{0} - a;
  return static_cast<T>(static_cast<S>(a) / static_cast<S>(b));
}

/// Signed remainder with the dividend's sign; x % 0 = x and MIN % -1 = 0.
template <Word T>
constexpr T signed_remainder(T a, T b) {
  using S = std::make_signed_t<T>;
  if (b == 0) return a;
  if (b == static_cast<T>(-1)) return 0;
  return static_cast<T>(static_cast<S>(a) % static_cast<S>(b));
}

/// a OP b. Shifts use the low 5 or 6 bits of b; x / 0 = 0, x % 0 = x.
template <Word T>
constexpr T eval(AluOp op, T a, T b) {
  constexpr T kShiftMask = std::numeric_limits<T>::digits - 1;
  switch (op) {
    case AluOp::Add: return a + b;
    case AluOp::Sub: return a - b;
    case AluOp::Mul: return a * b;
    case AluOp::Div: return b == 0 ? 0 : a / b;
    case AluOp::Or: return a | b;
    case AluOp::And: return a & b;
    case AluOp::Lsh: return a << (b & kShiftMask);
    case AluOp::Rsh: return a >> (b & kShiftMask);
    case AluOp::Mod: return b == 0 ? a : a % b;
    case AluOp::Xor: return a ^ b;
    case AluOp::Mov: return b;
    case AluOp::Arsh:
      return static_cast<T>(static_cast<std::make_signed_t<T>>(a) >> (b & kShiftMask));
    case AluOp::SDiv: return signed_divide(a, b);
    case AluOp::SMod: return signed_remainder(a, b);
  }
  unreachable();
}

/// Two's complement negation.
template <Word T>
constexpr T negate(T a) {
  return T{0} - a;
}

/// Whether a conditional jump on a and b is taken.
template <Word T>
constexpr bool holds(JmpOp op, T a, T b) {
  using S = std::make_signed_t<T>;
  switch (op) {
    case JmpOp::Jeq: return a == b;
    case JmpOp::Jgt: return a > b;
    case JmpOp::Jge: return a >= b;
    case JmpOp::Jset: return (a & b) != 0;
    case JmpOp::Jne: return a != b;
    case JmpOp::Jsgt: return static_cast<S>(a) > static_cast<S>(b);
    case JmpOp::Jsge: return static_cast<S>(a) >= static_cast<S>(b);
    case JmpOp::Jlt: return a < b;
    case JmpOp::Jle: return a <= b;
    case JmpOp::Jslt: return static_cast<S>(a) < static_cast<S>(b);
    case JmpOp::Jsle: return static_cast<S>(a) <= static_cast<S>(b);
  }
  unreachable();
}

/// Byte order change of the low 16, 32 or 64 bits; the bits above them become 0.
constexpr u64 swap(EndOp op, u64 x, ByteOrder host = kHostOrder) {
  const bool little = host == ByteOrder::Little;
  const auto swap16 = [x] { return u64{byteswap(static_cast<u16>(x))}; };
  const auto swap32 = [x] { return u64{byteswap(static_cast<u32>(x))}; };
  switch (op) {
    case EndOp::ToLe16: return little ? static_cast<u16>(x) : swap16();
    case EndOp::ToLe32: return little ? static_cast<u32>(x) : swap32();
    case EndOp::ToLe64: return little ? x : byteswap(x);
    case EndOp::ToBe16: return little ? swap16() : static_cast<u16>(x);
    case EndOp::ToBe32: return little ? swap32() : static_cast<u32>(x);
    case EndOp::ToBe64: return little ? byteswap(x) : x;
    case EndOp::Bswap16: return swap16();
    case EndOp::Bswap32: return swap32();
    case EndOp::Bswap64: return byteswap(x);
  }
  unreachable();
}

/// What an atomic operation leaves in memory, from the old value there and the source register;
/// CmpXchg also needs r0, which it replaces by the old value.
template <Word T>
constexpr T eval(AtomicOp op, T old, T source, T r0) {
  switch (op) {
    case AtomicOp::AtomicAdd:
    case AtomicOp::FetchAdd: return old + source;
    case AtomicOp::AtomicOr:
    case AtomicOp::FetchOr: return old | source;
    case AtomicOp::AtomicAnd:
    case AtomicOp::FetchAnd: return old & source;
    case AtomicOp::AtomicXor:
    case AtomicOp::FetchXor: return old ^ source;
    case AtomicOp::Xchg: return source;
    case AtomicOp::CmpXchg: return old == r0 ? source : old;
  }
  unreachable();
}

}  // namespace skep::isa::ebpf
