// SPDX-License-Identifier: Apache-2.0
// Tested by tests/verify, tests/kernel
#include "verify/resolve.h"

#include "verify/deviations.h"

namespace skep::verify {
namespace {

using isa::ebpf::Insn;
using isa::ebpf::Kind;
using isa::ebpf::Op;

constexpr u32 kSocketFilter = 1;  // BPF_PROG_TYPE_SOCKET_FILTER
constexpr std::size_t kMaxMaps = 64;

u32 high(const Insn& insn) {
  return static_cast<u32>(static_cast<u64>(insn.imm) >> 32);
}

// Whether programs of this type may use this map at all.
Check check_map(Walk& walk, const MapFacts& map) {
  const Traits& traits = walk.world.traits();
  if (map.spin_lock_off) {
    if (traits.prog_type == kSocketFilter) return walk.fail<Msg::LockInSocketFilter>();
    if (traits.tracing) return walk.fail<Msg::LockInTracing>();
  }
  if (map.type == map_type::kStructOps) return walk.fail<Msg::StructOpsMap>();
  return {};
}

Check check_value_address(Walk& walk, const MapFacts& map, u32 off) {
  if (off >= static_cast<u32>(kMaxOffset)) return walk.fail<Msg::DirectOffset>(off);
  if (map.type != map_type::kArray) return walk.fail<Msg::NoDirectValue>();
  if (!map.direct_values) return walk.fail<Msg::DirectManyEntries>(map.value_size, off);
  if (off >= map.value_size) return walk.fail<Msg::DirectOutside>(map.value_size, off);
  return {};
}

Check check_map_constant(Walk& walk, const Insn& insn, std::vector<bool>& used) {
  const auto index = static_cast<u32>(insn.imm);
  const bool value = insn.op == Op::LddwMapIdxValue;
  if (!value && high(insn) != 0) return walk.fail<Msg::UnrecognizedConstant>();
  if (index >= walk.world.maps().size()) {
    return walk.fail<Msg::NotAMap>(static_cast<s32>(index));
  }
  const MapFacts& map = walk.map(index + 1);
  SKEP_TRY_DO(check_map(walk, map));
  if (value) SKEP_TRY_DO(check_value_address(walk, map, high(insn)));
  if (used.size() <= index) used.resize(index + 1);
  used[index] = true;
  std::size_t count = 0;
  for (const bool u : used) count += u ? 1 : 0;
  if (count > kMaxMaps) return walk.fail<Msg::TooManyMaps>();
  return {};
}

Check check_constant(Walk& walk, const Insn& insn, std::vector<bool>& used) {
  switch (insn.op) {
    case Op::LddwMapIdx:
    case Op::LddwMapIdxValue: return check_map_constant(walk, insn, used);
    case Op::LddwMapFd:
      if (high(insn) != 0) return walk.fail<Msg::UnrecognizedConstant>();
      [[fallthrough]];
    case Op::LddwMapValue: {
      // Whoever made the program has put indexes in the place of descriptors of maps.
      const auto fd = static_cast<s32>(insn.imm);
      return fd < 0 ? walk.fail<Msg::NotAMap>(fd) : walk.fail<Msg::NotAMapFile>(fd);
    }
    case Op::LddwVarAddr: return walk.fail<Msg::UnsupportedVariable>();
    default: return {};  // plain constants and functions
  }
}

}  // namespace

Check check_constants(Walk& walk) {
  std::vector<bool> used;
  for (walk.pc = 0; walk.pc < walk.insns.size(); ++walk.pc) {
    const Insn& insn = walk.insn();
    const Kind kind = isa::ebpf::info(insn.op).kind;
    if (!deviates(walk.input.level, Deviation::NewInstructions)) {
      if (kind == Kind::LdxSx) return walk.fail<Msg::LdxReserved>();
      const bool swaps = kind == Kind::End && isa::ebpf::info(insn.op).since > isa::ebpf::Since::V3;
      if (kind == Kind::MayGoto || swaps) {
        return walk.fail<Msg::UnknownOpcode>(isa::ebpf::info(insn.op).code);
      }
    }
    if (kind == Kind::Lddw) SKEP_TRY_DO(check_constant(walk, insn, used));
  }
  return {};
}

}  // namespace skep::verify
