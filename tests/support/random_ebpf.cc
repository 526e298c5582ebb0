// SPDX-License-Identifier: Apache-2.0
// The generator of random eBPF programs: statements are chosen at random and nest (conditions,
// loops); whatever a statement needs to be valid it emits itself.
#include "tests/support/random_ebpf.h"

#include <array>

namespace skep::testing {
namespace {

using isa::ebpf::info;
using isa::ebpf::Insn;
using isa::ebpf::Kind;
using isa::ebpf::Op;
using isa::ebpf::OpInfo;
using isa::ebpf::Source;

constexpr u8 kFirst = 0, kLast = 8;  // the registers that hold numbers
constexpr u8 kMemory = 9;
constexpr u8 kFrame = isa::ebpf::kFramePointer;
constexpr s16 kArea = 64;       // bytes of stack, from r10 - 64 on, that programs play with
constexpr s16 kSpill = -72;     // where r9 is kept sometimes
constexpr s16 kCounters = -80;  // loop counters, downwards
constexpr u32 kMaxNesting = 3;
constexpr std::array<s64, 14> kInteresting = {
    0, 1, -1, 2, 7, 31, 63, 64, 255, 0x7fff, 0x7fffffff, -0x80000000LL, 0x55555555, -2};

/// The operations of a kind.
std::vector<Op> ops_of(std::initializer_list<Kind> kinds) {
  std::vector<Op> ops;
  for (std::size_t i = 0; i < isa::ebpf::kOpCount; ++i) {
    const Op op = static_cast<Op>(i);
    for (const Kind kind : kinds)
      if (info(op).kind == kind) ops.push_back(op);
  }
  return ops;
}

class Generator {
 public:
  Generator(Random& random, const RandomEbpfOptions& options)
      : random_(random), options_(options) {}

  std::vector<Insn> program() {
    const u32 count = options_.functions;
    for (u32 i = 0; i <= count; ++i) {
      function_starts_.push_back(size());
      function(i);
    }
    for (const auto& [at, callee] : calls_)
      code_[at].imm = s64{function_starts_[callee]} - s64{at} - 1;
    return std::move(code_);
  }

 private:
  u32 pick(std::size_t n) { return random_.below(static_cast<u32>(n)); }
  bool chance(u32 percent) { return random_.chance(percent); }
  u8 number_register() { return static_cast<u8>(kFirst + pick(kLast - kFirst + 1)); }
  u32 size() const { return static_cast<u32>(code_.size()); }

  s32 immediate() {
    if (chance(50)) return static_cast<s32>(kInteresting[pick(kInteresting.size())]);
    return static_cast<s32>(random_.word());
  }

  Insn& emit(Op op, u8 dst = 0, u8 src = 0, s16 off = 0, s64 imm = 0) {
    code_.push_back({.op = op, .dst = dst, .src = src, .off = off, .imm = imm});
    return code_.back();
  }

  void constant(u8 dst) {
    if (chance(70)) {
      emit(Op::Mov64K, dst, 0, 0, immediate());
      return;
    }
    emit(Op::Lddw, dst, 0, 0, static_cast<s64>(random_.next()));
    emit(Op::LddwHigh);
  }

  // Function 0 is the program; each one may call those after it, so calls end.
  void function(u32 index) {
    function_ = index;
    if (options_.memory_bytes != 0) emit(Op::Mov64X, kMemory, 1);
    for (u8 r = kFirst; r <= kLast; ++r) {
      const bool argument = index != 0 && r >= 2 && r <= 5;
      if (!argument) constant(r);
    }
    for (s16 off = -kArea; off < 0; off = static_cast<s16>(off + 8))
      emit(Op::StxDw, kFrame, number_register(), off);
    statements(index == 0 ? options_.statements : options_.statements / 3, 0);
    // Linux refuses code that nothing can reach.
    if (index == 0)
      for (u32 i = 1; i <= options_.functions; ++i) call_function(i);
    fold();
    emit(Op::Exit);
  }

  // r0 = a mix of all numbers and of the stack area.
  void fold() {
    for (u8 r = 1; r <= kLast; ++r) {
      emit(Op::Mul64K, 0, 0, 0, 31);
      emit(Op::Xor64X, 0, r);
    }
    for (s16 off = -kArea; off < 0; off = static_cast<s16>(off + 8)) {
      emit(Op::LdxDw, 1, kFrame, off);
      emit(Op::Mul64K, 0, 0, 0, 31);
      emit(Op::Add64X, 0, 1);
    }
    emit(Op::Mov64X, 1, 0);  // the kernel returns the low half only
    emit(Op::Rsh64K, 1, 0, 0, 32);
    emit(Op::Xor64X, 0, 1);
  }

  void statements(u32 count, u32 nesting) {
    for (u32 i = 0; i < count; ++i) statement(nesting);
  }

  void statement(u32 nesting) {
    const u32 kind = pick(100);
    if (kind < 45) return arithmetic();
    if (kind < 65) return access();
    if (kind < 72) return atomic();
    if (kind < 75) return constant(number_register());
    if (kind < 78) return spill();
    if (kind < 90) return nesting < kMaxNesting ? condition(nesting) : arithmetic();
    if (kind < 94) return nesting < kMaxNesting ? loop(nesting) : access();
    if (kind < 97) return call(nesting);
    return packet_or_may_goto();
  }

  void arithmetic() {
    static const std::vector<Op> kOps = ops_of({Kind::Alu, Kind::MovSx, Kind::Neg, Kind::End});
    const Op op = kOps[pick(kOps.size())];
    const OpInfo& facts = info(op);
    Insn& insn = emit(op, number_register());
    if (facts.source == Source::X) insn.src = number_register();
    if (facts.source == Source::K) insn.imm = operand(facts);
  }

  // Linux refuses constant shifts by the width or more and constant division by 0.
  s64 operand(const OpInfo& facts) {
    using isa::ebpf::AluOp;
    switch (facts.alu) {
      case AluOp::Lsh:
      case AluOp::Rsh:
      case AluOp::Arsh: return pick(facts.width);
      case AluOp::Div:
      case AluOp::Mod:
      case AluOp::SDiv:
      case AluOp::SMod: {
        const s32 divisor = immediate();
        return divisor == 0 ? 3 : divisor;
      }
      case AluOp::Add:
      case AluOp::Sub:
      case AluOp::Mul:
      case AluOp::Or:
      case AluOp::And:
      case AluOp::Xor:
      case AluOp::Mov: return immediate();
    }
    return 0;
  }

  /// Where an access goes: a base register, the bytes there are, the offset of the first one.
  struct Area {
    u8 base;
    u32 bytes;
    s16 start;
  };

  Area area() {
    if (options_.memory_bytes != 0 && chance(50)) return {kMemory, options_.memory_bytes, 0};
    return {kFrame, kArea, -kArea};
  }

  // An offset of the area for an access of some bytes.
  s16 offset_in(const Area& place, u32 bytes, bool aligned) {
    const u32 step = aligned ? bytes : 1;
    return static_cast<s16>(place.start +
                            static_cast<s16>(step * pick((place.bytes - bytes) / step + 1)));
  }

  void access() {
    static const std::vector<Op> kOps = ops_of({Kind::Ldx, Kind::LdxSx, Kind::St, Kind::Stx});
    Area place = area();
    const Op op = kOps[pick(kOps.size())];
    const u32 bytes = info(op).width / 8u;
    s16 off = offset_in(place, bytes, !options_.unaligned);
    u8 pointer = place.base;
    if (chance(25)) {  // through a computed pointer
      pointer = number_register();
      const u8 index = static_cast<u8>(pointer == kFirst ? kLast : kFirst);
      emit(Op::Mov64X, pointer, place.base);
      emit(Op::And64K, index, 0, 0, static_cast<s64>(place.bytes / 2 - 1) & -8);
      emit(Op::Add64X, pointer, index);
      place.bytes /= 2;
      off = offset_in(place, bytes, !options_.unaligned);
    }
    memory_op(op, pointer, off);
    if (pointer == place.base) return;
    constant(pointer);
  }

  void memory_op(Op op, u8 pointer, s16 off) {
    const Kind kind = info(op).kind;
    u8 value = number_register();
    if (value == pointer) value = static_cast<u8>(pointer == kFirst ? kLast : kFirst);
    if (kind == Kind::Ldx || kind == Kind::LdxSx || kind == Kind::LoadAcquire) {
      emit(op, value, pointer, off);
    } else if (kind == Kind::St) {
      emit(op, pointer, 0, off, immediate());
    } else {
      emit(op, pointer, value, off);
    }
  }

  void atomic() {
    static const std::vector<Op> kOps = ops_of({Kind::Atomic});
    static const std::vector<Op> kOrdered = ops_of({Kind::LoadAcquire, Kind::StoreRelease});
    const bool ordered = options_.acquire_release && chance(30);
    const Op op = ordered ? kOrdered[pick(kOrdered.size())] : kOps[pick(kOps.size())];
    const Area place = area();
    memory_op(op, place.base, offset_in(place, info(op).width / 8u, true));
  }

  // r9 goes to the stack and comes back.
  void spill() {
    if (options_.memory_bytes == 0) return arithmetic();
    emit(Op::StxDw, kFrame, kMemory, kSpill);
    const u8 scratch = number_register();
    emit(Op::Mov64K, kMemory, 0, 0, 0);
    emit(Op::LdxDw, scratch, kFrame, kSpill);
    emit(Op::Mov64X, kMemory, scratch);
    constant(scratch);
  }

  void condition(u32 nesting) {
    static const std::vector<Op> kOps = ops_of({Kind::Jmp});
    const Op op = kOps[pick(kOps.size())];
    const u32 at = size();
    Insn& insn = emit(op, number_register());
    if (info(op).source == Source::X) {
      insn.src = number_register();
    } else {
      insn.imm = immediate();
    }
    statements(1 + pick(4), nesting + 1);
    if (chance(50)) {  // an else branch
      const u32 over = size();
      emit(chance(50) ? Op::Ja : Op::Ja32);
      land_here(at);
      statements(1 + pick(4), nesting + 1);
      land_here(over);
    } else {
      land_here(at);
    }
  }

  void land_here(u32 jump) {
    const u32 distance = size() - jump - 1;
    if (code_[jump].op == Op::Ja32) {
      code_[jump].imm = distance;
    } else {
      code_[jump].off = static_cast<s16>(distance);
    }
  }

  void loop(u32 nesting) {
    const s16 counter = static_cast<s16>(kCounters - 8 * static_cast<s16>(nesting));
    emit(Op::StDw, kFrame, 0, counter, 1 + pick(4));
    const u32 head = size();
    statements(1 + pick(4), nesting + 1);
    const u8 r = number_register();
    emit(Op::LdxDw, r, kFrame, counter);
    emit(Op::Add64K, r, 0, 0, -1);
    emit(Op::StxDw, kFrame, r, counter);
    emit(Op::Jne64K, r, 0, static_cast<s16>(s64{head} - s64{size()} - 1), 0);
  }

  // Only at the top level, so that the number of calls stays small.
  void call(u32 nesting) {
    if (nesting != 0 || function_ >= options_.functions) return arithmetic();
    call_function(function_ + 1 + pick(options_.functions - function_));
  }

  void call_function(u32 callee) {
    if (options_.memory_bytes != 0) emit(Op::Mov64X, 1, kMemory);
    calls_.push_back({size(), callee});
    emit(Op::CallLocal);
    for (u8 r = 1; r <= 5; ++r) constant(r);
  }

  void packet_or_may_goto() {
    static const std::vector<Op> kOps = ops_of({Kind::LdAbs, Kind::LdInd});
    if (options_.may_goto && chance(50)) {
      emit(Op::MayGoto, 0, 0, static_cast<s16>(1));
      emit(Op::Add64K, number_register(), 0, 0, 1);
      return;
    }
    if (!options_.packet_loads) return arithmetic();
    const Op op = kOps[pick(kOps.size())];
    const bool indirect = info(op).kind == Kind::LdInd;
    const u8 index = static_cast<u8>(7 + pick(2));
    if (indirect) emit(Op::And64K, index, 0, 0, 31);
    emit(op, 0, indirect ? index : u8{0}, 0, pick(16));
    for (u8 r = 1; r <= 5; ++r) constant(r);
  }

  Random& random_;
  const RandomEbpfOptions& options_;
  std::vector<Insn> code_;
  std::vector<u32> function_starts_;
  std::vector<std::pair<u32, u32>> calls_;  // where, to which function
  u32 function_ = 0;
};

}  // namespace

std::vector<Insn> random_ebpf(Random& random, const RandomEbpfOptions& options) {
  return Generator(random, options).program();
}

}  // namespace skep::testing
