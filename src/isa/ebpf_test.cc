// SPDX-License-Identifier: Apache-2.0
// The table against <linux/bpf.h>, which knows nothing of it.
#include "isa/ebpf.h"

#include <gtest/gtest.h>
#include <linux/bpf.h>

#include <set>
#include <string>

namespace skep::isa::ebpf {
namespace {

// clang-format off
static_assert(info(Op::Add64K).code == (BPF_ALU64 | BPF_ADD | BPF_K));
static_assert(info(Op::Sub32X).code == (BPF_ALU | BPF_SUB | BPF_X));
static_assert(info(Op::Mul64X).code == (BPF_ALU64 | BPF_MUL | BPF_X));
static_assert(info(Op::Div32K).code == (BPF_ALU | BPF_DIV | BPF_K));
static_assert(info(Op::Or64K).code == (BPF_ALU64 | BPF_OR | BPF_K));
static_assert(info(Op::And32X).code == (BPF_ALU | BPF_AND | BPF_X));
static_assert(info(Op::Lsh64X).code == (BPF_ALU64 | BPF_LSH | BPF_X));
static_assert(info(Op::Rsh32K).code == (BPF_ALU | BPF_RSH | BPF_K));
static_assert(info(Op::Neg64).code == (BPF_ALU64 | BPF_NEG));
static_assert(info(Op::Mod64K).code == (BPF_ALU64 | BPF_MOD | BPF_K));
static_assert(info(Op::Xor32X).code == (BPF_ALU | BPF_XOR | BPF_X));
static_assert(info(Op::Mov64X).code == (BPF_ALU64 | BPF_MOV | BPF_X));
static_assert(info(Op::Arsh64K).code == (BPF_ALU64 | BPF_ARSH | BPF_K));
static_assert(info(Op::SDiv64X).code == (BPF_ALU64 | BPF_DIV | BPF_X));
static_assert(info(Op::SMod32K).code == (BPF_ALU | BPF_MOD | BPF_K));
static_assert(info(Op::MovSx32X64).code == (BPF_ALU64 | BPF_MOV | BPF_X));
static_assert(info(Op::ToLe16).code == (BPF_ALU | BPF_END | BPF_TO_LE));
static_assert(info(Op::ToBe64).code == (BPF_ALU | BPF_END | BPF_TO_BE));
static_assert(info(Op::Bswap32).code == (BPF_ALU64 | BPF_END));
static_assert(info(Op::Jeq64K).code == (BPF_JMP | BPF_JEQ | BPF_K));
static_assert(info(Op::Jgt64X).code == (BPF_JMP | BPF_JGT | BPF_X));
static_assert(info(Op::Jge32K).code == (BPF_JMP32 | BPF_JGE | BPF_K));
static_assert(info(Op::Jset32X).code == (BPF_JMP32 | BPF_JSET | BPF_X));
static_assert(info(Op::Jne64K).code == (BPF_JMP | BPF_JNE | BPF_K));
static_assert(info(Op::Jsgt64K).code == (BPF_JMP | BPF_JSGT | BPF_K));
static_assert(info(Op::Jsge64K).code == (BPF_JMP | BPF_JSGE | BPF_K));
static_assert(info(Op::Jlt64K).code == (BPF_JMP | BPF_JLT | BPF_K));
static_assert(info(Op::Jle64K).code == (BPF_JMP | BPF_JLE | BPF_K));
static_assert(info(Op::Jslt32X).code == (BPF_JMP32 | BPF_JSLT | BPF_X));
static_assert(info(Op::Jsle32K).code == (BPF_JMP32 | BPF_JSLE | BPF_K));
static_assert(info(Op::Ja).code == (BPF_JMP | BPF_JA));
static_assert(info(Op::Ja32).code == (BPF_JMP32 | BPF_JA));
static_assert(info(Op::Call).code == (BPF_JMP | BPF_CALL));
static_assert(info(Op::CallLocal).selected == BPF_PSEUDO_CALL);
static_assert(info(Op::CallKfunc).selected == BPF_PSEUDO_KFUNC_CALL);
static_assert(info(Op::Exit).code == (BPF_JMP | BPF_EXIT));
static_assert(info(Op::LdxB).code == (BPF_LDX | BPF_MEM | BPF_B));
static_assert(info(Op::LdxH).code == (BPF_LDX | BPF_MEM | BPF_H));
static_assert(info(Op::LdxW).code == (BPF_LDX | BPF_MEM | BPF_W));
static_assert(info(Op::LdxDw).code == (BPF_LDX | BPF_MEM | BPF_DW));
static_assert(info(Op::LdxSxB).code == (BPF_LDX | 0x80 | BPF_B));
static_assert(info(Op::LdxSxH).code == (BPF_LDX | 0x80 | BPF_H));
static_assert(info(Op::LdxSxW).code == (BPF_LDX | 0x80 | BPF_W));
static_assert(info(Op::StB).code == (BPF_ST | BPF_MEM | BPF_B));
static_assert(info(Op::StH).code == (BPF_ST | BPF_MEM | BPF_H));
static_assert(info(Op::StW).code == (BPF_ST | BPF_MEM | BPF_W));
static_assert(info(Op::StDw).code == (BPF_ST | BPF_MEM | BPF_DW));
static_assert(info(Op::StxB).code == (BPF_STX | BPF_MEM | BPF_B));
static_assert(info(Op::StxH).code == (BPF_STX | BPF_MEM | BPF_H));
static_assert(info(Op::StxW).code == (BPF_STX | BPF_MEM | BPF_W));
static_assert(info(Op::StxDw).code == (BPF_STX | BPF_MEM | BPF_DW));
static_assert(info(Op::AtomicAdd32).code == (BPF_STX | BPF_ATOMIC | BPF_W));
static_assert(info(Op::AtomicAdd64).code == (BPF_STX | BPF_ATOMIC | BPF_DW));
static_assert(info(Op::AtomicAdd64).selected == BPF_ADD);
static_assert(info(Op::AtomicOr64).selected == BPF_OR);
static_assert(info(Op::AtomicAnd32).selected == BPF_AND);
static_assert(info(Op::AtomicXor64).selected == BPF_XOR);
static_assert(info(Op::FetchAdd64).selected == (BPF_ADD | BPF_FETCH));
static_assert(info(Op::FetchXor32).selected == (BPF_XOR | BPF_FETCH));
static_assert(info(Op::Xchg64).selected == BPF_XCHG);
static_assert(info(Op::CmpXchg32).selected == BPF_CMPXCHG);
static_assert(info(Op::LoadAcqB).code == (BPF_STX | BPF_ATOMIC | BPF_B));
static_assert(info(Op::StoreRelH).code == (BPF_STX | BPF_ATOMIC | BPF_H));
static_assert(info(Op::LdAbsW).code == (BPF_LD | BPF_ABS | BPF_W));
static_assert(info(Op::LdAbsB).code == (BPF_LD | BPF_ABS | BPF_B));
static_assert(info(Op::LdIndH).code == (BPF_LD | BPF_IND | BPF_H));
static_assert(info(Op::Lddw).code == (BPF_LD | BPF_IMM | BPF_DW));
static_assert(info(Op::LddwMapFd).selected == BPF_PSEUDO_MAP_FD);
static_assert(info(Op::LddwMapValue).selected == BPF_PSEUDO_MAP_VALUE);
static_assert(info(Op::LddwVarAddr).selected == BPF_PSEUDO_BTF_ID);
static_assert(info(Op::LddwCodeAddr).selected == BPF_PSEUDO_FUNC);
static_assert(info(Op::LddwMapIdx).selected == BPF_PSEUDO_MAP_IDX);
static_assert(info(Op::LddwMapIdxValue).selected == BPF_PSEUDO_MAP_IDX_VALUE);
// clang-format on

TEST(EbpfTable, NamesAreUnique) {
  std::set<std::string> names;
  for (const OpInfo& op : kOpInfo) EXPECT_TRUE(names.emplace(op.name).second) << op.name;
}

TEST(EbpfTable, OpcodeAndSelectorNameOneOperation) {
  std::set<std::tuple<u8, Selector, s32>> keys;
  for (const OpInfo& op : kOpInfo) {
    if (op.kind == Kind::LddwHigh) continue;
    EXPECT_TRUE(keys.emplace(op.code, op.selector, op.selected).second) << op.name;
  }
}

TEST(EbpfTable, OperationsOfOneOpcodeShareTheSelector) {
  std::array<const OpInfo*, 256> first{};
  for (const OpInfo& op : kOpInfo) {
    if (op.kind == Kind::LddwHigh) continue;
    const OpInfo*& slot = first[op.code];
    if (slot == nullptr) slot = &op;
    EXPECT_EQ(slot->selector, op.selector) << op.name;
  }
}

TEST(EbpfTable, RegisterFormsReadSrcAndImmediateFormsImm) {
  for (const OpInfo& op : kOpInfo) {
    if (op.kind != Kind::Alu && op.kind != Kind::Jmp) continue;
    EXPECT_EQ((op.fields & kSrc) != 0, op.source == Source::X) << op.name;
    EXPECT_EQ((op.fields & kImm) != 0, op.source == Source::K) << op.name;
  }
}

}  // namespace
}  // namespace skep::isa::ebpf
