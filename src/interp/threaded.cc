// SPDX-License-Identifier: Apache-2.0
// From decoded instructions to threaded code. Which fused handler a record gets is chosen from the
// back: the cheapest way to the end of the straight line from there, each handler costing one.
// Tested by threaded_test.cc
#include "interp/threaded.h"

#include <new>

#include "interp/threaded_ops.h"
#include "interp/threaded_table.h"

namespace skep::interp::threaded {
namespace {

using isa::ebpf::Insn;
using isa::ebpf::Kind;
using isa::ebpf::Op;
using isa::ebpf::Source;

/// A row of threaded_fused.def.
struct Pattern {
  std::size_t length;
  std::array<Step, 4> steps;
  bool (*special)(std::span<const Insn>) = nullptr;  ///< decides alone where it is there
};

// clang-format off
constexpr Pattern kPatterns[] = {
#define STEP(link, op) {Link::link, Op::op}
#define FUSE2(a, l1, b) {2, {{STEP(then, a), STEP(l1, b)}}},
#define FUSE3(a, l1, b, l2, c) {3, {{STEP(then, a), STEP(l1, b), STEP(l2, c)}}},
#define FUSE4(a, l1, b, l2, c, l3, d) \
  {4, {{STEP(then, a), STEP(l1, b), STEP(l2, c), STEP(l3, d)}}},
#define ROTATE(name, width, copies, xors) \
  {Rotation<width, copies, xors>::kLength, \
   {{{Link::then, xors != 0 ? Rotation<width, copies, xors>::kXor \
                            : Rotation<width, copies, xors>::kMov}}}, \
   Rotation<width, copies, xors>::fits},
#include "interp/threaded_fused.def"
#undef STEP
};
// clang-format on
constexpr std::size_t kPatternCount = std::size(kPatterns);

/// The patterns by first operation, so that a record looks only at those that may fit.
struct PatternIndex {
  std::array<u16, isa::ebpf::kOpCount + 1>
      first{};  // patterns of op: order[first[op]..first[op+1])
  std::array<u16, kPatternCount> order{};
};

constexpr PatternIndex make_index() {
  PatternIndex index;
  for (const Pattern& pattern : kPatterns) {
    ++index.first[static_cast<std::size_t>(pattern.steps[0].op) + 1];
  }
  for (std::size_t op = 0; op < isa::ebpf::kOpCount; ++op) {
    index.first[op + 1] = static_cast<u16>(index.first[op + 1] + index.first[op]);
  }
  std::array<u16, isa::ebpf::kOpCount + 1> next = index.first;
  for (std::size_t i = 0; i < kPatternCount; ++i) {
    index.order[next[static_cast<std::size_t>(kPatterns[i].steps[0].op)]++] = static_cast<u16>(i);
  }
  return index;
}
constexpr PatternIndex kIndex = make_index();

bool linked(Link link, const Insn& before, const Insn& insn) {
  const bool reads_it_as_src = info(insn.op).source == Source::X && insn.src == before.dst;
  switch (link) {
    case Link::then: return true;
    case Link::same: return insn.dst == before.dst && !reads_it_as_src;
    case Link::addr: return insn.dst == before.dst && reads_it_as_src;
    case Link::base: return reads_it_as_src;
  }
  unreachable();
}

bool fits(const Pattern& pattern, std::span<const Insn> code) {
  if (pattern.special != nullptr) return pattern.special(code);
  if (pattern.length > code.size()) return false;
  for (std::size_t i = 0; i < pattern.length; ++i) {
    if (code[i].op != pattern.steps[i].op) return false;
    if (i > 0 && !linked(pattern.steps[i].link, code[i - 1], code[i])) return false;
  }
  return true;
}

// What a handler costs: a dispatch, and a store and a load for each value that it does not keep.
constexpr u32 kDispatch = 4;
constexpr u32 cost_of(const Pattern& pattern) {
  if (pattern.special != nullptr) return 1;
  u32 kept = 0;
  for (std::size_t i = 1; i < pattern.length; ++i) {
    kept += pattern.steps[i].link == Link::then ? 0 : 1;
  }
  return kDispatch - kept;
}

// The number of the handler for the record at pc. cost[i] is the cheapest way from i to the end of
// the straight line, known for all later ones.
std::size_t choose(std::span<const Insn> code, std::size_t pc, u32* cost) {
  const Op op = code[pc].op;
  std::size_t chosen = static_cast<std::size_t>(op);
  const bool ends = info(op).kind == Kind::Ja || op == Op::Exit;
  cost[pc] = kDispatch + (ends ? 0 : cost[pc + (op == Op::Lddw ? 2 : 1)]);
  for (std::size_t at = kIndex.first[static_cast<std::size_t>(op)];
       at < kIndex.first[static_cast<std::size_t>(op) + 1]; ++at) {
    const std::size_t number = kIndex.order[at];
    const Pattern& pattern = kPatterns[number];
    if (!fits(pattern, code.subspan(pc))) continue;
    const u32 with = cost_of(pattern) + cost[pc + pattern.length];
    if (with >= cost[pc]) continue;
    cost[pc] = with;
    chosen = isa::ebpf::kOpCount + number;
  }
  return chosen;
}

Record to_record(const Insn& insn) {
  Record record{
      .handler = 0, .imm = insn.imm, .jump = 0, .off = insn.off, .dst = insn.dst, .src = insn.src};
  const Kind kind = info(insn.op).kind;
  if (kind == Kind::Jmp || kind == Kind::Ja || kind == Kind::CallLocal || kind == Kind::MayGoto) {
    record.jump = static_cast<s32>((jump_distance(insn) + 1) * s64{sizeof(Record)});
  }
  if (kind == Kind::Call) record.imm = insn.off;
  return record;
}

}  // namespace

Result<Records> prepare(const runtime::Program& program, const Variant& variant, bool fuse) {
  const std::span<const Insn> code = program.code();
  const std::uintptr_t* const handlers = variant.handlers();
  std::unique_ptr<Record[]> records(new (std::nothrow) Record[code.size()]);
  std::unique_ptr<u32[]> cost(new (std::nothrow) u32[code.size() + 8]());
  if (records == nullptr || cost == nullptr) {
    return Error{Code::OutOfMemory, "no memory for the threaded code of the program"};
  }
  for (std::size_t pc = code.size(); pc-- > 0;) {
    records[pc] = to_record(code[pc]);
    records[pc].handler =
        handlers[fuse ? choose(code, pc, cost.get()) : static_cast<std::size_t>(code[pc].op)];
  }
  return Records{std::move(records), &variant};
}

runtime::Outcome run(const Records& code, const runtime::Program& program,
                     const runtime::RunInput& input) noexcept {
  State state;  // its frames stay raw
  state.code = code.first.get();
  state.helpers = program.helpers().data();
  state.input = &input;
  u64 r[isa::ebpf::kRegisterCount] = {};
  r[1] = input.first_argument();
  r[2] = input.memory.size();
  r[isa::ebpf::kFramePointer] = state.frames.first_top();
  code.variant->execute(r, code.first.get(), state);
  return state.outcome;
}

}  // namespace skep::interp::threaded
