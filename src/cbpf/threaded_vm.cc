// SPDX-License-Identifier: Apache-2.0
// Decoding into cells, and what the hot function (threaded_execute.cc) leaves to be done outside:
// loads out of the packet's range, which may be Linux's negative offsets, and netlink attributes.
// Tested by threaded_vm_test.cc
#include "cbpf/threaded_vm.h"

#include <new>
#include <optional>

#include "cbpf/packet.h"
#include "cbpf/threaded_execute.h"

namespace skep::cbpf {
namespace {

using isa::cbpf::indirect;
using isa::cbpf::Kind;

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

// The handler of the pair (load, comparison), if there is one.
std::optional<Handler> load_and_jump(Op load, Op jump) {
#define LOAD_JMP(load_name, type, jump_name) \
  if (load == Op::load_name && jump == Op::jump_name##K) return Handler::load_name##jump_name;
#include "cbpf/threaded_handlers.def"
  if (load == Op::AndK && jump == Op::JeqK) return Handler::AndJeq;
  return std::nullopt;
}

void set_arms(Cell& cell, const Cell* cells, u32 pc, const Insn& jump) {
  cell.jt = cells + pc + 1 + jump.jt;
  cell.jf = cells + pc + 1 + jump.jf;
}

Cell plain_cell(const Cell* cells, u32 pc, const Insn& insn, Rules rules) {
  Cell cell;
  cell.op = insn.op;
  cell.handler = address_of(handler_for(insn, rules));
  cell.k = insn.k;
  if (isa::cbpf::is_jump(insn.op)) set_arms(cell, cells, pc, insn);
  if (insn.op == Op::Ja) {
    cell.jt = cells + ja_target(pc, insn.k);
    cell.value = 0 - insn.k;  // JaBack: the distance
  }
  const bool constant_length =
      rules == Rules::Seccomp && info(insn.op).operand == isa::cbpf::Operand::Len;
  if (constant_length) cell.k = kSeccompDataSize;
  // A constant shift by 32 and more gives 0 (libpcap's rules only; the others refuse it).
  if ((insn.op == Op::LshK || insn.op == Op::RshK) && insn.k >= 32) {
    cell.handler = address_of(Handler::LdImm);
    cell.k = 0;
  }
  return cell;
}

// Makes the cell of the group that starts at pc, if one does.
bool fuse(Cell& cell, const Cell* cells, u32 pc, std::span<const Insn> insns) {
  const Insn& first = insns[pc];
  if (pc + 2 < insns.size() && first.op == Op::LdAbsW && insns[pc + 1].op == Op::AndK &&
      insns[pc + 2].op == Op::JeqK) {
    cell.handler = address_of(Handler::LdAbsWAndJeq);
    cell.mask = insns[pc + 1].k;
    cell.value = insns[pc + 2].k;
    set_arms(cell, cells, pc + 2, insns[pc + 2]);
    return true;
  }
  if (pc + 1 >= insns.size()) return false;
  const std::optional<Handler> pair = load_and_jump(first.op, insns[pc + 1].op);
  if (!pair) return false;
  cell.handler = address_of(*pair);
  cell.value = insns[pc + 1].k;
  set_arms(cell, cells, pc + 1, insns[pc + 1]);
  return true;
}

// Does the instruction that the hot function left at; false if the program ends with 0.
bool step_outside(const Input& input, State& state) {
  const Cell& cell = *state.cell;
  const Bytes packet{input.data, input.size};
  const u32 sum = indirect(Rules::Linux, state.x, cell.k);
  switch (cell.op) {
    case Op::LdAbsW: return load_packet<u32, Rules::Linux>(input, cell.k, state.a);
    case Op::LdAbsH: return load_packet<u16, Rules::Linux>(input, cell.k, state.a);
    case Op::LdAbsB: return load_packet<u8, Rules::Linux>(input, cell.k, state.a);
    case Op::LdIndW: return load_packet<u32, Rules::Linux>(input, sum, state.a);
    case Op::LdIndH: return load_packet<u16, Rules::Linux>(input, sum, state.a);
    case Op::LdIndB: return load_packet<u8, Rules::Linux>(input, sum, state.a);
    case Op::LdxMsh: {
      u32 first = 0;
      if (!load_packet<u8, Rules::Linux>(input, cell.k, first)) return false;
      state.x = isa::cbpf::header_length(static_cast<u8>(first));
      return true;
    }
    case Op::Nla: state.a = netlink_attribute(packet, state.a, state.x); return true;
    case Op::NlaNest: state.a = nested_netlink_attribute(packet, state.a, state.x); return true;
    default: unreachable();  // nothing else leaves
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
  Cell* cells = threaded.cells_.get();
  for (u32 pc = 0; pc < insns.size(); ++pc) {
    cells[pc] = plain_cell(cells, pc, insns[pc], program.rules());
    const bool host_order = program.rules() == Rules::Seccomp && insns[pc].op == Op::LdAbsW;
    if (!host_order && fuse(cells[pc], cells, pc, insns)) ++threaded.fused_;
  }
  return threaded;
}

u32 Threaded::run(Bytes packet, u32 wire_length, const Metadata& metadata) const noexcept {
  const Input input(packet, wire_length, metadata);
  State state;
  state.cell = cells_.get();
  state.metadata = &metadata;
  state.budget = budget_;
  state.wire_length = wire_length;
  if (clear_scratch_)
    for (u32& word : state.scratch) word = 0;
  for (;;) {
    const u64 result = execute(input.data, input.size, state);
    if (result != kLeft) [[likely]]
      return static_cast<u32>(result);
    if (rules_ != Rules::Linux || !step_outside(input, state)) return 0;
    ++state.cell;
  }
}

}  // namespace skep::cbpf
