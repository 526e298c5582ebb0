// SPDX-License-Identifier: Apache-2.0
#include "tests/support/classic_programs.h"

#include <algorithm>

namespace skep::testing {
namespace {

using isa::cbpf::Insn;
using isa::cbpf::Kind;
using isa::cbpf::Op;
using isa::cbpf::Operand;
using isa::cbpf::RawInsn;
using isa::cbpf::Rules;

constexpr u32 kCounter = 15;  // the word of scratch memory that counts a loop's rounds

u32 constant(Random& random) {
  constexpr u32 kCorners[] = {0, 1, 2, 31, 32, 33, 0x7fffffff, 0x80000000, 0xffffffff, 0x0800};
  if (random.chance(40)) return random.pick(kCorners);
  return random.chance(50) ? random.below(256) : random.word();
}

u32 offset(Random& random, Rules rules) {
  if (rules == Rules::Seccomp) return 4 * random.below(16);
  if (random.chance(80)) return random.below(60);
  if (rules == Rules::Linux && random.chance(50))
    return (random.chance(50) ? isa::cbpf::kNetworkBase : isa::cbpf::kLinkBase) + random.below(40);
  constexpr u32 kFar[] = {0x7fffffff, 0xffefffff, 0xffdfffff, 0xfff00000, 1600, 0x80000000};
  return random.pick(kFar);
}

bool usable(Op op, Rules rules) {
  const isa::cbpf::OpInfo& row = info(op);
  if (op == Op::Ja || isa::cbpf::is_return(op)) return false;
  if (row.kind == Kind::Anc) return rules == Rules::Linux;
  if (rules != Rules::Seccomp) return true;
  const bool packet =
      row.operand == Operand::Abs || row.operand == Operand::Ind || row.operand == Operand::Msh;
  return op == Op::LdAbsW || (!packet && op != Op::ModK && op != Op::ModX);
}

Insn random_insn(Random& random, Rules rules, u32 left) {
  Insn insn;
  do insn.op = static_cast<Op>(random.below(static_cast<u32>(isa::cbpf::kOpCount)));
  while (!usable(insn.op, rules));
  const isa::cbpf::OpInfo& row = info(insn.op);
  insn.k = constant(random);
  if (row.operand == Operand::Abs || row.operand == Operand::Msh) insn.k = offset(random, rules);
  if (row.operand == Operand::Ind) insn.k = random.chance(80) ? random.below(40) : random.word();
  if (row.operand == Operand::Mem) insn.k = random.below(kCounter);
  if (row.kind == Kind::Anc) insn.size = random.pick({u8{0}, u8{8}, u8{16}});
  if (insn.op == Op::DivK || insn.op == Op::ModK) insn.k |= 1;
  if (insn.op == Op::LshK || insn.op == Op::RshK) insn.k %= 32;
  if (isa::cbpf::is_jump(insn.op)) {
    insn.jt = static_cast<u8>(random.below(std::min(left, 5u)));
    insn.jf = static_cast<u8>(random.below(std::min(left, 5u)));
  }
  return insn;
}

void append(std::vector<RawInsn>& to, Op op, u32 k, u8 jt = 0, u8 jf = 0) {
  to.push_back(encode(Insn{op, 0, jt, jf, k}));
}

// Every word of scratch memory gets a value, so that loads may come anywhere.
void append_prologue(std::vector<RawInsn>& to, Random& random) {
  append(to, Op::LdImm, random.below(60));
  append(to, Op::LdxImm, random.below(30));
  for (u32 word = 0; word < kCounter; ++word)
    if (random.chance(50))
      append(to, Op::St, word);
    else
      append(to, Op::Stx, word);
}

// A load and the comparison behind it with a value it may well have.
void append_pair(std::vector<RawInsn>& to, Random& random, Rules rules, u32 left) {
  constexpr Op kLoads[] = {Op::LdAbsW, Op::LdAbsH, Op::LdAbsB, Op::LdIndW, Op::LdIndH, Op::LdIndB};
  constexpr Op kJumps[] = {Op::JeqK, Op::JgtK, Op::JgeK, Op::JsetK};
  const Op load = rules == Rules::Seccomp ? Op::LdAbsW : random.pick(kLoads);
  append(to, load, info(load).operand == Operand::Ind ? random.below(40) : offset(random, rules));
  if (random.chance(30)) append(to, Op::AndK, random.chance(50) ? 0xf0 : 0xffffff00);
  constexpr u32 kValues[] = {0x0800, 0, 6, 17, 80, 53, 0x86dd, 0xc0a80200, 0x10, 0xff};
  append(to, random.pick(kJumps), random.pick(kValues),
         static_cast<u8>(random.below(std::min(left, 5u))),
         static_cast<u8>(random.below(std::min(left, 5u))));
}

// A load compared with several values that lead to one place.
void append_chain(std::vector<RawInsn>& to, Random& random, Rules rules, u32 left) {
  append(to, rules == Rules::Seccomp ? Op::LdAbsW : Op::LdAbsB, offset(random, rules));
  const u32 distance = random.below(std::min(left, 5u));
  for (u32 behind = random.between(1, 6); behind-- > 0;)
    append(to, Op::JeqK, random.below(70), static_cast<u8>(behind + distance));
}

// Two tests of which either leads to the last of the loads behind them.
void append_joined(std::vector<RawInsn>& to, Random& random) {
  constexpr Op kLoads[] = {Op::LdAbsW, Op::LdAbsH, Op::LdAbsB, Op::LdIndH};
  constexpr Op kJumps[] = {Op::JeqK, Op::JgtK, Op::JgeK, Op::JsetK};
  for (const u8 distance : {u8{3}, u8{1}}) {
    append(to, random.pick(kLoads), random.below(50));
    const bool taken = random.chance(50);
    append(to, random.pick(kJumps), random.chance(50) ? random.below(100) : random.word(),
           taken ? distance : u8{0}, taken ? u8{0} : distance);
  }
  append(to, random.pick(kLoads), random.below(50));
  append(to, random.pick(kLoads), random.below(50));
}

}  // namespace

std::vector<RawInsn> random_classic_program(Random& random, Rules rules) {
  std::vector<RawInsn> program;
  append_prologue(program, random);
  const bool loop = rules == Rules::Libpcap && random.chance(20);
  if (loop) {
    append(program, Op::LdxImm, random.between(1, 9));
    append(program, Op::Stx, kCounter);
  }
  const std::size_t start = program.size();
  const u32 length = random.between(1, 30);
  // Jumps go at most to the second of the two returns at the end.
  for (u32 i = 0; i < length; ++i) {
    if (random.chance(25))
      append_pair(program, random, rules, length - i);
    else if (random.chance(5))
      append_chain(program, random, rules, length - i);
    else if (rules != Rules::Seccomp && random.chance(5))
      append_joined(program, random);
    else
      program.push_back(encode(random_insn(random, rules, length - i)));
    if (random.chance(4)) append(program, Op::Ja, random.below(std::min(length - i, 3u)));
  }
  if (loop) {
    append(program, Op::LdMem, kCounter);
    append(program, Op::SubK, 1);
    append(program, Op::St, kCounter);
    append(program, Op::JeqK, 0, 1, 0);
    const std::size_t distance = program.size() + 1 - start;
    append(program, Op::Ja, static_cast<u32>(0 - distance));
  }
  for (int i = 0; i < 4; ++i) append(program, Op::Txa, 0);
  append(program, random.chance(70) ? Op::RetA : Op::RetK, random.word());
  append(program, Op::RetA, 0);
  return program;
}

cbpf::Metadata random_metadata(Random& random) {
  cbpf::Metadata m;
  for (u32* field :
       {&m.protocol, &m.packet_type, &m.ifindex, &m.mark, &m.queue, &m.hardware_type, &m.rx_hash,
        &m.cpu, &m.vlan_tci, &m.vlan_present, &m.vlan_tpid, &m.payload_offset, &m.random})
    *field = random.chance(50) ? random.below(100) : random.word();
  m.network_offset = random.chance(80) ? 14 : random.below(100);
  m.link_offset = 0;
  m.has_device = random.chance(90) ? 1 : 0;
  return m;
}

}  // namespace skep::testing
