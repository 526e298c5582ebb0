// SPDX-License-Identifier: Apache-2.0
// Finding groups: a test is parsed at a pc, widened to a range or to a set of alternatives, and
// joined with the test at one of its targets.
// Tested by threaded_fuse_test.cc
#include "cbpf/threaded_fuse.h"

#include <new>

#include "support/assert.h"

namespace skep::cbpf {
namespace {

using isa::cbpf::Kind;

constexpr u32 kMaxAlternatives = 256;

bool is_compare(Op op) {
  return info(op).kind == Kind::JmpK;
}

isa::cbpf::JmpOp compare_of(Op op) {
  using isa::cbpf::JmpOp;
  if (op == Op::JeqK) return JmpOp::Jeq;
  if (op == Op::JgtK) return JmpOp::Jgt;
  return op == Op::JgeK ? JmpOp::Jge : JmpOp::Jset;
}

std::optional<ValueKind> value_kind(Op op) {
#define VALUE(kind, load) \
  if (op == Op::load) return ValueKind::kind;
#include "cbpf/threaded_handlers.def"
  return std::nullopt;
}

enum class Accumulator : u8 { Used, Replaced, Kept };

// What the instruction does with the accumulator's value. Replaced: it ends there, unused.
Accumulator accumulator(Op op) {
  switch (op) {
    // clang-format off
#define ALU(name, ...) case Op::name##K: case Op::name##X:
#define JMP(name, ...) case Op::name##K: case Op::name##X:
#include "isa/cbpf.def"
    // clang-format on
    case Op::St:
    case Op::Neg:
    case Op::Tax:
    case Op::RetA:
    case Op::Nla:
    case Op::NlaNest:
    case Op::AccXorX:
    case Op::IfIndex:  // both return it where there is no device
    case Op::HaType: return Accumulator::Used;
    case Op::LdAbsW:
    case Op::LdAbsH:
    case Op::LdAbsB:
    case Op::LdIndW:
    case Op::LdIndH:
    case Op::LdIndB:
    case Op::LdImm:
    case Op::LdLen:
    case Op::LdMem:
    case Op::Txa:
    case Op::RetK:
    case Op::Proto:
    case Op::PktType:
    case Op::Mark:
    case Op::Queue:
    case Op::RxHash:
    case Op::Cpu:
    case Op::VlanTci:
    case Op::VlanAvail:
    case Op::PayOff:
    case Op::Rand:
    case Op::VlanTpid: return Accumulator::Replaced;
    case Op::LdxImm:
    case Op::LdxLen:
    case Op::LdxMem:
    case Op::LdxMsh:
    case Op::Stx:
    case Op::Ja: return Accumulator::Kept;
  }
  unreachable();
}

bool pairs(ValueKind first, ValueKind second) {
#define PAIR(p, q) \
  if (first == ValueKind::p && second == ValueKind::q) return true;
#include "cbpf/threaded_handlers.def"
  return false;
}

}  // namespace

std::optional<Fuser> Fuser::make(const Program& program) {
  Fuser fuser;
  fuser.insns_ = program.insns();
  fuser.seccomp_ = program.rules() == Rules::Seccomp;
  const std::span<const Insn> insns = fuser.insns_;
  fuser.live_.reset(new (std::nothrow) u8[insns.size()]);
  if (!fuser.live_) return std::nullopt;
  u8* live = fuser.live_.get();
  for (u32 pc = static_cast<u32>(insns.size()); pc-- > 0;) {
    const Insn& insn = insns[pc];
    switch (accumulator(insn.op)) {
      case Accumulator::Used: live[pc] = 1; break;
      case Accumulator::Replaced: live[pc] = 0; break;
      case Accumulator::Kept: {
        const u32 next = insn.op == Op::Ja ? ja_target(pc, insn.k) : pc + 1;
        live[pc] = next > pc ? live[next] : 1;  // a loop may need it
        break;
      }
    }
  }
  return fuser;
}

std::optional<Test> Fuser::test_at(u32 pc) const {
  Test test;
  u32 at = pc;
  if (const std::optional<ValueKind> kind = value_kind(insns_[at].op);
      kind && *kind != ValueKind::Acc) {
    if (seccomp_) return std::nullopt;  // its loads and length are others
    test.kind = *kind;
    test.k = insns_[at].k;
    ++at;
  }
  // The last instruction is a return, so there always is a next one.
  if (insns_[at].op == Op::AndK) test.mask = insns_[at++].k;
  const Insn& jump = insns_[at];
  if (!is_compare(jump.op)) return std::nullopt;
  const std::optional<Interval> in = holds_in(compare_of(jump.op), jump.k);
  if (!in) return std::nullopt;
  test.in = *in;
  test.hit = at + 1 + jump.jt;
  test.miss = at + 1 + jump.jf;
  test.first_jump = at;
  test.length = at + 1 - pc;
  if (jump.op == Op::JsetK) {
    // The machine keeps the masked value, which is not the accumulator's here.
    if (is_live(test.hit) || is_live(test.miss)) return std::nullopt;
    test.mask &= jump.k;
    return test;
  }
  if (!join_range(test)) join_alternatives(test);
  return test;
}

// v in P ? (v in Q ? a : b) : b  =>  v in P and Q ? a : b
bool Fuser::join_range(Test& test) const {
  const auto join = [&](std::optional<Interval> here, u32 next, u32 other) {
    const Insn& jump = insns_[next];
    if (!here || !is_compare(jump.op) || jump.op == Op::JsetK) return false;
    const u32 jt = next + 1 + jump.jt;
    const u32 jf = next + 1 + jump.jf;
    if ((jf == other) == (jt == other)) return false;
    std::optional<Interval> there = holds_in(compare_of(jump.op), jump.k);
    if (jt == other && there) there = complement(*there);
    if (!there) return false;
    const std::optional<Interval> both = intersection(*here, *there);
    if (!both) return false;
    test.in = *both;
    test.hit = jt == other ? jf : jt;
    test.miss = other;
    return true;
  };
  return join(test.in, test.hit, test.miss) || join(complement(test.in), test.miss, test.hit);
}

// v == p ? a : (v == q ? a : b)  =>  v in {p, q} ? a : b
void Fuser::join_alternatives(Test& test) const {
  if (test.kind == ValueKind::Len) return;
  u32 at = test.first_jump;
  while (test.alternatives < kMaxAlternatives && insns_[at].op == Op::JeqK) {
    const u32 next = at + 1 + insns_[at].jf;
    const Insn& jump = insns_[next];
    if (jump.op != Op::JeqK || next + 1 + jump.jt != test.hit) break;
    test.miss = next + 1 + jump.jf;
    ++test.alternatives;
    at = next;
  }
}

// The test at one of first's targets that can be joined with it: both must have a target in
// common. Turns first so that this is its hit.
std::optional<Test> Fuser::second_for(Test& first) const {
  for (const bool turned : {false, true}) {
    const u32 common = turned ? first.miss : first.hit;
    const u32 next = turned ? first.hit : first.miss;
    const std::optional<Interval> in = turned ? complement(first.in) : first.in;
    if (!in || is_live(common) || next == common) continue;
    std::optional<Test> second = test_at(next);
    if (!second || second->alternatives != 1 || !pairs(first.kind, second->kind)) continue;
    if (second->hit != common) {
      if (second->miss != common) continue;
      const std::optional<Interval> rest = complement(second->in);
      if (!rest) continue;
      second->in = *rest;
      std::swap(second->hit, second->miss);
    }
    if (second->miss == common) continue;
    first.in = *in;
    first.hit = common;
    first.miss = next;
    return second;
  }
  return std::nullopt;
}

std::optional<Group> Fuser::group_at(u32 pc) const {
  std::optional<Test> first = test_at(pc);
  if (!first) return std::nullopt;
  Group group{*first, std::nullopt};
  if (first->alternatives == 1) group.second = second_for(group.first);
  const u32 end = group.second ? group.second->miss : group.first.miss;
  const bool ends = insns_[group.first.hit].op == Op::RetK && insns_[end].op == Op::RetK;
  const bool more = first->length > 1 || first->alternatives > 1 || group.second || ends;
  if (!more) return std::nullopt;
  return group;
}

}  // namespace skep::cbpf
