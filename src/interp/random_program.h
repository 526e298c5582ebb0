// SPDX-License-Identifier: Apache-2.0
// Random programs for tests that compare engines: scalars in r0-r9, loads and stores in a part of
// the stack that was written first, forward jumps only, so every engine must end them with the
// same r0. Operations and registers are drawn so that the fused runs of the threaded interpreter
// occur often. The same seed gives the same program on every machine.
#pragma once

#include <random>
#include <vector>

#include "isa/ebpf.h"

namespace skep::interp {

class RandomProgram {
 public:
  explicit RandomProgram(u32 seed) : random_(seed) {}

  /// A program of about body instructions plus set-up and end.
  std::vector<isa::ebpf::Insn> make(std::size_t body) {
    using isa::ebpf::Op;
    code_.clear();
    for (u8 reg = 0; reg < 10; ++reg) {
      code_.push_back({.op = Op::Lddw, .dst = reg, .imm = static_cast<s64>(random_word())});
      code_.push_back({.op = Op::LddwHigh});
    }
    for (s16 off = -kStackBytes; off < 0; off = static_cast<s16>(off + 8)) {
      code_.push_back({.op = Op::StxDw, .dst = 10, .src = register_number(), .off = off});
    }
    const std::size_t end = code_.size() + body;
    while (code_.size() < end) add_random(end);
    for (u8 reg = 1; reg < 10; ++reg) {
      code_.push_back({.op = Op::Mul64K, .dst = 0, .imm = 0x01000193});
      code_.push_back({.op = Op::Xor64X, .dst = 0, .src = reg});
    }
    code_.push_back({.op = Op::Exit});
    return code_;
  }

 private:
  static constexpr s16 kStackBytes = 64;

  u32 below(u32 limit) { return static_cast<u32>(random_() % limit); }
  u64 random_word() {
    switch (below(4)) {
      case 0: return below(70);
      case 1: return ~u64{below(70)};
      case 2: return u64{1} << below(64);
      default: return (u64{random_()} << 32) | random_();
    }
  }
  u8 register_number() { return static_cast<u8>(below(10)); }

  void add_random(std::size_t end) {
    using isa::ebpf::Insn;
    using isa::ebpf::Kind;
    using isa::ebpf::Op;
    using isa::ebpf::Source;
    Insn insn{.op = static_cast<Op>(below(static_cast<u32>(isa::ebpf::kOpCount)))};
    // Runs on one register are what gets fused.
    if (below(3) != 0) insn.op = kFavourites[below(static_cast<u32>(std::size(kFavourites)))];
    const isa::ebpf::OpInfo& facts = info(insn.op);
    insn.dst = below(2) == 0 ? last_dst_ : register_number();
    if (facts.source == Source::X) insn.src = register_number();
    if (facts.source == Source::K) insn.imm = static_cast<s32>(random_word());
    switch (facts.kind) {
      case Kind::MovSx: insn.src = register_number(); break;
      case Kind::Alu:
      case Kind::Neg:
      case Kind::End: break;
      case Kind::Jmp:
        insn.off = static_cast<s16>(
            below(static_cast<u32>(std::min<std::size_t>(end - code_.size(), 12))));
        break;
      case Kind::Ldx:
      case Kind::LdxSx:
        insn.src = 10;
        insn.off = stack_offset(facts.width / 8);
        break;
      case Kind::St:
      case Kind::Stx:
        insn.dst = 10;
        insn.off = stack_offset(facts.width / 8);
        break;
      default: return;  // kinds that this generator leaves out
    }
    if (insn.dst < 10) last_dst_ = insn.dst;
    code_.push_back(insn);
  }

  s16 stack_offset(int bytes) {
    const int slots = kStackBytes / bytes;
    return static_cast<s16>(-bytes * (1 + static_cast<int>(below(static_cast<u32>(slots)))));
  }

  static constexpr isa::ebpf::Op kFavourites[] = {
      isa::ebpf::Op::Mov64X, isa::ebpf::Op::Mov32X, isa::ebpf::Op::Add64X, isa::ebpf::Op::Add64K,
      isa::ebpf::Op::Lsh64K, isa::ebpf::Op::Rsh64K, isa::ebpf::Op::Or64X,  isa::ebpf::Op::Add32X,
      isa::ebpf::Op::Lsh32K, isa::ebpf::Op::Rsh32K, isa::ebpf::Op::Or32X,  isa::ebpf::Op::Xor32X,
      isa::ebpf::Op::LdxB,   isa::ebpf::Op::LdxDw,  isa::ebpf::Op::Mul64X, isa::ebpf::Op::Jne64K};

  std::mt19937 random_;
  std::vector<isa::ebpf::Insn> code_;
  u8 last_dst_ = 0;
};

}  // namespace skep::interp
