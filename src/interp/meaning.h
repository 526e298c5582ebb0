// SPDX-License-Identifier: Apache-2.0
// Operations as functions of values, chosen at compile time: what isa/semantics.h says an operation
// computes, with widths and extension taken from its row. Every interpreter binds these to its own
// registers and records, so none of them repeats a meaning.
// Tested by interp_test.cc
#pragma once

#include <limits>

#include "isa/ebpf.h"
#include "isa/semantics.h"
#include "runtime/access.h"

namespace skep::interp {

using isa::ebpf::Op;

/// The unsigned integer of a width in bits.
template <unsigned bits>
struct Unsigned;
template <>
struct Unsigned<8> {
  using Type = u8;
};
template <>
struct Unsigned<16> {
  using Type = u16;
};
template <>
struct Unsigned<32> {
  using Type = u32;
};
template <>
struct Unsigned<64> {
  using Type = u64;
};

/// What op computes on or moves.
template <Op op>
using Width = typename Unsigned<isa::ebpf::info(op).width>::Type;

/// The new dst of an Alu, MovSx, Neg or End operation.
template <Op op>
[[gnu::always_inline]] constexpr u64 compute(u64 dst, u64 operand) noexcept {
  using isa::ebpf::Kind;
  constexpr Kind kind = isa::ebpf::info(op).kind;
  if constexpr (kind == Kind::Alu) {
    using T = Width<op>;
    return isa::ebpf::eval<T>(isa::ebpf::info(op).alu, static_cast<T>(dst),
                              static_cast<T>(operand));
  } else if constexpr (kind == Kind::MovSx) {
    using T = Width<op>;
    return isa::ebpf::sign_extend<T>(static_cast<T>(operand), isa::ebpf::info(op).from_bits);
  } else if constexpr (kind == Kind::Neg) {
    return isa::ebpf::negate<Width<op>>(static_cast<Width<op>>(dst));
  } else {
    static_assert(kind == Kind::End);
    return isa::ebpf::swap(isa::ebpf::info(op).end, dst);
  }
}

/// Whether the conditional jump op is taken.
template <Op op>
[[gnu::always_inline]] constexpr bool taken(u64 dst, u64 operand) noexcept {
  using T = Width<op>;
  return isa::ebpf::holds<T>(isa::ebpf::info(op).jmp, static_cast<T>(dst), static_cast<T>(operand));
}

/// What the Ldx or LdxSx operation puts into dst.
template <Op op>
[[gnu::always_inline]] inline u64 load(u64 address) noexcept {
  const u64 x = runtime::load_plain<Width<op>>(address);
  constexpr unsigned bits = isa::ebpf::info(op).width;
  return isa::ebpf::info(op).kind == isa::ebpf::Kind::LdxSx ? isa::ebpf::sign_extend<u64>(x, bits)
                                                            : x;
}

/// Does the St or Stx operation.
template <Op op>
[[gnu::always_inline]] inline void store(u64 address, u64 value) noexcept {
  runtime::store_plain<Width<op>>(address, static_cast<Width<op>>(value));
}

/// Does an Atomic, LoadAcquire or StoreRelease operation on registers r; false, with nothing done,
/// when the address is misaligned.
template <Op op>
[[gnu::always_inline]] inline bool atomic(u64* r, unsigned dst, unsigned src, s64 off) noexcept {
  using isa::ebpf::Kind;
  using T = Width<op>;
  constexpr isa::ebpf::OpInfo facts = isa::ebpf::info(op);
  const u64 address = r[facts.kind == Kind::LoadAcquire ? src : dst] + static_cast<u64>(off);
  if (!runtime::is_aligned<T>(address)) return false;
  if constexpr (facts.kind == Kind::LoadAcquire) {
    r[dst] = runtime::load_acquire<T>(address);
  } else if constexpr (facts.kind == Kind::StoreRelease) {
    runtime::store_release<T>(address, static_cast<T>(r[src]));
  } else {
    const T old =
        runtime::atomic<T>(facts.atomic, address, static_cast<T>(r[src]), static_cast<T>(r[0]));
    if constexpr (facts.fetch) {
      r[facts.atomic == isa::ebpf::AtomicOp::CmpXchg ? 0 : src] = old;
    }
  }
  return true;
}

}  // namespace skep::interp
