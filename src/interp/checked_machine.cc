// SPDX-License-Identifier: Apache-2.0
// The parts of the checked interpreter that are not in its hot path: set-up, calls, helpers, and
// accesses that the fast path does not decide.  Tested by checked_test.cc
#include "interp/checked_machine.h"

#include <limits>

namespace skep::interp::checked {

Machine::Machine(const Record* first, const runtime::Program& program,
                 const runtime::RunInput& run_input) noexcept
    : line(first), code(first), helpers(program.helpers().data()), input(&run_input) {
  constexpr u64 kMostLeft = std::numeric_limits<s64>::max() / sizeof(Record);
  left = static_cast<s64>(std::min(run_input.budget, kMostLeft) * sizeof(Record));
  std::fill(std::begin(tag), std::end(tag), kUnwritten);
  // One object for each tag that exists; objects of numbers and unwritten registers are empty.
  std::fill(objects.begin(), objects.begin() + kFirstResult, Object{});
  objects[kUnwritten] = Object{};
  r[2] = run_input.memory.size();
  tag[1] = kNumber;
  tag[2] = kNumber;
  r[1] = run_input.first_argument();
  if (run_input.state == nullptr && !run_input.memory.empty()) {
    tag[1] = kMemory;
    objects[kMemory] = {r[1], r[2]};
  }
  r[isa::ebpf::kFramePointer] = frames.first_top();
  open_frame();
}

void Machine::open_frame() noexcept {
  const u64 top = r[isa::ebpf::kFramePointer];
  const u64 base = top - isa::ebpf::kStackBytes;
  const Tag frame = static_cast<Tag>(kFirstFrame + depth);
  objects[frame] = {base, isa::ebpf::kStackBytes};
  tag[isa::ebpf::kFramePointer] = frame;
  if (input->zeroed_stack) {
    std::memset(runtime::to_pointer(base), 0, isa::ebpf::kStackBytes);
    slots[depth].fill({0xff, kNumber});
  } else {
    slots[depth].fill({});
  }
}

Trap why_no_access(const Machine&, Tag tag) noexcept {
  if (tag == kUnwritten) return Trap::UninitialisedRegister;
  return tag == kNumber ? Trap::NotAPointer : Trap::OutOfBounds;
}

bool all_written(const Machine& m, Tag frame, u64 at, u64 n) noexcept {
  for (u64 byte = at; byte < at + n; ++byte) {
    const Slot slot = m.slots[frame - kFirstFrame][static_cast<std::size_t>(byte / 8)];
    if ((slot.written >> (byte % 8) & 1) == 0) return false;
  }
  return true;
}

void note_written(Machine& m, Tag frame, u64 at, u64 n) noexcept {
  for (u64 byte = at; byte < at + n; ++byte) {
    Slot& slot = m.slots[frame - kFirstFrame][static_cast<std::size_t>(byte / 8)];
    slot = {static_cast<u8>(slot.written | 1U << (byte % 8)), kNumber};
  }
}

void forget_arguments(Machine& m) noexcept {
  std::fill_n(m.tag + 1, 5, kUnwritten);
}

bool enter_function(Machine& m, const Record* call) noexcept {
  if (!m.frames.enter(m.r, call + 1)) return false;
  std::copy_n(m.tag + 6, 4, m.saved_tags[m.depth].begin());
  // The callee has to write r6-r9 before it reads them, as the kernel's verifier demands.
  std::fill_n(m.tag + 6, 4, kUnwritten);
  ++m.depth;
  m.open_frame();
  return true;
}

const Record* leave_function(Machine& m, const Record* exit) noexcept {
  const Record* back = m.frames.leave(m.r);
  if (back != nullptr) {
    m.objects[kFirstFrame + m.depth] = Object{};
    --m.depth;
    std::copy_n(m.saved_tags[m.depth].begin(), 4, m.tag + 6);
    forget_arguments(m);
    m.tag[isa::ebpf::kFramePointer] = static_cast<Tag>(kFirstFrame + m.depth);
    return back;
  }
  const bool written = m.tag[0] != kUnwritten;
  m.outcome = {.r0 = written ? m.r[0] : 0,
               .trap = written ? Trap::None : Trap::UninitialisedRegister,
               .pc = static_cast<u32>(exit - m.code)};
  return nullptr;
}

namespace {

bool usable_as_memory(Machine& m, unsigned reg, runtime::Arg arg, u64 size) noexcept {
  using runtime::Arg;
  const Tag tag = m.tag[reg];
  if (arg == Arg::MemoryOrNull && tag == kNumber && m.r[reg] == 0) return true;
  if (size == 0) return tag != kUnwritten;
  u64 at = 0;
  if (!inside(m.objects[tag], m.r[reg], size, at)) return false;
  if (!is_frame(tag)) return true;
  if (arg == Arg::WritableMemory) {
    note_written(m, tag, at, size);
    return true;
  }
  return all_written(m, tag, at, size);
}

bool arguments_fit(Machine& m, const runtime::Helper& helper) noexcept {
  using runtime::Arg;
  for (unsigned i = 0; i < helper.args.size(); ++i) {
    const Arg arg = helper.args[i];
    const unsigned reg = 1 + i;
    switch (arg) {
      case Arg::None: break;
      case Arg::Value:
        if (m.tag[reg] == kUnwritten) return false;
        break;
      case Arg::Bytes:
        if (m.tag[reg] != kNumber) return false;
        break;
      case Arg::Memory:
      case Arg::WritableMemory:
      case Arg::MemoryOrNull: {
        const bool sized = i + 1 < helper.args.size() && helper.args[i + 1] == Arg::Bytes;
        if (sized && m.tag[reg + 1] != kNumber) return false;
        const u64 size = sized ? m.r[reg + 1] : helper.arg_bytes;
        if (!usable_as_memory(m, reg, arg, size)) return false;
        break;
      }
    }
  }
  return true;
}

// The tag for an object that a helper returned; kUnwritten when there are too many.
Tag tag_of_result(Machine& m, Object object) noexcept {
  for (u32 i = 0; i < m.results; ++i) {
    if (m.objects[kFirstResult + i] == object) return static_cast<Tag>(kFirstResult + i);
  }
  if (kFirstResult + m.results == kUnwritten) return kUnwritten;
  m.objects[kFirstResult + m.results] = object;
  return static_cast<Tag>(kFirstResult + m.results++);
}

}  // namespace

Trap call_helper(Machine& m, const Record* ip) noexcept {
  const runtime::Helper& helper = m.helpers[ip->imm];
  if (!arguments_fit(m, helper)) return Trap::BadHelperArgument;
  m.r[0] = helper.call(m.r[1], m.r[2], m.r[3], m.r[4], m.r[5], m.input->helper_user(helper));
  forget_arguments(m);
  m.tag[0] = kNumber;
  if (helper.result_bytes == 0 || m.r[0] == 0) return Trap::None;
  m.tag[0] = tag_of_result(m, {m.r[0], helper.result_bytes});
  return m.tag[0] == kUnwritten ? Trap::TooManyObjects : Trap::None;
}

}  // namespace skep::interp::checked
