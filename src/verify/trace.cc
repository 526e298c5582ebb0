// SPDX-License-Identifier: Apache-2.0
// Tested by trace_test.cc
#include "verify/trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "asm/ebpf_disassembler.h"
#include "verify/log.h"

namespace skep::verify {
namespace {

bool level(const Walk& walk, u32 wanted) {
  return walk.input.log_level >= wanted;
}

std::string insn_text(const Walk& walk, u32 pc) {
  const isa::ebpf::Insn& insn = walk.insns[pc];
  namespace text = assembler::ebpf;
  if (insn.op != isa::ebpf::Op::Call) return text::to_text(insn, text::Notation::Kernel);
  const text::HelperName name{static_cast<s32>(insn.imm),
                              walk.world.helper_name(static_cast<u32>(insn.imm))};
  return text::to_text(insn, text::Notation::Kernel, {&name, 1});
}

// Spaces that bring the state behind an instruction to a column.
std::size_t padding(std::size_t used) {
  constexpr std::size_t kStep = 8;
  constexpr std::size_t kColumn = 40;
  const std::size_t end = std::max(used + kStep / 2, kColumn);
  return (end + kStep - 1) / kStep * kStep - used - 1;
}

std::string all_registers(Walk& walk, const Frame& frame) {
  return kernel_state(walk, frame, {}) + "\n";
}

}  // namespace

void trace_state(Walk& walk) {
  if (!level(walk, 1)) return;
  Trace& t = walk.trace;
  if (t.after_insn != 0 && t.after_insn == t.text.size()) {
    t.text.pop_back();  // on the instruction's line
    t.text += std::string(padding(t.insn_length), ' ') + ";";
  } else {
    t.text += fmt::format("{}:", walk.pc);
  }
  t.text += kernel_state(walk, walk.frame(), walk.touched) + "\n";
  walk.touched = {0, 0};
}

void trace_step(Walk& walk) {
  if (!level(walk, 1)) return;
  Trace& t = walk.trace;
  if (level(walk, 2) && t.starts_path) {
    t.text += fmt::format("\nfrom {} to {}{}:", static_cast<s32>(walk.prev_pc), walk.pc,
                          walk.current->speculative ? " (speculative execution)" : "");
    t.text += all_registers(walk, walk.frame());
    walk.touched = {0, 0};
  }
  t.starts_path = false;
  if (walk.touched.regs != 0 || walk.touched.slots != 0) trace_state(walk);
  const SourceLine* const line = walk.source_line(walk.pc);
  if (line != nullptr && line != t.line) {
    t.line = line;
    const std::size_t first = std::min(line->text.find_first_not_of(" \t"), line->text.size());
    t.text += fmt::format("; {}\n", line->text.substr(first));
  }
  const std::size_t before = t.text.size();
  t.text += fmt::format("{}: {}\n", walk.pc, insn_text(walk, walk.pc));
  t.insn_length = t.text.size() - before;
  t.after_insn = t.text.size();
}

void trace_covered(Walk& walk, bool starts_path) {
  if (!level(walk, 1)) return;
  if (starts_path) {
    walk.trace.text +=
        fmt::format("\nfrom {} to {}{}: safe\n", static_cast<s32>(walk.prev_pc), walk.pc,
                    walk.current->speculative ? " (speculative execution)" : "");
  } else {
    walk.trace.text += fmt::format("{}: safe\n", walk.pc);
  }
}

void trace_call(Walk& walk, const Frame& caller, const Frame& callee) {
  if (!level(walk, 1)) return;
  walk.trace.text += "caller:\n" + all_registers(walk, caller);
  walk.trace.text += "callee:\n" + all_registers(walk, callee);
}

void trace_return(Walk& walk, const Frame& caller, const Frame& callee) {
  if (!level(walk, 1)) return;
  walk.trace.text += "returning from callee:\n" + all_registers(walk, callee);
  walk.trace.text +=
      fmt::format("to caller at {}:\n", callee.callsite + 1) + all_registers(walk, caller);
}

void trace_back_range(Walk& walk, u32 last, u32 first) {
  if (!level(walk, 2)) return;
  walk.trace.text +=
      fmt::format("last_idx {} first_idx {}\n", static_cast<s32>(last), static_cast<s32>(first));
}

void trace_back_insn(Walk& walk, u32 pc, u32 regs, u64 slots) {
  if (!level(walk, 2) || walk.insns[pc].op == isa::ebpf::Op::LddwHigh) return;
  walk.trace.text +=
      fmt::format("regs={:x} stack={:x} before {}: {}\n", regs, slots, pc, insn_text(walk, pc));
}

void trace_back_parent(Walk& walk, const Frame& frame, bool is_new, u32 regs, u64 slots) {
  if (!level(walk, 2)) return;
  walk.trace.text += fmt::format(
      "parent {} regs={:x} stack={:x} marks:", is_new ? "didn't have" : "already had", regs, slots);
  walk.trace.text += all_registers(walk, frame);
}

}  // namespace skep::verify
