// SPDX-License-Identifier: Apache-2.0
// Tested by tests/verify, tests/kernel
#include "verify/liveness.h"

#include <algorithm>

namespace skep::verify {
namespace {

// `reg` was read; its link to `parent` counts unless reg was written after the parent state.
void carry_back(Walk& walk, const Reg* reg, Reg* parent, bool respect_writes) {
  u32 states = 0;
  while (parent != nullptr) {
    if (respect_writes && (reg->live & kLiveWritten) != 0) break;
    if ((parent->live & kLiveRead) != 0) break;
    parent->live |= kLiveRead;
    reg = parent;
    parent = reg->parent;
    respect_writes = true;
    ++states;
  }
  walk.stats.longest_read_walk = std::max(walk.stats.longest_read_walk, states);
}

void propagate(Walk& walk, const Reg& old, Reg& current) {
  if ((old.live & kLiveRead) == 0 || (current.live & kLiveRead) != 0) return;
  // The current register itself counts as the first parent.
  carry_back(walk, &old, &current, false);
}

}  // namespace

void mark_read(Walk& walk, const Reg& reg) {
  carry_back(walk, &reg, reg.parent, true);
}

void propagate_reads(Walk& walk, const State& old) {
  State& state = *walk.current;
  for (u32 f = 0; f <= state.top; ++f) {
    Frame& frame = *state.frames[f];
    const Frame& old_frame = *old.frames[f];
    // A caller's r0..r5 are gone.
    for (u32 r = f < state.top ? 6 : 0; r < isa::ebpf::kFramePointer; ++r) {
      propagate(walk, old_frame.regs[r], frame.regs[r]);
    }
    const std::size_t slots = std::min(frame.stack.size(), old_frame.stack.size());
    for (std::size_t s = 0; s < slots; ++s) {
      propagate(walk, old_frame.stack[s].spilled, frame.stack[s].spilled);
    }
  }
}

void clean(State& state) {
  if ((state.frames[0]->regs[0].live & kLiveDone) != 0) return;
  for (u32 f = 0; f <= state.top; ++f) {
    Frame& frame = *state.frames[f];
    for (u32 r = 0; r < isa::ebpf::kFramePointer; ++r) {
      Reg& reg = frame.regs[r];
      if ((reg.live & kLiveRead) == 0) reg.set_not_init();
      reg.live |= kLiveDone;
    }
    for (Slot& slot : frame.stack) {
      if ((slot.spilled.live & kLiveRead) == 0) {
        slot.spilled.set_not_init();
        slot.bytes.fill(ByteKind::Invalid);
      }
      slot.spilled.live |= kLiveDone;
    }
  }
}

}  // namespace skep::verify
