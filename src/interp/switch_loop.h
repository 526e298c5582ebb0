// SPDX-License-Identifier: Apache-2.0
// The reference interpreter: a loop, a switch, one line an operation, made from ebpf.def. It is
// meant to be read; other engines are compared with it. It checks nothing but what cannot be left
// out: alignment of atomics and the number of frames. A template, so that tools can watch it.
// Its speed is that of one indirect jump for all operations, which processors predict badly: 40 to
// 65 times native code on one machine, as g++ happens to place things; a jump an operation would be
// 30 there, and the threaded interpreter over again.
// Tested by interp_test.cc
#pragma once

#include <optional>

#include "interp/frames.h"
#include "interp/meaning.h"
#include "runtime/outcome.h"
#include "runtime/packet.h"

namespace skep::interp {
namespace switch_loop {

inline u64 call_helper(const runtime::Helper& helper, const u64* r,
                       const runtime::RunInput& input) noexcept {
  return helper.call(r[1], r[2], r[3], r[4], r[5], input.helper_user(helper));
}

// LD_IND adds src to the constant in 32 bits; LD_ABS has no src and reads r0 as written here.
template <Op op>
std::optional<u64> load_legacy(const runtime::RunInput& input, const isa::ebpf::Insn& insn,
                               const u64* r) {
  constexpr bool indexed = isa::ebpf::info(op).kind == isa::ebpf::Kind::LdInd;
  const u32 offset = static_cast<u32>(insn.imm) + (indexed ? static_cast<u32>(r[insn.src]) : 0);
  return runtime::load_packet<Width<op>>(input, static_cast<s32>(offset));
}

/// Runs the program; on_insn(pc) is called before each instruction.
template <class OnInsn>
// NOLINTNEXTLINE(readability-function-size,readability-function-cognitive-complexity)
runtime::Outcome run(const runtime::Program& program, const runtime::RunInput& input,
                     OnInsn on_insn) noexcept {
  using isa::ebpf::Insn;
  using isa::ebpf::jump_distance;
  using isa::ebpf::kRegisterCount;
  using runtime::Trap;
  const Insn* const code = program.code().data();
  const runtime::Helper* const helpers = program.helpers().data();
  Frames<Insn> frames;
  u64 r[kRegisterCount] = {};
  r[1] = input.first_argument();
  r[2] = input.memory.size();
  r[isa::ebpf::kFramePointer] = frames.first_top();

  const auto pc_of = [code](const Insn* insn) { return static_cast<u32>(insn - code); };
  for (const Insn* insn = code;; ++insn) {
    on_insn(pc_of(insn));
    const std::size_t dst = insn->dst;
    const std::size_t src = insn->src;
    const u64 imm = static_cast<u64>(insn->imm);
    const u64 off = static_cast<u64>(s64{insn->off});
    // Spares the compiler a range check before the jump through the table.
    if (static_cast<std::size_t>(insn->op) >= isa::ebpf::kOpCount) unreachable();
    switch (insn->op) {
      // clang-format off
#define COMPUTE(name, operand) \
      case Op::name: r[dst] = compute<Op::name>(r[dst], operand); continue;
#define ALU(name, ...) COMPUTE(name##32K, imm) COMPUTE(name##32X, r[src]) \
                       COMPUTE(name##64K, imm) COMPUTE(name##64X, r[src])
#define MOVSX(name, ...) COMPUTE(name##X32, r[src]) COMPUTE(name##X64, r[src])
#define MOVSX64(name, ...) COMPUTE(name##X64, r[src])
#define UNARY(name, ...) COMPUTE(name##32, 0) COMPUTE(name##64, 0)
#define END(name, ...) COMPUTE(name, 0)

#define BRANCH(name, operand) \
      case Op::name: if (taken<Op::name>(r[dst], operand)) insn += insn->off; continue;
#define JMP(name, ...) BRANCH(name##32K, imm) BRANCH(name##32X, r[src]) \
                       BRANCH(name##64K, imm) BRANCH(name##64X, r[src])

#define LDX(name, ...) case Op::name: r[dst] = load<Op::name>(r[src] + off); continue;
#define LDXSX(name, ...) LDX(name)
#define ST(name, ...) case Op::name: store<Op::name>(r[dst] + off, imm); continue;
#define STX(name, ...) case Op::name: store<Op::name>(r[dst] + off, r[src]); continue;

#define ATOMICALLY(name) \
      case Op::name: if (atomic<Op::name>(r, insn->dst, insn->src, insn->off)) continue; \
                     return {.r0 = 0, .trap = Trap::Misaligned, .pc = pc_of(insn)};
#define ATOMIC(name, ...) ATOMICALLY(name##32) ATOMICALLY(name##64)
#define ACQREL(name, ...) ATOMICALLY(name)

      // Kernel: a load outside of the packet returns 0 from the running function.
#define PACKET(name, ...) \
      case Op::name: \
        if (const auto x = load_legacy<Op::name>(input, *insn, r)) { r[0] = *x; continue; } \
        r[0] = 0; \
        break;

      // The other constants are refused by Program::make.
#define LD64(name, ...) case Op::name: r[dst] = imm; ++insn; continue;
#include "isa/ebpf.def"
      // clang-format on
      case Op::Ja:
      case Op::Ja32: insn += jump_distance(*insn); continue;
      case Op::MayGoto:
        if (frames.loops_used_up()) insn += insn->off;
        continue;
      case Op::Call: r[0] = call_helper(helpers[insn->off], r, input); continue;
      case Op::CallLocal:
        if (!frames.enter(r, insn)) {
          return {.r0 = 0, .trap = Trap::StackOverflow, .pc = pc_of(insn)};
        }
        insn += insn->imm;
        continue;
      case Op::Exit: break;
      case Op::CallKfunc:
      case Op::LddwHigh: unreachable();
    }
    const Insn* const call = frames.leave(r);
    if (call == nullptr) return {.r0 = r[0], .trap = Trap::None, .pc = pc_of(insn)};
    insn = call;
  }
}

}  // namespace switch_loop
}  // namespace skep::interp
