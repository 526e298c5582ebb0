// SPDX-License-Identifier: Apache-2.0
// Tested by tests/verify, tests/kernel
#include "verify/precision.h"

#include "support/assert.h"
#include "verify/trace.h"

namespace skep::verify {
namespace {

using isa::ebpf::AluOp;
using isa::ebpf::AtomicOp;
using isa::ebpf::Insn;
using isa::ebpf::Kind;
using isa::ebpf::OpInfo;
using isa::ebpf::Source;

constexpr u32 kArguments = 0x3e;    // r1..r5
constexpr u32 kCallerSaved = 0x3f;  // r0..r5
constexpr u32 kMaxSlots = 64;

u32 bit(u32 reg) {
  return u32{1} << reg;
}

// The slot that r10 + off lies in.
std::optional<u32> slot_of(s32 off) {
  const s32 slot = (-off - 1) / static_cast<s32>(kSlotSize);
  if (slot < 0 || slot >= static_cast<s32>(kMaxSlots)) return std::nullopt;
  return static_cast<u32>(slot);
}

Back back_over_load(const Insn& insn, u32 loaded, u32 base, Wanted& wanted) {
  if ((wanted.regs & bit(loaded)) == 0) return Back::Ok;
  wanted.regs &= ~bit(loaded);
  // A load through another pointer can only have filled the register with any number.
  if (base != isa::ebpf::kFramePointer) return Back::Ok;
  const std::optional<u32> slot = slot_of(insn.off);
  if (!slot) return Back::Bug;
  wanted.slots |= u64{1} << *slot;
  return Back::Ok;
}

Back back_over_store(const Insn& insn, bool from_register, Wanted& wanted) {
  if ((wanted.regs & bit(insn.dst)) != 0) return Back::Unknown;
  if (insn.dst != isa::ebpf::kFramePointer) return Back::Ok;
  const std::optional<u32> slot = slot_of(insn.off);
  if (!slot) return Back::Bug;
  const u64 mask = u64{1} << *slot;
  if ((wanted.slots & mask) == 0) return Back::Ok;
  wanted.slots &= ~mask;
  if (from_register) wanted.regs |= bit(insn.src);
  return Back::Ok;
}

Back back_over_alu(const Insn& insn, const OpInfo& facts, Wanted& wanted) {
  if ((wanted.regs & bit(insn.dst)) == 0) return Back::Ok;
  const bool moves = facts.kind == Kind::MovSx || facts.alu == AluOp::Mov;
  if (moves) wanted.regs &= ~bit(insn.dst);
  if (facts.source == Source::X) wanted.regs |= bit(insn.src);
  return Back::Ok;
}

bool calls_back(u32 number) {
  return number == helper::kForEachMapElem || number == helper::kTimerSetCallback ||
         number == helper::kFindVma || number == helper::kLoop ||
         number == helper::kUserRingbufDrain;
}

Back back_over_call(const Insn& insn, Wanted& wanted) {
  if (calls_back(static_cast<u32>(insn.imm))) return Back::Unknown;
  wanted.regs &= ~bit(0);
  return (wanted.regs & kCallerSaved) != 0 ? Back::Bug : Back::Ok;
}

}  // namespace

Back step_back(const Insn& insn, Wanted& wanted) {
  const OpInfo& facts = isa::ebpf::info(insn.op);
  switch (facts.kind) {
    case Kind::Alu:
    case Kind::MovSx: return back_over_alu(insn, facts, wanted);
    case Kind::Neg:
    case Kind::End:
    case Kind::LddwHigh:
    case Kind::Ja:
    case Kind::MayGoto: return Back::Ok;
    case Kind::Ldx:
    case Kind::LdxSx:
    case Kind::LoadAcquire: return back_over_load(insn, insn.dst, insn.src, wanted);
    case Kind::Atomic:
      if (!facts.fetch) return back_over_store(insn, true, wanted);
      return back_over_load(insn, facts.atomic == AtomicOp::CmpXchg ? 0 : insn.src, insn.dst,
                            wanted);
    case Kind::St: return back_over_store(insn, false, wanted);
    case Kind::Stx:
    case Kind::StoreRelease: return back_over_store(insn, true, wanted);
    case Kind::Jmp:
      if (facts.source == Source::X && (wanted.regs & (bit(insn.dst) | bit(insn.src))) != 0) {
        wanted.regs |= bit(insn.dst) | bit(insn.src);
      }
      return Back::Ok;
    case Kind::Lddw: wanted.regs &= ~bit(insn.dst); return Back::Ok;
    case Kind::LdAbs:
    case Kind::LdInd:
      if ((wanted.regs & bit(0)) == 0) return Back::Ok;
      wanted.regs &= ~bit(0);
      return Back::Unknown;
    case Kind::Call: return back_over_call(insn, wanted);
    case Kind::CallLocal:
    case Kind::CallKfunc:
    case Kind::Exit: return Back::Unknown;
  }
  unreachable();
}

namespace {

// Every number of the states above may have mattered.
void mark_all_above(const State& state) {
  for (State* s = state.parent; s != nullptr; s = s->parent) {
    for (u32 f = 0; f <= s->top; ++f) {
      for (Reg& reg : s->frames[f]->regs) {
        if (reg.is_scalar()) reg.precise = true;
      }
      for (Slot& slot : s->frames[f]->stack) {
        if (slot.is_spill() && slot.spilled.is_scalar()) slot.spilled.precise = true;
      }
    }
  }
}

// Steps back along the jumps of one state.
class Trail {
 public:
  Trail(const State& state, u32 last) : state_(state), jumps_(state.jumps.size()), pc_(last) {}
  u32 pc() const { return pc_; }
  /// Moves to the instruction before; false at the state's first one.
  bool back() {
    if (pc_ == state_.first_pc) {
      if (jumps_ == 0) return false;
      if (jumps_ == 1 && state_.jumps[0].to == pc_) return false;
    }
    if (jumps_ != 0 && state_.jumps[jumps_ - 1].to == pc_) {
      pc_ = state_.jumps[--jumps_].from;
    } else {
      --pc_;
    }
    return true;
  }

 private:
  const State& state_;
  std::size_t jumps_;
  u32 pc_;
};

// Marks what is wanted in a remembered state; what turns out to be no number is wanted no more.
// Returns whether anything was not marked before; nothing, if a slot was never allocated.
std::optional<bool> mark_wanted(Frame& frame, Wanted& wanted) {
  bool is_new = false;
  for (u32 r = 0; r < isa::ebpf::kRegisterCount; ++r) {
    if ((wanted.regs & bit(r)) == 0) continue;
    Reg& reg = frame.regs[r];
    if (!reg.is_scalar()) {
      wanted.regs &= ~bit(r);
      continue;
    }
    is_new |= !reg.precise;
    reg.precise = true;
  }
  for (u32 s = 0; s < kMaxSlots; ++s) {
    const u64 mask = u64{1} << s;
    if ((wanted.slots & mask) == 0) continue;
    if (s >= frame.stack.size()) return std::nullopt;
    Slot& slot = frame.stack[s];
    if (!slot.is_spill() || !slot.spilled.is_scalar()) {
      wanted.slots &= ~mask;
      continue;
    }
    is_new |= !slot.spilled.precise;
    slot.spilled.precise = true;
  }
  return is_new;
}

// At the start of a function that is checked on its own: arguments may be wanted, nothing else.
bool mark_arguments(const State& state, const Wanted& wanted) {
  Frame& frame = *state.frames[0];
  const bool on_its_own = state.top == 0 && frame.subprog != 0 && frame.callsite == kNoCallsite;
  if (!on_its_own || wanted.slots != 0 || (wanted.regs & ~kArguments) != 0) return false;
  for (u32 r = 1; r <= 5; ++r) {
    if ((wanted.regs & bit(r)) != 0 && frame.regs[r].is_scalar()) frame.regs[r].precise = true;
  }
  return true;
}

// Goes back through one state. Done: everything wanted was found.
enum class Stage : u8 { Goes, Done, Bug };

Stage back_through(Walk& walk, const State& state, u32 last, bool skip_first, Wanted& wanted) {
  Trail trail(state, last);
  for (;;) {
    if (!skip_first) {
      trace_back_insn(walk, trail.pc(), wanted.regs, wanted.slots);
      switch (step_back(walk.insns[trail.pc()], wanted)) {
        case Back::Ok: break;
        case Back::Unknown: mark_all_above(state); return Stage::Done;
        case Back::Bug: return Stage::Bug;
      }
    }
    skip_first = false;
    if (wanted.nothing()) return Stage::Done;
    if (!trail.back()) return Stage::Goes;
    if (trail.pc() >= walk.insns.size()) return Stage::Bug;
  }
}

Check mark_chain(Walk& walk, u32 frame, Wanted wanted) {
  const State* state = walk.current.get();
  u32 last = walk.pc;
  bool first = true;
  for (;;) {
    trace_back_range(walk, last, state->first_pc);
    if (last == kNoPc) {
      if (mark_arguments(*state, wanted)) return {};
      return walk.fail<Msg::BugBacktrackEntry>(state->frames[0]->subprog, wanted.regs,
                                               wanted.slots);
    }
    switch (back_through(walk, *state, last, first, wanted)) {
      case Stage::Goes: break;
      case Stage::Done: return {};
      case Stage::Bug: return walk.fail<Msg::BugBacktrack>(wanted.regs, wanted.slots);
    }
    first = false;
    state = state->parent;
    if (state == nullptr || frame > state->top) return {};
    const std::optional<bool> is_new = mark_wanted(*state->frames[frame], wanted);
    if (!is_new) {
      mark_all_above(*state);
      return {};
    }
    trace_back_parent(walk, *state->frames[frame], *is_new, wanted.regs, wanted.slots);
    if (wanted.nothing() || !*is_new) return {};
    last = state->last_pc;
  }
}

Check mark_reg(Walk& walk, u32 frame, u32 number) {
  if (!walk.rights.bpf) return {};
  SKEP_ASSERT(walk.current->frames[frame]->regs[number].is_scalar());
  return mark_chain(walk, frame, {bit(number), 0});
}

Check mark_slot(Walk& walk, u32 frame, u32 number) {
  if (!walk.rights.bpf) return {};
  const Frame& f = *walk.current->frames[frame];
  if (number >= f.stack.size()) return {};
  const Slot& slot = f.stack[number];
  if (!slot.is_spill() || !slot.spilled.is_scalar()) return {};
  return mark_chain(walk, frame, {0, u64{1} << number});
}

bool decided(const Reg& reg) {
  return reg.is_scalar() && reg.precise && (reg.live & kLiveRead) != 0;
}

}  // namespace

Check mark_precise(Walk& walk, u32 number) {
  return mark_reg(walk, walk.current->top, number);
}

Check propagate_precision(Walk& walk, const State& old) {
  for (u32 f = old.top + 1; f-- > 0;) {
    const Frame& frame = *old.frames[f];
    for (u32 r = 0; r < isa::ebpf::kFramePointer; ++r) {
      // The current register may be a pointer where old's number was any number at all.
      if (!decided(frame.regs[r]) || !walk.current->frames[f]->regs[r].is_scalar()) continue;
      SKEP_TRY_DO(mark_reg(walk, f, r));
    }
    for (u32 s = 0; s < frame.stack.size(); ++s) {
      if (!frame.stack[s].is_spill() || !decided(frame.stack[s].spilled)) continue;
      SKEP_TRY_DO(mark_slot(walk, f, s));
    }
  }
  return {};
}

void forget_precision(State& state) {
  for (u32 f = 0; f <= state.top; ++f) {
    for (Reg& reg : state.frames[f]->regs) {
      if (reg.is_scalar()) reg.precise = false;
    }
    for (Slot& slot : state.frames[f]->stack) {
      if (slot.is_spill() && slot.spilled.is_scalar()) slot.spilled.precise = false;
    }
  }
}

}  // namespace skep::verify
