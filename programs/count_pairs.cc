// SPDX-License-Identifier: Apache-2.0
// Counts what the sample programs execute: single operations, and runs of two and three that the
// threaded interpreter might fuse (no jump lands inside). Printed as shares of all instructions
// executed, each program weighing the same. Not part of the library: this is how the list of fused
// pairs in threaded_fused.def was chosen.
//
//   ninja -C build/release skep-count-pairs && build/release/bin/skep-count-pairs [ROWS]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "interp/interp.h"
#include "interp/switch_loop.h"
#include "isa/ebpf_codec.h"
#include "programs/programs.h"

namespace skep::interp {
namespace {

using Shares = std::map<std::string, double>;

std::vector<bool> jump_targets(std::span<const isa::ebpf::Insn> code) {
  std::vector<bool> targets(code.size() + 1, false);
  for (std::size_t pc = 0; pc < code.size(); ++pc) {
    const isa::ebpf::Kind kind = info(code[pc].op).kind;
    if (kind == isa::ebpf::Kind::Jmp || kind == isa::ebpf::Kind::Ja ||
        kind == isa::ebpf::Kind::CallLocal) {
      targets[static_cast<std::size_t>(static_cast<s64>(pc) + 1 + jump_distance(code[pc]))] = true;
    }
  }
  return targets;
}

// The operation, with "=" where dst of the one before is used again.
std::string describe(std::span<const isa::ebpf::Insn> code, std::size_t pc, int length) {
  std::string text;
  for (int i = 0; i < length; ++i) {
    const isa::ebpf::Insn& insn = code[pc + static_cast<std::size_t>(i)];
    if (i > 0) text += code[pc + static_cast<std::size_t>(i) - 1].dst == insn.dst ? " = " : " , ";
    text += info(insn.op).name;
  }
  return text;
}

void count(const programs::Program& sample, std::vector<Shares>& shares) {
  auto insns = isa::ebpf::decode(sample.raw, ByteOrder::Little);
  auto program = runtime::Program::make(std::move(*insns));
  const auto code = program->code();
  std::vector<u64> executed(code.size());
  std::vector<u8> memory = programs::input(sample);
  u64 total = 0;
  switch_loop::run(*program, {.memory = memory}, [&](u32 pc) {
    ++executed[pc];
    ++total;
  });
  const std::vector<bool> targets = jump_targets(code);
  for (std::size_t pc = 0; pc < code.size(); ++pc) {
    for (std::size_t length = 1; length <= shares.size() && pc + length <= code.size(); ++length) {
      if (length > 1 && targets[pc + length - 1]) break;
      shares[length - 1][describe(code, pc, static_cast<int>(length))] +=
          static_cast<double>(executed[pc]) / static_cast<double>(total);
      const isa::ebpf::Kind kind = info(code[pc + length - 1].op).kind;
      if (kind == isa::ebpf::Kind::Ja || kind == isa::ebpf::Kind::Exit) break;
    }
  }
}

void print(const Shares& shares, std::size_t rows, std::size_t programs) {
  std::vector<std::pair<double, std::string>> sorted;
  for (const auto& [name, share] : shares) sorted.emplace_back(share, name);
  std::sort(sorted.rbegin(), sorted.rend());
  for (std::size_t i = 0; i < std::min(rows, sorted.size()); ++i) {
    std::printf("%6.2f%%  %s\n", 100 * sorted[i].first / static_cast<double>(programs),
                sorted[i].second.c_str());
  }
}

}  // namespace
}  // namespace skep::interp

int main(int argc, char** argv) {
  const std::size_t rows = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 40;
  std::vector<skep::interp::Shares> shares(3);
  for (const skep::programs::Program& sample : skep::programs::all()) {
    skep::interp::count(sample, shares);
  }
  for (const skep::interp::Shares& length : shares) {
    skep::interp::print(length, rows, skep::programs::all().size());
    std::printf("\n");
  }
}
