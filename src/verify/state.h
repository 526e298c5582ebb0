// SPDX-License-Identifier: Apache-2.0
// The state of the abstract machine at one point of one path: a frame for each active function,
// with its registers and the part of its stack that was touched.
//
//   State -- frame 0 -- regs r0..r10, slots [0] = fp-8..fp-1, [1] = fp-16..fp-9, ..., references
//         `- frame 1 ...
//
// A walk has one current state, a stack of states to be continued later, and, at the points where
// paths meet, remembered ones (prune.h). Every register points to itself in the remembered state
// that the path last passed, so that "this register is read later" can be told backwards.
// Frames are recycled: copying a state is a handful of memory copies, no allocation.
// Tested by tests/verify, tests/kernel
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "isa/ebpf.h"
#include "verify/reg.h"

namespace skep::verify {

/// What one byte of the stack holds.
enum class ByteKind : u8 {
  Invalid,  ///< never written
  Spill,    ///< part of a stored register
  Misc,     ///< some data
  Zero,     ///< 0
  Dynptr,
};

constexpr u32 kSlotSize = 8;

/// Eight bytes of stack. bytes[i] is the byte at offset 7 - i above the slot's lowest address, so
/// bytes[7] is the lowest, which every spill covers.
struct Slot {
  Reg spilled;
  std::array<ByteKind, kSlotSize> bytes = {};

  bool is_spill() const { return bytes[kSlotSize - 1] == ByteKind::Spill; }
};

/// Something that the program has to give back.
struct Reference {
  u32 id = 0;
  u32 pc = 0;              ///< the call that returned it
  u32 callback_frame = 0;  ///< frame of the callback that took it, else 0
  bool operator==(const Reference&) const = default;
};

/// Frame::callsite of a function that nobody called.
constexpr u32 kNoCallsite = ~u32{0};

struct Frame {
  std::array<Reg, isa::ebpf::kRegisterCount> regs;
  u32 callsite = kNoCallsite;  ///< pc of the call
  u32 number = 0;              ///< 0 for the first function
  u32 subprog = 0;
  u32 async_entries = 0;  ///< asynchronous callbacks started on this path
  bool in_callback = false;
  bool in_async_callback = false;
  Tnum callback_returns = Tnum::known(0);
  std::vector<Slot> stack;
  std::vector<Reference> references;

  u32 stack_bytes() const { return static_cast<u32>(stack.size()) * kSlotSize; }
};

/// A jump that a path took, for going back along it.
struct Jump {
  u32 to = 0;
  u32 from = 0;
};

/// pc of "before the first instruction".
constexpr u32 kNoPc = ~u32{0};

class FramePool;

struct State {
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::array<Frame*, isa::ebpf::kMaxFrames> frames = {};
  u32 top = 0;  ///< the running function's frame
  State* parent = nullptr;
  u32 branches = 0;          ///< paths through this state that are not explored to their ends
  u32 pc = 0;                ///< remembered states: where
  u32 first_pc = 0;          ///< the path since the parent state starts here
  u32 last_pc = 0;           ///< and ended here
  u32 lock_id = 0;           ///< the spin lock that is held
  bool speculative = false;  ///< only a mispredicting CPU comes here
  std::vector<Jump> jumps;   ///< taken since first_pc

  Frame& current() { return *frames[top]; }
  const Frame& current() const { return *frames[top]; }
};

/// Owner of all frames, with a list of free ones.
class FramePool {
 public:
  Frame* take();
  void give(Frame* frame) { free_.push_back(frame); }
  /// Bytes held by frames and their stacks, roughly.
  u64 bytes() const { return all_.size() * sizeof(Frame) + slot_bytes_; }
  /// Tells the pool that a frame's stack grew.
  void account_slots(std::size_t slots) { slot_bytes_ += slots * sizeof(Slot); }

  /// to becomes a copy of from, parents included; jumps are copied too.
  void copy(State& to, const State& from);
  /// Gives all of the state's frames back.
  void drop(State& state);

 private:
  std::vector<std::unique_ptr<Frame>> all_;
  std::vector<Frame*> free_;
  u64 slot_bytes_ = 0;
};

/// Calls visit(Reg&) for each register and each spilled register of all frames.
template <class Visit>
void for_each_reg(State& state, Visit visit) {
  for (u32 f = 0; f <= state.top; ++f) {
    for (Reg& reg : state.frames[f]->regs) visit(reg);
    for (Slot& slot : state.frames[f]->stack) {
      // Kernel: looks at the slot's highest byte, not its lowest.
      if (slot.bytes[0] == ByteKind::Spill) visit(slot.spilled);
    }
  }
}

}  // namespace skep::verify
