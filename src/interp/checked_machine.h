// SPDX-License-Identifier: Apache-2.0
// What the checked interpreter knows of a running program, beyond values: which object each
// register points into, which bytes of the stack were written and which of its 8-byte slots hold a
// pointer.
//
//   tag of a register or slot   0            a number, never usable as an address
//                               1..8         pointer into the stack of frame 0..7
//                               9            pointer into the run's memory
//                               10..127      pointer into what a helper returned
//                               kUnwritten   nothing was ever written there
//
// Rules. A pointer stays one through mov, addition and subtraction of a number, and `and` (to align
// it); every other operation makes a number of it, and so does storing it anywhere but in an
// aligned 8-byte slot of the stack. Any access must lie wholly inside of the object of its pointer,
// wherever arithmetic took the pointer in between. A frame's object is gone when its function
// returns. A call, or a legacy packet load, leaves r1-r5 unwritten: a compiler keeps nothing there,
// and a JIT puts other things there. Tested by checked_test.cc
#pragma once

#include <algorithm>
#include <array>

#include "interp/frames.h"
#include "interp/meaning.h"
#include "interp/threaded.h"
#include "runtime/outcome.h"
#include "runtime/packet.h"

namespace skep::interp::checked {

using runtime::Trap;
using threaded::Record;

using Tag = u8;
constexpr Tag kNumber = 0;
constexpr Tag kFirstFrame = 1;
constexpr Tag kMemory = kFirstFrame + isa::ebpf::kMaxFrames;
constexpr Tag kFirstResult = kMemory + 1;
constexpr Tag kUnwritten = 0x80;
constexpr unsigned kSlots = isa::ebpf::kStackBytes / 8;

/// The bytes a pointer may be used for. A number's object is empty.
struct Object {
  u64 base = 0;
  u64 size = 0;
  bool operator==(const Object&) const = default;
};

/// A slot of the stack: which of its bytes were written, and its tag (kNumber unless all were).
struct Slot {
  u8 written = 0;
  Tag tag = kNumber;
};

/// The state of a run.
struct Machine {
  u64 r[isa::ebpf::kRegisterCount] = {};
  Tag tag[16];         ///< of each register
  s64 left;            ///< the budget's rest, in bytes of records, as of `line`
  const Record* line;  ///< where the straight line that is running began
  const Record* code;
  const runtime::Helper* helpers;
  const runtime::RunInput* input;
  u32 depth = 0;    ///< frames below the running one
  u32 results = 0;  ///< objects that helpers returned
  std::array<std::array<Tag, 4>, isa::ebpf::kMaxFrames> saved_tags;  ///< r6-r9 of callers
  std::array<Object, kUnwritten + 1> objects;
  std::array<std::array<Slot, kSlots>, isa::ebpf::kMaxFrames> slots;
  Frames<Record> frames;
  runtime::Outcome outcome;

  Machine(const Record* first, const runtime::Program& program,
          const runtime::RunInput& run_input) noexcept;

  /// Makes the stack of frame `depth` an object with nothing written.
  void open_frame() noexcept;
};

// Slow paths; each says why the fast one did not do.

/// Why an access of n bytes through a pointer with that tag is refused.
Trap why_no_access(const Machine& m, Tag tag) noexcept;
/// Whether n bytes at offset `at` of a frame's stack were all written.
bool all_written(const Machine& m, Tag frame, u64 at, u64 n) noexcept;
/// Notes that n bytes at offset `at` of a frame's stack were written with a number.
void note_written(Machine& m, Tag frame, u64 at, u64 n) noexcept;
/// Makes r1-r5 unwritten, as the kernel's verifier has them after calls.
void forget_arguments(Machine& m) noexcept;
/// Calls helper number ip->imm of the program after a look at its arguments.
Trap call_helper(Machine& m, const Record* ip) noexcept;

/// The tag of a 64-bit result of op on operands with tags a and b; both written.
template <isa::ebpf::AluOp op>
constexpr Tag result_tag(Tag a, Tag b) noexcept {
  using isa::ebpf::AluOp;
  if constexpr (op == AluOp::Mov) return b;
  if constexpr (op == AluOp::Sub) return b == kNumber ? a : kNumber;
  if constexpr (op == AluOp::Add || op == AluOp::And) {
    return a == kNumber ? b : b == kNumber ? a : kNumber;
  }
  return kNumber;
}

/// Alu, MovSx, Neg and End operations.
template <Op op>
[[gnu::always_inline]] inline Trap do_compute(Machine& m, const Record* i) noexcept {
  using isa::ebpf::Kind;
  using isa::ebpf::Source;
  constexpr isa::ebpf::OpInfo facts = isa::ebpf::info(op);
  constexpr bool reads_dst = !(facts.kind == Kind::MovSx ||
                               (facts.kind == Kind::Alu && facts.alu == isa::ebpf::AluOp::Mov));
  constexpr bool reads_src = facts.kind == Kind::MovSx || facts.source == Source::X;
  const Tag a = reads_dst ? m.tag[i->dst] : kNumber;
  const Tag b = reads_src ? m.tag[i->src] : kNumber;
  if (((a | b) & kUnwritten) != 0) [[unlikely]]
    return Trap::UninitialisedRegister;
  const u64 operand = reads_src ? m.r[i->src] : static_cast<u64>(i->imm);
  m.r[i->dst] = compute<op>(m.r[i->dst], operand);
  if constexpr (facts.kind == Kind::Alu && facts.width == 64) {
    m.tag[i->dst] = result_tag<facts.alu>(a, b);
  } else {
    m.tag[i->dst] = kNumber;
  }
  return Trap::None;
}

/// Whether n bytes at address are inside of the object; `at` becomes the offset there.
[[gnu::always_inline]] inline bool inside(const Object& object, u64 address, u64 n,
                                          u64& at) noexcept {
  at = address - object.base;
  return at < object.size && object.size - at >= n;
}

[[gnu::always_inline]] inline bool is_frame(Tag tag) noexcept {
  return tag < kMemory;  // of tags that passed inside(), so not kNumber
}

/// Checks a read of n bytes through register `reg`; on success address is where, and loaded the tag
/// of what is there.
template <unsigned n>
[[gnu::always_inline]] inline Trap check_read(Machine& m, u8 reg, s16 off, u64& address,
                                              Tag& loaded) noexcept {
  const Tag tag = m.tag[reg];
  address = m.r[reg] + static_cast<u64>(s64{off});
  u64 at = 0;
  if (!inside(m.objects[tag], address, n, at)) [[unlikely]]
    return why_no_access(m, tag);
  loaded = kNumber;
  if (!is_frame(tag)) return Trap::None;
  const Slot slot = m.slots[tag - kFirstFrame][static_cast<std::size_t>(at / 8)];
  if (n == 8 && at % 8 == 0) {
    if (slot.written != 0xff) [[unlikely]]
      return Trap::UninitialisedStack;
    loaded = slot.tag;
    return Trap::None;
  }
  if (at % 8 + n <= 8) {
    const u8 mask = static_cast<u8>(((1U << (n % 8)) - 1) << (at % 8));
    return (slot.written & mask) == mask ? Trap::None : Trap::UninitialisedStack;
  }
  return all_written(m, tag, at, n) ? Trap::None : Trap::UninitialisedStack;
}

/// Checks a write of n bytes with the given tag through register `reg` and notes it.
template <unsigned n>
[[gnu::always_inline]] inline Trap check_write(Machine& m, u8 reg, s16 off, Tag stored,
                                               u64& address) noexcept {
  const Tag tag = m.tag[reg];
  address = m.r[reg] + static_cast<u64>(s64{off});
  u64 at = 0;
  if (stored == kUnwritten) [[unlikely]]
    return Trap::UninitialisedRegister;
  if (!inside(m.objects[tag], address, n, at)) [[unlikely]]
    return why_no_access(m, tag);
  if (!is_frame(tag)) return Trap::None;
  Slot& slot = m.slots[tag - kFirstFrame][static_cast<std::size_t>(at / 8)];
  if (n == 8 && at % 8 == 0) {
    slot = {0xff, stored};
  } else if (at % 8 + n <= 8) {
    slot = {static_cast<u8>(slot.written | (((1U << (n % 8)) - 1) << (at % 8))), kNumber};
  } else {
    note_written(m, tag, at, n);
  }
  return Trap::None;
}

template <Op op>
[[gnu::always_inline]] inline Trap do_load(Machine& m, const Record* i) noexcept {
  u64 address = 0;
  Tag loaded = kNumber;
  const Trap trap = check_read<sizeof(Width<op>)>(m, i->src, i->off, address, loaded);
  if (trap != Trap::None) [[unlikely]]
    return trap;
  m.r[i->dst] = load<op>(address);
  m.tag[i->dst] = loaded;
  return Trap::None;
}

template <Op op>
[[gnu::always_inline]] inline Trap do_store(Machine& m, const Record* i) noexcept {
  constexpr bool immediate = isa::ebpf::info(op).kind == isa::ebpf::Kind::St;
  u64 address = 0;
  const Tag stored = immediate ? kNumber : m.tag[i->src];
  const Trap trap = check_write<sizeof(Width<op>)>(m, i->dst, i->off, stored, address);
  if (trap != Trap::None) [[unlikely]]
    return trap;
  store<op>(address, immediate ? static_cast<u64>(i->imm) : m.r[i->src]);
  return Trap::None;
}

/// Atomic, LoadAcquire and StoreRelease operations.
template <Op op>
Trap do_atomic(Machine& m, const Record* i) noexcept {
  using isa::ebpf::Kind;
  constexpr isa::ebpf::OpInfo facts = isa::ebpf::info(op);
  constexpr unsigned n = sizeof(Width<op>);
  constexpr bool compares = facts.atomic == isa::ebpf::AtomicOp::CmpXchg;
  u64 address = 0;
  Tag loaded = kNumber;
  if constexpr (facts.kind != Kind::StoreRelease) {
    const u8 pointer = facts.kind == Kind::LoadAcquire ? i->src : i->dst;
    const Trap trap = check_read<n>(m, pointer, i->off, address, loaded);
    if (trap != Trap::None) return trap;
    if (!runtime::is_aligned<Width<op>>(address)) return Trap::Misaligned;
  }
  if constexpr (facts.kind == Kind::Atomic) {
    if (((m.tag[i->src] | (compares ? m.tag[0] : kNumber)) & kUnwritten) != 0) {
      return Trap::UninitialisedRegister;
    }
  }
  if constexpr (facts.kind != Kind::LoadAcquire) {
    const Tag stored = facts.kind == Kind::StoreRelease ? m.tag[i->src] : kNumber;
    const Trap trap = check_write<n>(m, i->dst, i->off, stored, address);
    if (trap != Trap::None) return trap;
  }
  if (!atomic<op>(m.r, i->dst, i->src, i->off)) return Trap::Misaligned;
  if constexpr (facts.kind == Kind::LoadAcquire) m.tag[i->dst] = loaded;
  if constexpr (facts.fetch) m.tag[compares ? 0 : i->src] = kNumber;
  return Trap::None;
}

/// Goes on at `target` after `from`, which jumped: charges the straight line that ends there. False
/// when the budget is used up.
[[gnu::always_inline]] inline bool charge(Machine& m, const Record* from,
                                          const Record* target) noexcept {
  m.left -= reinterpret_cast<const u8*>(from + 1) - reinterpret_cast<const u8*>(m.line);
  m.line = target;
  return m.left >= 0;
}

/// Whether a comparison of the record's operands may be made.
template <Op op>
[[gnu::always_inline]] inline bool comparable(const Machine& m, const Record* i) noexcept {
  constexpr bool x = isa::ebpf::info(op).source == isa::ebpf::Source::X;
  return ((m.tag[i->dst] | (x ? m.tag[i->src] : kNumber)) & kUnwritten) == 0;
}

/// Starts a callee; false when 8 frames are in use.
bool enter_function(Machine& m, const Record* call) noexcept;
/// Ends a function: where the caller goes on, or nullptr when the run is over (or trapped: a result
/// that was never written).
const Record* leave_function(Machine& m, const Record* exit) noexcept;

}  // namespace skep::interp::checked
