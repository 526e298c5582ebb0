// SPDX-License-Identifier: Apache-2.0
// Decoding into cells, and what the hot function (threaded_execute.cc) leaves to be done outside:
// loads out of the packet's range, which may be Linux's negative offsets, and netlink attributes.
// Tested by threaded_vm_test.cc
#include "cbpf/threaded_vm.h"

#include <algorithm>
#include <new>
#include <optional>

#include "cbpf/packet.h"
#include "cbpf/threaded_execute.h"
#include "cbpf/threaded_fuse.h"

namespace skep::cbpf {
namespace {

using isa::cbpf::indirect;

Handler handler_for(const Insn& insn, Rules rules) {
  switch (rules) {
    case Rules::Libpcap:
      if (insn.op == Op::LshX) return Handler::LshXZero;
      if (insn.op == Op::RshX) return Handler::RshXZero;
      break;
    case Rules::Seccomp:
      if (insn.op == Op::LdAbsW) return Handler::LdHostW;
      if (insn.op == Op::LdLen) return Handler::LdImm;
      if (insn.op == Op::LdxLen) return Handler::LdxImm;
      break;
    case Rules::Linux: break;
  }
  if (insn.op == Op::Ja && static_cast<s32>(insn.k) < 0) return Handler::JaBack;
  return static_cast<Handler>(insn.op);  // handlers start with the operations, in their order
}

Cell plain_cell(const Cell* cells, u32 pc, const Insn& insn, Rules rules) {
  Cell cell;
  cell.op = insn.op;
  cell.handler = address_of(handler_for(insn, rules));
  cell.first.k = insn.k;
  if (isa::cbpf::is_jump(insn.op)) {
    cell.arms[1].cell = cells + pc + 1 + insn.jt;
    cell.arms[0].cell = cells + pc + 1 + insn.jf;
  }
  if (insn.op == Op::Ja) {
    cell.arms[1].cell = cells + ja_target(pc, insn.k);
    cell.first.mask = 0 - insn.k;  // JaBack: the distance
  }
  if (rules == Rules::Seccomp && info(insn.op).operand == isa::cbpf::Operand::Len)
    cell.first.k = kSeccompDataSize;
  // A constant shift by 32 and more gives 0 (libpcap's rules only; the others refuse it).
  if ((insn.op == Op::LshK || insn.op == Op::RshK) && insn.k >= 32) {
    cell.handler = address_of(Handler::LdImm);
    cell.first.k = 0;
  }
  return cell;
}

// The four handlers of a kind of value are one behind the other.
enum Variant : u8 { kTest, kEnd, kSet, kEndSet };

Handler handler_for(ValueKind kind, Variant variant) {
  constexpr Handler kFirst[] = {
#define VALUE(name, op) Handler::Test##name,
#include "cbpf/threaded_handlers.def"
  };
  return static_cast<Handler>(static_cast<u8>(kFirst[static_cast<u8>(kind)]) + variant);
}

// NOLINTNEXTLINE(readability-function-size,readability-function-cognitive-complexity)
Handler handler_for(ValueKind first, ValueKind second, bool ends) {
#define PAIR(p, q)                                     \
  if (first == ValueKind::p && second == ValueKind::q) \
    return ends ? Handler::End##p##q : Handler::Test##p##q;
#include "cbpf/threaded_handlers.def"
  unreachable();  // the fuser makes no other pairs
}

// Memory for sets is limited, as their ends may be sets of their own.
constexpr std::size_t kValuesPerInsn = 8;
constexpr std::size_t kMaxValues = 0x4000'0000;
constexpr u32 kBlock = 4;  // values of a set that are compared at once

u32 blocks_of(const Test& test) {
  return test.alternatives > 1 ? (test.alternatives + kBlock - 1) / kBlock : 0;
}

// Writes the test's values to `to`.
void write_values(const Test& test, std::span<const Insn> insns, u32* to) {
  u32 pc = test.first_jump;
  for (u32 i = 0; i < blocks_of(test) * kBlock; ++i) {
    to[i] = insns[pc].k;
    if (i + 1 < test.alternatives) pc += 1 + u32{insns[pc].jf};
  }
}

Term term_of(const Test& test) {
  return {test.k, test.mask, test.in};
}

// Turns a plain cell into the group's; its set, if it has one, starts at index `values`.
void make_fused(Cell& cell, const Group& group, const Cell* cells, std::span<const Insn> insns,
                std::size_t values) {
  const Test& first = group.first;
  const u32 hit = first.hit;
  const u32 miss = group.second ? group.second->miss : first.miss;
  const bool ends = insns[hit].op == Op::RetK && insns[miss].op == Op::RetK;
  cell.first = term_of(first);
  if (group.second) {
    cell.handler = address_of(handler_for(first.kind, group.second->kind, ends));
    cell.second = term_of(*group.second);
  } else if (first.alternatives > 1) {
    cell.handler = address_of(handler_for(first.kind, ends ? kEndSet : kSet));
    cell.second.k = static_cast<u32>(values);
    cell.second.mask = blocks_of(first);
  } else {
    cell.handler = address_of(handler_for(first.kind, ends ? kEnd : kTest));
  }
  if (ends) {
    cell.arms[1].value = insns[hit].k;
    cell.arms[0].value = insns[miss].k;
  } else {
    cell.arms[1].cell = cells + hit;
    cell.arms[0].cell = cells + miss;
  }
}

// Does the instruction that the hot function left at; false if the program ends with 0.
template <Rules R>
bool step_outside(State& state) {
  const Packet packet = state.packet;
  const Cell& cell = *state.cell;
  const Metadata& meta = *state.metadata;
  const u32 k = cell.first.k;
  const u32 sum = indirect(R, state.x, k);
  switch (cell.op) {
    case Op::LdAbsW: return load_packet<u32, R>(packet, meta, k, state.a);
    case Op::LdAbsH: return load_packet<u16, R>(packet, meta, k, state.a);
    case Op::LdAbsB: return load_packet<u8, R>(packet, meta, k, state.a);
    case Op::LdIndW: return load_packet<u32, R>(packet, meta, sum, state.a);
    case Op::LdIndH: return load_packet<u16, R>(packet, meta, sum, state.a);
    case Op::LdIndB: return load_packet<u8, R>(packet, meta, sum, state.a);
    case Op::LdxMsh: {
      u32 first = 0;
      if (!load_packet<u8, R>(packet, meta, k, first)) return false;
      state.x = isa::cbpf::header_length(static_cast<u8>(first));
      return true;
    }
    case Op::Nla: state.a = netlink_attribute(packet.bytes(), state.a, state.x); return true;
    case Op::NlaNest:
      state.a = nested_netlink_attribute(packet.bytes(), state.a, state.x);
      return true;
    default: unreachable();  // nothing else leaves
  }
}

bool step_outside(Rules rules, State& state) {
  switch (rules) {
    case Rules::Linux: return step_outside<Rules::Linux>(state);
    case Rules::Libpcap: return step_outside<Rules::Libpcap>(state);
    case Rules::Seccomp: return false;  // struct seccomp_data was too short
  }
  unreachable();
}

// Marks where control goes from a cell of one instruction.
void mark_targets(const Insn& insn, u32 pc, u8* reached) {
  if (isa::cbpf::is_jump(insn.op)) {
    reached[pc + 1 + insn.jt] = 1;
    reached[pc + 1 + insn.jf] = 1;
  } else if (insn.op == Op::Ja) {
    reached[ja_target(pc, insn.k)] = 1;
  } else if (!isa::cbpf::is_return(insn.op)) {
    reached[pc + 1] = 1;
  }
}

}  // namespace

Result<Threaded> Threaded::decode(const Program& program) {
  const std::span<const Insn> insns = program.insns();
  Threaded threaded;
  threaded.cells_.reset(new (std::nothrow) Cell[insns.size()]);
  if (!threaded.cells_) return Error{Code::OutOfMemory, "no memory for the threaded program"};
  threaded.rules_ = program.rules();
  threaded.budget_ = program.budget();
  threaded.clear_scratch_ = program.rules() == Rules::Libpcap && program.facts().scratch_loads;
  for (u32 pc = 0; pc < insns.size(); ++pc)
    threaded.cells_[pc] = plain_cell(threaded.cells_.get(), pc, insns[pc], program.rules());
  SKEP_TRY_DO(threaded.fuse(program));
  return threaded;
}

// Fuses what is reached; cells that fused ones jump over stay as they are. Two passes: the first
// counts the values of sets.
Status Threaded::fuse(const Program& program) {
  const std::span<const Insn> insns = program.insns();
  const std::optional<Fuser> fuser = Fuser::make(program);
  std::unique_ptr<u8[]> reached(new (std::nothrow) u8[insns.size()]());
  if (!fuser || !reached) return Error{Code::OutOfMemory, "no memory to decode the program"};
  const bool loops = program.facts().backward_jumps;  // then anything may be reached

  std::size_t values = 0;
  for (const bool counting : {true, false}) {
    std::fill_n(reached.get(), insns.size(), loops ? u8{1} : u8{0});
    reached[0] = 1;
    if (!counting) {
      values_.reset(new (std::nothrow) u32[values]);
      if (!values_) return Error{Code::OutOfMemory, "no memory to decode the program"};
      values = 0;
    }
    for (u32 pc = 0; pc < insns.size(); ++pc) {
      if (reached[pc] == 0) continue;
      const std::optional<Group> group = fuser->group_at(pc);
      const std::size_t room = std::min(kValuesPerInsn * insns.size(), kMaxValues) - values;
      if (!group || blocks_of(group->first) * kBlock > room) {
        mark_targets(insns[pc], pc, reached.get());
        continue;
      }
      reached[group->first.hit] = 1;
      reached[group->second ? group->second->miss : group->first.miss] = 1;
      if (!counting) {
        make_fused(cells_[pc], *group, cells_.get(), insns, values);
        write_values(group->first, insns, values_.get() + values);
        ++fused_;
      }
      values += std::size_t{blocks_of(group->first)} * kBlock;
    }
  }
  return {};
}

u32 Threaded::run(Bytes bytes, u32 wire_length, const Metadata& metadata) const noexcept {
  State state;
  state.packet = {bytes.data(), visible_size(bytes)};
  state.metadata = &metadata;
  state.values = values_.get();
  state.budget = budget_;
  state.wire_length = wire_length;
  state.a = 0;
  state.x = 0;
  if (clear_scratch_)
    for (u32& word : state.scratch) word = 0;
  const u64 result = execute(cells_.get(), state.packet.data, state.packet.size, state);
  if (result != kLeft) [[likely]]
    return static_cast<u32>(result);
  return resume(state);
}

// Apart from run(), so that that one has nothing to save.
[[gnu::noinline, gnu::cold]] u32 Threaded::resume(State& state) const noexcept {
  for (;;) {
    if (!step_outside(rules_, state)) return 0;
    const u64 result = execute(state.cell + 1, state.packet.data, state.packet.size, state);
    if (result != kLeft) return static_cast<u32>(result);
  }
}

}  // namespace skep::cbpf
