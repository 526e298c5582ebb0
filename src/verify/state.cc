// SPDX-License-Identifier: Apache-2.0
// Copying and recycling states.
// Tested by tests/verify, tests/kernel
#include "verify/state.h"

namespace skep::verify {

Frame* FramePool::take() {
  if (free_.empty()) {
    all_.push_back(std::make_unique<Frame>());
    return all_.back().get();
  }
  Frame* const frame = free_.back();
  free_.pop_back();
  return frame;
}

void FramePool::copy(State& to, const State& from) {
  for (u32 f = from.top + 1; f <= to.top; ++f) {
    if (to.frames[f] == nullptr) continue;
    give(to.frames[f]);
    to.frames[f] = nullptr;
  }
  for (u32 f = 0; f <= from.top; ++f) {
    if (to.frames[f] == nullptr) to.frames[f] = take();
    const std::size_t room = to.frames[f]->stack.capacity();
    *to.frames[f] = *from.frames[f];
    account_slots(to.frames[f]->stack.capacity() - room);
  }
  to.top = from.top;
  to.parent = from.parent;
  to.branches = from.branches;
  to.first_pc = from.first_pc;
  to.last_pc = from.last_pc;
  to.lock_id = from.lock_id;
  to.speculative = from.speculative;
  to.jumps = from.jumps;
}

void FramePool::drop(State& state) {
  for (Frame*& frame : state.frames) {
    if (frame != nullptr) give(frame);
    frame = nullptr;
  }
  state.top = 0;
}

}  // namespace skep::verify
