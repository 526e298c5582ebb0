// SPDX-License-Identifier: Apache-2.0
// What handlers of the threaded interpreter are made of, besides meaning.h: operations on records
// instead of values, and runs of them.  Tested by interp_test.cc, threaded_test.cc
#pragma once

#include <array>

#include "interp/meaning.h"
#include "interp/threaded.h"
#include "runtime/packet.h"

namespace skep::interp::threaded {

inline u32 pc_of(const State& state, const Record* record) noexcept {
  return static_cast<u32>(record - state.code);
}

inline const Record* jump_target(const Record* record) noexcept {
  return reinterpret_cast<const Record*>(reinterpret_cast<const u8*>(record) + record->jump);
}

inline u64 call_helper(const runtime::Helper& helper, const u64* r,
                       const runtime::RunInput& input) noexcept {
  return helper.call(r[1], r[2], r[3], r[4], r[5], input.helper_user(helper));
}

/// What dst becomes when it holds v; the operation must be one that writes dst.
template <Op op>
[[gnu::always_inline]] inline u64 next_value(u64 v, const u64* r, const Record* i) noexcept {
  using isa::ebpf::Kind;
  constexpr isa::ebpf::OpInfo facts = isa::ebpf::info(op);
  if constexpr (facts.kind == Kind::Ldx || facts.kind == Kind::LdxSx) {
    return load<op>(r[i->src] + static_cast<u64>(s64{i->off}));
  } else if constexpr (facts.kind == Kind::Lddw) {
    return static_cast<u64>(i->imm);
  } else if constexpr (facts.source == isa::ebpf::Source::X) {
    return compute<op>(v, r[i->src]);
  } else {
    return compute<op>(v, static_cast<u64>(i->imm));
  }
}

/// How an operation of a fused run uses the result of the one before it.
enum class Link : u8 {
  then,  ///< through the registers, as any two operations
  same,  ///< writes (or, a jump, tests) the same register and reads it as dst only
  addr,  ///< a load whose address and dst it is
  base,  ///< a load whose address it is
};

/// An operation of a fused run.
struct Step {
  Link link;
  Op op;
};

/// Whether the first of the steps takes the value before it without its being stored.
template <Step... steps>
constexpr bool keeps_value() noexcept {
  if constexpr (sizeof...(steps) == 0) {
    return false;
  } else {
    constexpr Step next = std::array{steps...}[0];
    const bool jump = isa::ebpf::info(next.op).kind == isa::ebpf::Kind::Jmp;
    return next.link == Link::addr || (next.link == Link::same && !jump);
  }
}

/// Does a run of operations, the first with record i. A result that the next one takes by `same` or
/// `addr` is not stored: it stays in a register of the machine. Returns whether the run ends with a
/// jump that is taken.
template <Step step, Step... rest>
[[gnu::always_inline]] inline bool run_steps(u64* r, const Record* i, u64 v = 0) noexcept {
  using isa::ebpf::Kind;
  constexpr isa::ebpf::OpInfo facts = isa::ebpf::info(step.op);
  const u64 dst = step.link == Link::same ? v : r[i->dst];
  if constexpr (facts.kind == Kind::Jmp) {
    constexpr bool x = facts.source == isa::ebpf::Source::X;
    return taken<step.op>(dst, x ? r[i->src] : static_cast<u64>(i->imm));
  } else if constexpr (facts.kind == Kind::Stx) {
    store<step.op>(dst + static_cast<u64>(s64{i->off}), r[i->src]);
  } else {
    if constexpr (step.link == Link::addr || step.link == Link::base) {
      v = load<step.op>(v + static_cast<u64>(s64{i->off}));
    } else {
      v = next_value<step.op>(dst, r, i);
    }
    if constexpr (!keeps_value<rest...>()) r[i->dst] = v;
  }
  if constexpr (sizeof...(rest) != 0) return run_steps<rest...>(r, i + 1, v);
  return false;
}

/// Rotations as compilers write them, perhaps behind an xor that makes what is rotated:
///
///   xors: xor x, y | copies 1: mov t, x | rsh t, k | lsh x, n | or x, t
///                  | copies 2: mov t, x | rsh t, k | mov u, x | lsh u, n | or u, t
template <unsigned width, unsigned copies, unsigned xors>
struct Rotation {
  static constexpr bool wide = width == 64;
  static constexpr Op kXor = wide ? Op::Xor64X : Op::Xor32X;
  static constexpr Op kMov = wide ? Op::Mov64X : Op::Mov32X;
  static constexpr Op kRsh = wide ? Op::Rsh64K : Op::Rsh32K;
  static constexpr Op kLsh = wide ? Op::Lsh64K : Op::Lsh32K;
  static constexpr Op kOr = wide ? Op::Or64X : Op::Or32X;
  static constexpr std::size_t kLength = xors + 3 + copies;

  /// Whether code begins with one.
  static bool fits(std::span<const isa::ebpf::Insn> code) noexcept {
    if (code.size() < kLength) return false;
    const isa::ebpf::Insn* i = code.data();
    const u8 x = i[xors].src;
    if (xors != 0 && (i->op != kXor || i->dst != x)) return false;
    i += xors;
    const u8 t = i[0].dst;
    if (i[0].op != kMov || t == x || i[1].op != kRsh || i[1].dst != t) return false;
    i += 2;
    u8 u = x;
    if (copies == 2) {
      u = i->dst;
      if (i->op != kMov || i->src != x || u == t) return false;
      ++i;
    }
    return i[0].op == kLsh && i[0].dst == u && i[1].op == kOr && i[1].dst == u && i[1].src == t;
  }

  [[gnu::always_inline]] static inline void run(u64* r, const Record* i) noexcept {
    u64 x = r[i[xors].src];
    if constexpr (xors != 0) {
      x = compute<kXor>(x, r[i->src]);
      r[i->dst] = x;
      ++i;
    }
    const Record* const left = i + 1 + copies;
    const u64 t = compute<kRsh>(x, static_cast<u64>(i[1].imm));
    r[i->dst] = t;
    r[left->dst] = compute<kOr>(compute<kLsh>(x, static_cast<u64>(left->imm)), t);
  }
};

/// LD_ABS or LD_IND into r0; false, with r0 = 0, outside of the packet. LD_IND adds src to the
/// constant in 32 bits.
template <Op op>
bool load_legacy(const Record& i, u64* r, const runtime::RunInput& input) noexcept {
  constexpr bool indexed = isa::ebpf::info(op).kind == isa::ebpf::Kind::LdInd;
  const u32 offset = static_cast<u32>(i.imm) + (indexed ? static_cast<u32>(r[i.src]) : 0);
  const auto bytes = runtime::load_packet<Width<op>>(input, static_cast<s32>(offset));
  r[0] = bytes.value_or(0);
  return bytes.has_value();
}

/// Leaves the running function: where its caller goes on, or nullptr, with the outcome set, when it
/// was the first.
inline const Record* leave_function(u64* r, const Record* exit, State& state) noexcept {
  const Record* back = state.frames.leave(r);
  if (back == nullptr) {
    state.outcome = {.r0 = r[0], .trap = runtime::Trap::None, .pc = pc_of(state, exit)};
  }
  return back;
}

}  // namespace skep::interp::threaded
