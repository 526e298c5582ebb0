// SPDX-License-Identifier: Apache-2.0
// Tested by tests/verify, tests/kernel
#include "verify/prune.h"

#include "verify/liveness.h"
#include "verify/precision.h"

namespace skep::verify {
namespace {

// Unknowns have ids; those of two states correspond if one mapping takes all of one's to the
// other's.
class IdMap {
 public:
  bool corresponds(u32 old_id, u32 current_id) {
    for (std::size_t i = 0; i < used_; ++i) {
      if (pairs_[i].old_id == old_id) return pairs_[i].current_id == current_id;
    }
    if (used_ == pairs_.size()) return false;
    pairs_[used_++] = {old_id, current_id};
    return true;
  }

 private:
  struct Pair {
    u32 old_id;
    u32 current_id;
  };
  std::array<Pair, isa::ebpf::kRegisterCount + isa::ebpf::kStackBytes / kSlotSize> pairs_;
  std::size_t used_ = 0;
};

bool scalar_covers(const Walk& walk, const Reg& old, const Reg& current) {
  if (walk.explores_limits || !current.is_scalar()) return false;
  return !old.precise || old.value.contains(current.value);
}

// Everything up to and without the id.
bool same_object(const Reg& a, const Reg& b) {
  return std::memcmp(&a, &b, offsetof(Reg, id)) == 0;
}

bool map_pointer_covers(const Reg& old, const Reg& current, IdMap& ids) {
  if (old.may_be_null()) {
    return current.may_be_null() && same_object(old, current) &&
           ids.corresponds(old.id, current.id);
  }
  return same_object(old, current) && old.value.contains(current.value);
}

bool packet_pointer_covers(const Reg& old, const Reg& current, IdMap& ids) {
  if (current.kind != old.kind || current.flags != old.flags) return false;
  const bool compared_with_end = old.range < 0 || current.range < 0;
  if (compared_with_end ? old.range != current.range : old.range > current.range) return false;
  if (old.off != current.off) return false;
  if (old.id != 0 && !ids.corresponds(old.id, current.id)) return false;
  return old.value.contains(current.value);
}

bool reg_covers(const Walk& walk, const Reg& old, const Reg& current, IdMap& ids) {
  if ((old.live & kLiveRead) == 0) return true;
  const bool same = same_meaning(old, current);
  if (old.is(RegKind::Stack)) return same && old.frame == current.frame;
  if (same || old.kind == RegKind::NotInit) return true;
  if (current.kind == RegKind::NotInit) return false;
  switch (old.kind) {
    case RegKind::Scalar: return scalar_covers(walk, old, current);
    case RegKind::MapKey:
    case RegKind::MapValue: return map_pointer_covers(old, current, ids);
    case RegKind::Packet:
    case RegKind::PacketMeta: return packet_pointer_covers(old, current, ids);
    case RegKind::NotInit:
    case RegKind::Ctx:
    case RegKind::MapPtr:
    case RegKind::Stack:
    case RegKind::PacketEnd:
    case RegKind::FlowKeys:
    case RegKind::Socket:
    case RegKind::SockCommon:
    case RegKind::TcpSock:
    case RegKind::XdpSock:
    case RegKind::TpBuffer:
    case RegKind::Btf:
    case RegKind::Mem:
    case RegKind::Buf:
    case RegKind::Func:
    case RegKind::Dynptr: return false;  // only if the same
  }
  return false;
}

bool byte_covers(const Walk& walk, ByteKind old, ByteKind current) {
  if (old == ByteKind::Invalid) return true;
  if (old == ByteKind::Misc && (walk.rights.uninit_stack || current == ByteKind::Zero)) return true;
  return old == current;
}

bool slot_covers(const Walk& walk, const Slot& old, const Slot* current, IdMap& ids) {
  if ((old.spilled.live & kLiveRead) == 0) return true;
  bool last_byte_compared = false;
  for (u32 i = 0; i < kSlotSize; ++i) {
    last_byte_compared = false;
    const ByteKind kind = old.bytes[i];
    if (kind == ByteKind::Invalid) continue;
    if (kind == ByteKind::Misc && walk.rights.uninit_stack) continue;
    if (current == nullptr) return false;
    if (!byte_covers(walk, kind, current->bytes[i])) return false;
    last_byte_compared = kind == current->bytes[i];
  }
  // A store that does not cover the lowest byte is no spill.
  if (!last_byte_compared || !old.is_spill()) return true;
  return reg_covers(walk, old.spilled, current->spilled, ids);
}

bool frame_covers(const Walk& walk, const Frame& old, const Frame& current) {
  IdMap ids;
  for (u32 r = 0; r < isa::ebpf::kRegisterCount; ++r) {
    if (!reg_covers(walk, old.regs[r], current.regs[r], ids)) return false;
  }
  for (std::size_t s = 0; s < old.stack.size(); ++s) {
    const Slot* const slot = s < current.stack.size() ? &current.stack[s] : nullptr;
    if (!slot_covers(walk, old.stack[s], slot, ids)) return false;
  }
  return old.references == current.references;
}

// A stricter and quicker comparison: every register of the running function is the same.
bool may_be_endless(const State& old, const State& current) {
  if (old.top != current.top) return false;
  for (u32 r = 0; r < isa::ebpf::kRegisterCount; ++r) {
    if (!same_meaning(old.current().regs[r], current.current().regs[r])) return false;
  }
  return true;
}

bool same_calls(const State& a, const State& b) {
  if (a.top != b.top) return false;
  for (u32 f = 0; f <= a.top; ++f) {
    if (a.frames[f]->callsite != b.frames[f]->callsite) return false;
  }
  return true;
}

std::list<std::unique_ptr<Remembered>>& bucket(Walk& walk, u32 pc) {
  return walk.buckets[(pc ^ walk.frame().callsite) % walk.buckets.size()];
}

// Remembered states whose every path was explored are reduced to what was read.
void clean_completed(Walk& walk, std::list<std::unique_ptr<Remembered>>& list) {
  for (auto& entry : list) {
    State& state = entry->state;
    if (state.branches == 0 && state.pc == walk.pc && same_calls(state, *walk.current)) {
      clean(state);
    }
  }
}

// Another start of an asynchronous callback is no loop.
bool is_other_async_start(const State& old, const State& current) {
  return old.current().in_async_callback &&
         old.current().async_entries != current.current().async_entries;
}

Check end_path(Walk& walk, const State& old) {
  propagate_reads(walk, old);
  record_jump(walk);
  return propagate_precision(walk, old);
}

// Links every register of the current state to its copy in the state just remembered.
void set_parents(State& current, State& remembered) {
  for (u32 f = 0; f <= current.top; ++f) {
    Frame& frame = *current.frames[f];
    Frame& copy = *remembered.frames[f];
    for (u32 r = 0; r < isa::ebpf::kFramePointer; ++r) {
      // A caller's r0..r5 are gone.
      if (f == current.top || r >= 6) frame.regs[r].parent = &copy.regs[r];
      frame.regs[r].live = kLiveNone;
    }
    for (std::size_t s = 0; s < frame.stack.size(); ++s) {
      frame.stack[s].spilled.live = kLiveNone;
      frame.stack[s].spilled.parent = &copy.stack[s].spilled;
    }
  }
}

Check remember(Walk& walk, std::list<std::unique_ptr<Remembered>>& list) {
  State& current = *walk.current;
  ++walk.stats.total_states;
  ++walk.stats.peak_states;
  walk.jumps_at_last_state = walk.jumps_processed;
  walk.insns_at_last_state = walk.stats.insns_processed;
  if (walk.rights.bpf) forget_precision(current);
  if (walk.pool.bytes() > walk.input.max_bytes) return walk.fail<Msg::OutOfMemory>();
  auto entry = std::make_unique<Remembered>();
  walk.pool.copy(entry->state, current);
  entry->state.pc = walk.pc;
  current.parent = &entry->state;
  current.first_pc = walk.pc;
  current.jumps.clear();
  set_parents(current, entry->state);
  list.push_front(std::move(entry));
  return {};
}

}  // namespace

void record_jump(Walk& walk) {
  if (walk.notes[walk.pc].jump_point) walk.current->jumps.push_back({walk.pc, walk.prev_pc});
}

bool covers(const Walk& walk, const State& old, const State& current) {
  if (!same_calls(old, current)) return false;
  if (old.speculative && !current.speculative) return false;
  if (old.lock_id != current.lock_id) return false;
  for (u32 f = 0; f <= old.top; ++f) {
    if (!frame_covers(walk, *old.frames[f], *current.frames[f])) return false;
  }
  return true;
}

Check meet_states(Walk& walk, bool& covered) {
  covered = false;
  State& current = *walk.current;
  current.last_pc = walk.prev_pc;
  if (!walk.notes[walk.pc].prune_point) {
    record_jump(walk);
    return {};
  }
  const u64 jumps = walk.jumps_processed - walk.jumps_at_last_state;
  const u64 insns = walk.stats.insns_processed - walk.insns_at_last_state;
  bool add = walk.input.remember_every_point || (jumps >= 2 && insns >= 8);
  auto& list = bucket(walk, walk.pc);
  clean_completed(walk, list);
  u32 seen = 0;
  for (auto it = list.begin(); it != list.end();) {
    Remembered& entry = **it;
    const State& old = entry.state;
    ++seen;
    if (old.pc != walk.pc) {
      ++it;
      continue;
    }
    if (old.branches != 0) {
      if (!is_other_async_start(old, current) && may_be_endless(old, current) &&
          covers(walk, old, current)) {
        return walk.fail<Msg::InfiniteLoop>(walk.pc);
      }
      // Unrolling a loop: remember a state now and then only.
      if (jumps < 20 && insns < 100) add = false;
    } else if (covers(walk, old, current)) {
      ++entry.hits;
      covered = true;
      return end_path(walk, old);
    }
    if (add) ++entry.misses;
    if (entry.misses > entry.hits * 3 + 3) {
      // Not worth the comparisons. Reads may still come in through it, unless it is complete.
      if ((old.frames[0]->regs[0].live & kLiveDone) != 0) {
        walk.pool.drop(entry.state);
        --walk.stats.peak_states;
      } else {
        walk.forgotten.push_back(std::move(*it));
      }
      it = list.erase(it);
      continue;
    }
    ++it;
  }
  walk.stats.max_states_per_insn = std::max(walk.stats.max_states_per_insn, seen);
  const bool full = !walk.rights.bpf && seen > kMaxStatesPerInsn;
  if (full || !add) {
    record_jump(walk);
    return {};
  }
  return remember(walk, list);
}

}  // namespace skep::verify
