// SPDX-License-Identifier: Apache-2.0
// Tested by tests/verify, tests/kernel
#include "verify/log.h"

#include <fmt/format.h>

namespace skep::verify {
namespace {

std::string offset_words(const Reg& reg) {
  std::string text;
  if (reg.off != 0 || reg.value.is_known()) {
    text += fmt::format(" at offset {}", reg.off + static_cast<s64>(reg.value.bits.value));
  }
  if (!reg.value.is_known()) text += fmt::format(", moved by {}", describe(reg.value));
  return text;
}

std::string describe_register(const Walk& walk, const Reg& reg) {
  if (reg.is_scalar()) return "the number " + describe(reg.value);
  std::string text = kind_in_words(reg) + offset_words(reg);
  if (reg.is_packet()) {
    text += reg.range >= 0 ? fmt::format(", {} bytes of the packet known to exist", reg.range)
                           : ", at the packet's end or behind it";
  } else if (reg.kind == RegKind::MapValue) {
    text += fmt::format(" of {} bytes", walk.map(reg).value_size);
  } else if (reg.kind == RegKind::Mem) {
    text += fmt::format(" of {} bytes", reg.extra);
  }
  return text;
}

char byte_letter(ByteKind kind) {
  switch (kind) {
    case ByteKind::Invalid: return '?';
    case ByteKind::Spill: return 'r';
    case ByteKind::Misc: return 'm';
    case ByteKind::Zero: return '0';
    case ByteKind::Dynptr: return 'd';
  }
  return '?';
}

std::string live_suffix(u8 live) {
  std::string text;
  if (live != kLiveNone) text += '_';
  if ((live & kLiveRead) != 0) text += 'r';
  if ((live & kLiveWritten) != 0) text += 'w';
  if ((live & kLiveDone) != 0) text += 'D';
  return text;
}

// Parts in parentheses, with commas between them.
class Parts {
 public:
  void add(const std::string& part) {
    if (!text_.empty()) text_ += ',';
    text_ += part;
  }
  std::string text() const { return "(" + text_ + ")"; }

 private:
  std::string text_;
};

void add_ranges(const Scalar& x, Parts& parts) {
  const auto& w = x.whole;
  const auto& l = x.low;
  using W = Bounds<u64>;
  using L = Bounds<u32>;
  if (static_cast<u64>(w.smin) != w.umin && w.smin != W::kSMin) {
    parts.add(fmt::format("smin={}", w.smin));
  }
  if (static_cast<u64>(w.smax) != w.umax && w.smax != W::kSMax) {
    parts.add(fmt::format("smax={}", w.smax));
  }
  if (w.umin != 0) parts.add(fmt::format("umin={}", w.umin));
  if (w.umax != W::kUMax) parts.add(fmt::format("umax={}", w.umax));
  if (!x.bits.is_unknown()) parts.add("var_off=" + to_string(x.bits));
  if (l.smin != w.smin && l.smin != L::kSMin) parts.add(fmt::format("s32_min={}", l.smin));
  if (l.smax != w.smax && l.smax != L::kSMax) parts.add(fmt::format("s32_max={}", l.smax));
  if (l.umin != w.umin && l.umin != 0) {
    parts.add(fmt::format("u32_min={}", static_cast<s32>(l.umin)));
  }
  if (l.umax != w.umax && l.umax != L::kUMax) {
    parts.add(fmt::format("u32_max={}", static_cast<s32>(l.umax)));
  }
}

std::string kernel_register(const Walk& walk, const Reg& reg) {
  const bool stack = reg.is(RegKind::Stack);
  const std::string name = type_name(reg);
  const std::string precise = reg.is_scalar() && reg.precise ? "P" : "";
  if ((reg.is_scalar() || stack) && reg.value.is_known()) {
    return fmt::format("{}{}{}", precise, reg.is_scalar() ? "" : name,
                       static_cast<s64>(reg.value.bits.value) + reg.off);
  }
  Parts parts;
  if (reg.id != 0) parts.add(fmt::format("id={}", reg.id));
  const bool counted = reg.kind == RegKind::Socket || reg.kind == RegKind::TcpSock ||
                       reg.kind == RegKind::Mem || reg.kind == RegKind::Btf;
  if (counted && reg.ref != 0) parts.add(fmt::format("ref_obj_id={}", reg.ref));
  if (!reg.is_scalar()) parts.add(fmt::format("off={}", reg.off));
  if (reg.is_packet()) parts.add(fmt::format("r={}", reg.range));
  if (reg.kind == RegKind::MapPtr || reg.kind == RegKind::MapKey || reg.kind == RegKind::MapValue) {
    const MapFacts& map = walk.map(reg);
    parts.add(fmt::format("ks={},vs={}", map.key_size, map.value_size));
  }
  if (reg.value.is_known()) {
    parts.add(fmt::format("imm={:x}", reg.value.bits.value));
  } else {
    add_ranges(reg.value, parts);
  }
  return precise + name + parts.text();
}

std::string kernel_slot(const Slot& slot) {
  if (!slot.is_spill()) {
    std::string bytes;
    for (const ByteKind kind : slot.bytes) bytes += byte_letter(kind);
    return bytes;
  }
  const Reg& reg = slot.spilled;
  std::string text = reg.is_scalar() ? "" : type_name(reg);
  if (reg.is_scalar() && reg.precise) text += "P";
  if (reg.is_known_scalar()) {
    text += fmt::format("{}", static_cast<s64>(reg.value.bits.value) + reg.off);
  }
  return text;
}

bool is_used(const Slot& slot) {
  for (const ByteKind kind : slot.bytes) {
    if (kind != ByteKind::Invalid) return true;
  }
  return false;
}

s32 slot_offset(std::size_t slot) {
  return -static_cast<s32>((slot + 1) * kSlotSize);
}

}  // namespace

std::string describe_registers(const Walk& walk) {
  const Frame& frame = walk.current->current();
  std::string text;
  for (u32 r = 0; r < isa::ebpf::kFramePointer; ++r) {
    if (frame.regs[r].kind == RegKind::NotInit) continue;
    text += fmt::format("  r{}: {}\n", r, describe_register(walk, frame.regs[r]));
  }
  for (std::size_t s = 0; s < frame.stack.size(); ++s) {
    const Slot& slot = frame.stack[s];
    if (!is_used(slot)) continue;
    text += fmt::format(
        "  fp{}: {}\n", slot_offset(s),
        slot.is_spill() ? describe_register(walk, slot.spilled) : "bytes " + kernel_slot(slot));
  }
  return text;
}

std::string kernel_state(const Walk& walk, const Frame& frame, const Touched& touched) {
  std::string text;
  if (frame.number != 0) text += fmt::format(" frame{}:", frame.number);
  for (u32 r = 0; r < isa::ebpf::kRegisterCount; ++r) {
    const Reg& reg = frame.regs[r];
    if (reg.kind == RegKind::NotInit || (touched.regs >> r & 1) == 0) continue;
    text += fmt::format(" R{}{}={}", r, live_suffix(reg.live), kernel_register(walk, reg));
  }
  for (std::size_t s = 0; s < frame.stack.size(); ++s) {
    const Slot& slot = frame.stack[s];
    if (!is_used(slot) || (touched.slots >> s & 1) == 0) continue;
    text += fmt::format(" fp{}{}={}", slot_offset(s), live_suffix(slot.spilled.live),
                        kernel_slot(slot));
  }
  for (std::size_t i = 0; i < frame.references.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? " refs=" : ",", frame.references[i].id);
  }
  if (frame.in_callback) text += " cb";
  if (frame.in_async_callback) text += " async_cb";
  return text;
}

std::string kernel_log(const Walk& walk) {
  std::string text;
  if (walk.input.log_level != 0) {
    text = walk.trace.text;
  } else {
    for (const Finding& finding : walk.findings.all()) text += finding.kernel + "\n";
  }
  const Stats& s = walk.stats;
  text += fmt::format(
      "processed {} insns (limit {}) max_states_per_insn {} total_states {} peak_states {} "
      "mark_read {}\n",
      s.insns_processed, walk.input.max_steps, s.max_states_per_insn, s.total_states, s.peak_states,
      s.longest_read_walk);
  return text;
}

}  // namespace skep::verify
