// SPDX-License-Identifier: Apache-2.0
// Tested by tests/verify, tests/kernel
#include "verify/walk.h"

#include <algorithm>

#include "support/assert.h"
#include "verify/liveness.h"
#include "verify/prune.h"
#include "verify/record.h"
#include "verify/subprog.h"
#include "verify/trace.h"

namespace skep::verify {

Walk::Walk(const WalkInput& walk_input, const World& walk_world)
    : input(walk_input),
      world(walk_world),
      insns(walk_input.insns),
      rights(walk_input.rights),
      notes(walk_input.insns.size()),
      facts(walk_input.insns.size()),
      declaration_unreliable(walk_input.functions.size()),
      buckets(std::max<std::size_t>(walk_input.insns.size(), 1)) {}

Check Walk::read(u32 number) {
  touched.regs |= u32{1} << number;
  const Reg& r = reg(number);
  if (r.kind == RegKind::NotInit) return fail<Msg::ReadUninit>(number);
  if (number != isa::ebpf::kFramePointer) mark_read(*this, r);
  return {};
}

Check Walk::write(u32 number) {
  touched.regs |= u32{1} << number;
  if (number == isa::ebpf::kFramePointer) return fail<Msg::FramePointerReadOnly>();
  reg(number).live |= kLiveWritten;
  return {};
}

Check Walk::write_unknown(u32 number) {
  SKEP_TRY_DO(write(number));
  set_unknown(reg(number));
  return {};
}

void Walk::clear_caller_saved() {
  for (u32 r = 0; r < 6; ++r) {
    reg(r).set_not_init();
    reg(r).live |= kLiveWritten;
    touched.regs |= u32{1} << r;
  }
}

const SourceLine* Walk::source_line(u32 at) const {
  const auto next = std::upper_bound(input.lines.begin(), input.lines.end(), at,
                                     [](u32 x, const SourceLine& l) { return x < l.pc; });
  return next == input.lines.begin() ? nullptr : &*(next - 1);
}

State* Walk::put_aside(u32 to, u32 from, bool speculative) {
  if (pending.size() + 1 > kMaxPending) return nullptr;
  std::unique_ptr<State> state;
  if (free_states.empty()) {
    state = std::make_unique<State>();
  } else {
    state = std::move(free_states.back());
    free_states.pop_back();
  }
  pool.copy(*state, *current);
  state->speculative |= speculative;
  if (state->parent != nullptr) ++state->parent->branches;
  pending.push_back({std::move(state), to, from, trace.text.size()});
  return pending.back().state.get();
}

bool Walk::take_pending() {
  if (pending.empty()) return false;
  Pending next = std::move(pending.back());
  pending.pop_back();
  pool.drop(*current);
  free_states.push_back(std::move(current));
  current = std::move(next.state);
  pc = next.pc;
  prev_pc = next.from;
  // Level 1: what went well is not shown.
  if (input.log_level < 2) trace.text.resize(std::min(trace.text.size(), next.log_bytes));
  touched = {};
  return true;
}

std::optional<u32> Walk::subprog_at(u32 start) const {
  const auto at = std::lower_bound(subprogs.begin(), subprogs.end(), start,
                                   [](const Subprog& s, u32 x) { return s.start < x; });
  if (at == subprogs.end() || at->start != start) return std::nullopt;
  return static_cast<u32>(at - subprogs.begin());
}

namespace {

// The current path ended: states that have no other path left are complete.
void end_path(State& state) {
  for (State* s = &state; s != nullptr; s = s->parent) {
    if (--s->branches != 0) break;
  }
}

void init_frame(Walk& walk, u32 subprog) {
  Frame& frame = *walk.current->frames[0];
  frame = Frame{};
  frame.subprog = subprog;
  for (Reg& reg : frame.regs) {
    reg.set_not_init();
    reg.precise = walk.always_precise();
  }
  frame.regs[isa::ebpf::kFramePointer].set_pointer(RegKind::Stack);
}

Check walk_paths(Walk& walk) {
  for (;;) {
    if (walk.pc >= walk.insns.size()) return walk.fail<Msg::BugPc>(walk.pc, walk.insns.size());
    if (++walk.stats.insns_processed > walk.input.max_steps) {
      return walk.fail<Msg::TooLarge>(walk.stats.insns_processed);
    }
    bool done = false;
    SKEP_TRY_DO(meet_states(walk, done));
    if (done) {
      trace_covered(walk, walk.trace.starts_path);
    } else {
      trace_step(walk);
      record_reached(walk);
      walk.prev_pc = walk.pc;
      SKEP_TRY_DO(step(walk, done));
    }
    if (done) {
      end_path(*walk.current);
      if (!walk.take_pending()) return {};
      walk.trace.starts_path = true;
    }
  }
}

}  // namespace

Check walk_subprog(Walk& walk, u32 subprog) {
  walk.current = std::make_unique<State>();
  State& state = *walk.current;
  state.frames[0] = walk.pool.take();
  state.branches = 1;
  walk.pc = walk.subprogs[subprog].start;
  walk.prev_pc = kNoPc;
  state.first_pc = walk.pc;
  state.last_pc = kNoPc;
  init_frame(walk, subprog);
  SKEP_TRY_DO(set_arguments(walk, subprog));
  SKEP_TRY_DO(walk_paths(walk));  // a refusal leaves the state for the report
  for (auto& list : walk.buckets) {
    for (auto& entry : list) walk.pool.drop(entry->state);
    list.clear();
  }
  for (auto& entry : walk.forgotten) walk.pool.drop(entry->state);
  walk.forgotten.clear();
  walk.pool.drop(*walk.current);
  return {};
}

}  // namespace skep::verify
