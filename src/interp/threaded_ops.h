// SPDX-License-Identifier: Apache-2.0
// What handlers of the threaded interpreter are made of, besides meaning.h: operations on records
// instead of values, and runs of them.  Tested by interp_test.cc, threaded_test.cc
#pragma once

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

inline u64 call_helper(const runtime::Helper& helper, const u64* r) noexcept {
  return helper.call(r[1], r[2], r[3], r[4], r[5], helper.user);
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

/// Does the operation of record i.
template <Op op>
[[gnu::always_inline]] inline void one(u64* r, const Record* i) noexcept {
  r[i->dst] = next_value<op>(r[i->dst], r, i);
}

/// Does the operations of the records from i on, which all write one register.
template <Op... ops>
[[gnu::always_inline]] inline void chain(u64* r, const Record* i) noexcept {
  u64 v = r[i->dst];
  const Record* at = i;
  ((v = next_value<ops>(v, r, at++)), ...);
  r[i->dst] = v;
}

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
