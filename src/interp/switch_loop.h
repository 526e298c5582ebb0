// SPDX-License-Identifier: Apache-2.0
// The reference interpreter: a loop, a switch, one line an operation, made from ebpf.def. It is
// meant to be read; other engines are compared with it. It checks nothing but what cannot be left
// out: alignment of atomics and the number of frames. A template, so that tools can watch it.
// Tested by interp_test.cc
#pragma once

#include <optional>

#include "interp/frames.h"
#include "interp/meaning.h"
#include "runtime/outcome.h"
#include "runtime/packet.h"

namespace skep::interp {
namespace switch_loop {

inline u64 call_helper(const runtime::Helper& helper, const u64* r) noexcept {
  return helper.call(r[1], r[2], r[3], r[4], r[5], helper.user);
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
  r[1] = input.memory.empty() ? 0 : runtime::to_address(input.memory.data());
  r[2] = input.memory.size();
  r[isa::ebpf::kFramePointer] = frames.first_top();

  const auto pc_of = [code](const Insn* insn) { return static_cast<u32>(insn - code); };
  for (const Insn* next = code;;) {
    const Insn& insn = *next++;
    on_insn(pc_of(&insn));
    const unsigned dst = insn.dst;
    const unsigned src = insn.src;
    const u64 imm = static_cast<u64>(insn.imm);
    const u64 off = static_cast<u64>(s64{insn.off});
    switch (insn.op) {
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
      case Op::name: if (taken<Op::name>(r[dst], operand)) next += insn.off; continue;
#define JMP(name, ...) BRANCH(name##32K, imm) BRANCH(name##32X, r[src]) \
                       BRANCH(name##64K, imm) BRANCH(name##64X, r[src])

#define LDX(name, ...) case Op::name: r[dst] = load<Op::name>(r[src] + off); continue;
#define LDXSX(name, ...) LDX(name)
#define ST(name, ...) case Op::name: store<Op::name>(r[dst] + off, imm); continue;
#define STX(name, ...) case Op::name: store<Op::name>(r[dst] + off, r[src]); continue;

#define ATOMICALLY(name) \
      case Op::name: if (atomic<Op::name>(r, dst, src, insn.off)) continue; \
                     return {.r0 = 0, .trap = Trap::Misaligned, .pc = pc_of(&insn)};
#define ATOMIC(name, ...) ATOMICALLY(name##32) ATOMICALLY(name##64)
#define ACQREL(name, ...) ATOMICALLY(name)

      // Kernel: a load outside of the packet returns 0 from the running function.
#define PACKET(name, ...) \
      case Op::name: \
        if (const auto bytes = load_legacy<Op::name>(input, insn, r)) { r[0] = *bytes; continue; } \
        r[0] = 0; \
        break;

      // The other constants are refused by Program::make.
#define LD64(name, ...) case Op::name: r[dst] = imm; ++next; continue;
#include "isa/ebpf.def"
      // clang-format on
      case Op::Ja:
      case Op::Ja32: next += jump_distance(insn); continue;
      case Op::MayGoto:
        if (frames.loops_used_up()) next += insn.off;
        continue;
      case Op::Call: r[0] = call_helper(helpers[insn.off], r); continue;
      case Op::CallLocal:
        if (!frames.enter(r, next)) {
          return {.r0 = 0, .trap = Trap::StackOverflow, .pc = pc_of(&insn)};
        }
        next += insn.imm;
        continue;
      case Op::Exit: break;
      case Op::CallKfunc:
      case Op::LddwHigh: unreachable();
    }
    next = frames.leave(r);
    if (next == nullptr) return {.r0 = r[0], .trap = Trap::None, .pc = pc_of(&insn)};
  }
}

}  // namespace switch_loop
}  // namespace skep::interp
