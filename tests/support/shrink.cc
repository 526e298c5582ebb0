// SPDX-License-Identifier: Apache-2.0
// Shrinking by halves: runs of half the program are tried first, then of a quarter, down to single
// instructions, until a whole round takes nothing out.
#include "tests/support/shrink.h"

#include <fmt/format.h>

#include <algorithm>

#include "asm/ebpf_disassembler.h"

namespace skep::testing {
namespace {

using isa::ebpf::info;
using isa::ebpf::Insn;
using isa::ebpf::Kind;
using isa::ebpf::Op;

bool jumps(const Insn& insn) {
  const Kind kind = info(insn.op).kind;
  return kind == Kind::Jmp || kind == Kind::Ja || kind == Kind::CallLocal || kind == Kind::MayGoto;
}

void set_distance(Insn& insn, s64 distance) {
  if (insn.op == Op::Ja32 || insn.op == Op::CallLocal) {
    insn.imm = distance;
  } else {
    insn.off = static_cast<s16>(distance);
  }
}

std::string hex(Bytes bytes) {
  std::string text;
  for (const u8 byte : bytes) text += fmt::format("{}{:02x}", text.empty() ? "" : " ", byte);
  return text;
}

}  // namespace

std::vector<Insn> without(std::span<const Insn> program, std::size_t first, std::size_t count) {
  const auto moved = [first, count](s64 pc) {
    const s64 start = static_cast<s64>(first), gone = static_cast<s64>(count);
    return pc < start ? pc : std::max(start, pc - gone);
  };
  std::vector<Insn> left;
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (i >= first && i < first + count) continue;
    Insn insn = program[i];
    if (jumps(insn)) {
      const s64 target = static_cast<s64>(i) + 1 + jump_distance(insn);
      set_distance(insn, moved(target) - static_cast<s64>(left.size()) - 1);
    }
    left.push_back(insn);
  }
  return left;
}

std::vector<Insn> shrink(std::vector<Insn> program, const Fails& fails) {
  for (std::size_t count = program.size() / 2; count > 0;) {
    bool smaller = false;
    for (std::size_t first = 0; first + count <= program.size();) {
      std::vector<Insn> candidate = without(program, first, count);
      if (!candidate.empty() && fails(candidate)) {
        program = std::move(candidate);
        smaller = true;
      } else {
        ++first;
      }
    }
    if (!smaller || count > 1) count /= 2;
  }
  return program;
}

std::string conformance_case(std::string_view name, std::span<const Insn> program, Bytes memory,
                             Bytes packet, u64 result) {
  std::string text = fmt::format("---- {}\n-- asm\n", name);
  text += disassemble(program, assembler::ebpf::Notation::Llvm);
  if (!memory.empty()) text += fmt::format("-- mem\n{}\n", hex(memory));
  if (!packet.empty()) text += fmt::format("-- packet\n{}\n", hex(packet));
  return text + fmt::format("-- result\n{:#x}\n", result);
}

}  // namespace skep::testing
