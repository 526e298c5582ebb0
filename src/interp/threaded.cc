// SPDX-License-Identifier: Apache-2.0
// From decoded instructions to threaded code. Which fused handler a record gets is chosen from the
// back: the cheapest way to the end of the straight line from there, each handler costing one.
// Tested by threaded_test.cc
#include "interp/threaded.h"

#include <new>

#include "interp/threaded_table.h"

namespace skep::interp::threaded {
namespace {

using isa::ebpf::Insn;
using isa::ebpf::Kind;
using isa::ebpf::Op;
using isa::ebpf::Source;

/// A row of threaded_fused.def.
struct Pattern {
  enum class Shape : u8 { Chain, Pair } shape;
  u8 length;
  std::array<Op, 4> ops;
};

// clang-format off
constexpr Pattern kPatterns[] = {
#define CHAIN2(a, b) {Pattern::Shape::Chain, 2, {Op::a, Op::b}},
#define CHAIN3(a, b, c) {Pattern::Shape::Chain, 3, {Op::a, Op::b, Op::c}},
#define PAIR(a, b) {Pattern::Shape::Pair, 2, {Op::a, Op::b}},
#include "interp/threaded_fused.def"
};
// clang-format on

bool reads_as_src(const Insn& insn, u8 reg) {
  return info(insn.op).source == Source::X && insn.src == reg;
}

bool fits(const Pattern& pattern, std::span<const Insn> code) {
  if (pattern.length > code.size()) return false;
  for (std::size_t i = 0; i < pattern.length; ++i) {
    if (code[i].op != pattern.ops[i]) return false;
  }
  switch (pattern.shape) {
    case Pattern::Shape::Chain:
      for (std::size_t i = 1; i < pattern.length; ++i) {
        if (code[i].dst != code[0].dst || reads_as_src(code[i], code[0].dst)) return false;
      }
      return true;
    case Pattern::Shape::Pair: return true;
  }
  unreachable();
}

// The pattern for the record at the front of code, given the cost of the rest of the straight line
// from each later record on; -1 for none.
void choose(std::span<const Insn> code, std::span<u32> cost, std::size_t pc,
            std::uintptr_t* chosen) {
  const bool ends = info(code[pc].op).kind == Kind::Ja || code[pc].op == Op::Exit;
  const std::size_t step = code[pc].op == Op::Lddw ? 2 : 1;
  cost[pc] = ends ? 1 : 1 + cost[pc + step];
  for (std::size_t i = 0; i < std::size(kPatterns); ++i) {
    if (kPatterns[i].ops[0] != code[pc].op || !fits(kPatterns[i], code.subspan(pc))) continue;
    const u32 with = 1 + cost[pc + kPatterns[i].length];
    if (with >= cost[pc]) continue;
    cost[pc] = with;
    *chosen = isa::ebpf::kOpCount + i;
  }
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

const Variant& default_variant() {
  const Variant* calls = calls_variant();
  return calls != nullptr ? *calls : labels_variant();
}

Result<Records> prepare(const runtime::Program& program, const Variant& variant, bool fuse) {
  const std::span<const Insn> code = program.code();
  const std::uintptr_t* const handlers = variant.handlers();
  std::unique_ptr<Record[]> records(new (std::nothrow) Record[code.size()]);
  std::unique_ptr<u32[]> cost(new (std::nothrow) u32[code.size() + 8]());
  if (records == nullptr || cost == nullptr) {
    return Error{Code::OutOfMemory, "no memory for the threaded code of the program"};
  }
  for (std::size_t pc = code.size(); pc-- > 0;) {
    std::uintptr_t number = static_cast<std::uintptr_t>(code[pc].op);
    if (fuse) choose(code, {cost.get(), code.size() + 8}, pc, &number);
    records[pc] = to_record(code[pc]);
    records[pc].handler = handlers[number];
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
  r[1] = input.memory.empty() ? 0 : runtime::to_address(input.memory.data());
  r[2] = input.memory.size();
  r[isa::ebpf::kFramePointer] = state.frames.first_top();
  code.variant->execute(r, code.first.get(), state);
  return state.outcome;
}

}  // namespace skep::interp::threaded
