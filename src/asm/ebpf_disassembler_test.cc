// SPDX-License-Identifier: Apache-2.0
// Tests of ebpf_disassembler.h: literal texts.
#include "asm/ebpf_disassembler.h"

#include <gtest/gtest.h>

#include <fstream>

#include "asm/ebpf_assembler.h"
#include "isa/ebpf_codec.h"

namespace skep::assembler::ebpf {
namespace {

using isa::ebpf::Insn;
using isa::ebpf::Op;

struct Case {
  Insn insn;
  std::string_view llvm, kernel, mnemonic;
};

// clang-format off
const Case kCases[] = {
  {{.op = Op::Add32K, .dst = 1, .imm = -5},
   "w1 += -0x5", "(04) w1 += -5", "add32 %r1, -5"},
  {{.op = Op::Mov64X, .dst = 10, .src = 2},
   "r10 = r2", "(bf) r10 = r2", "mov %r10, %r2"},
  {{.op = Op::SDiv64X, .dst = 1, .src = 2},
   "r1 s/= r2", "(3f) r1 s/= r2", "sdiv %r1, %r2"},
  {{.op = Op::MovSx8X32, .dst = 1, .src = 2},
   "w1 = (s8)w2", "(bc) w1 = (s8)w2", "movsx832 %r1, %r2"},
  {{.op = Op::MovSx32X64, .dst = 1, .src = 2},
   "r1 = (s32)r2", "(bf) r1 = (s32)r2", "movsx3264 %r1, %r2"},
  {{.op = Op::Neg32, .dst = 3},
   "w3 = -w3", "(84) w3 = -w3", "neg32 %r3"},
  {{.op = Op::ToBe16, .dst = 3},
   "r3 = be16 r3", "(dc) r3 = be16 r3", "be16 %r3"},
  {{.op = Op::Bswap32, .dst = 3},
   "r3 = bswap32 r3", "(d7) r3 = bswap32 r3", "swap32 %r3"},
  {{.op = Op::Jsgt32K, .dst = 1, .off = -3, .imm = -1},
   "if w1 s> -0x1 goto -0x3", "(66) if w1 s> 0xffffffff goto pc-3", "jsgt32 %r1, -1, -3"},
  {{.op = Op::Jset64X, .dst = 1, .src = 2, .off = 0},
   "if r1 & r2 goto +0x0", "(4d) if r1 & r2 goto pc+0", "jset %r1, %r2, +0"},
  {{.op = Op::LdxH, .dst = 1, .src = 2, .off = -4},
   "w1 = *(u16 *)(r2 - 0x4)", "(69) r1 = *(u16 *)(r2 -4)", "ldxh %r1, [%r2-4]"},
  {{.op = Op::LdxSxW, .dst = 1, .src = 2, .off = 0},
   "r1 = *(s32 *)(r2 + 0x0)", "(81) r1 = *(s32 *)(r2 +0)", "ldxsw %r1, [%r2]"},
  {{.op = Op::StDw, .dst = 10, .off = -8, .imm = 7},
   "*(u64 *)(r10 - 0x8) = 0x7", "(7a) *(u64 *)(r10 -8) = 7", "stdw [%r10-8], 7"},
  {{.op = Op::StxB, .dst = 10, .src = 1, .off = 4},
   "*(u8 *)(r10 + 0x4) = w1", "(73) *(u8 *)(r10 +4) = r1", "stxb [%r10+4], %r1"},
  {{.op = Op::AtomicXor32, .dst = 1, .src = 2, .off = 4},
   "lock *(u32 *)(r1 + 0x4) ^= w2", "(c3) lock *(u32 *)(r1 +4) ^= r2", "lock xor32 [%r1+4], %r2"},
  {{.op = Op::FetchAdd64, .dst = 1, .src = 2, .off = 4},
   "r2 = atomic_fetch_add((u64 *)(r1 + 0x4), r2)",
   "(db) r2 = atomic64_fetch_add((u64 *)(r1 +4), r2)", "lock fetch add [%r1+4], %r2"},
  {{.op = Op::Xchg32, .dst = 1, .src = 2, .off = 4},
   "w2 = xchg32_32(r1 + 0x4, w2)", "(c3) r2 = atomic_xchg((u32 *)(r1 +4), r2)",
   "lock xchg32 [%r1+4], %r2"},
  {{.op = Op::CmpXchg64, .dst = 1, .src = 2, .off = 4},
   "r0 = cmpxchg_64(r1 + 0x4, r0, r2)", "(db) r0 = atomic64_cmpxchg((u64 *)(r1 +4), r0, r2)",
   "lock cmpxchg [%r1+4], %r2"},
  {{.op = Op::LoadAcqH, .dst = 1, .src = 2, .off = 4},
   "w1 = load_acquire((u16 *)(r2 + 0x4))", "(cb) r1 = load_acquire((u16 *)(r2 +4))",
   "ldacqh %r1, [%r2+4]"},
  {{.op = Op::StoreRelDw, .dst = 1, .src = 2, .off = 4},
   "store_release((u64 *)(r1 + 0x4), r2)", "(db) store_release((u64 *)(r1 +4), r2)",
   "streldw [%r1+4], %r2"},
  {{.op = Op::LdAbsH, .imm = 12},
   "r0 = *(u16 *)skb[0xc]", "(28) r0 = *(u16 *)skb[12]", "ldabsh 12"},
  {{.op = Op::LdIndB, .src = 2, .imm = -4},
   "r0 = *(u8 *)skb[r2 - 0x4]", "(50) r0 = *(u8 *)skb[r2 + -4]", "ldindb %r2, -4"},
  {{.op = Op::Lddw, .dst = 1, .imm = -5},
   "r1 = -0x5 ll", "(18) r1 = 0xfffffffffffffffb", "lddw %r1, 0xfffffffffffffffb"},
  {{.op = Op::LddwMapFd, .dst = 1, .imm = 5},
   "ld_pseudo\tr1, 0x1, 0x5", "(18) r1 = map[fd:5]", "lddw_map_fd %r1, 0x5"},
  {{.op = Op::LddwMapValue, .dst = 1, .imm = 0x800000005},
   "ld_pseudo\tr1, 0x2, 0x800000005", "(18) r1 = map[fd:5][0]+8", "lddw_map_value %r1, 0x800000005"},
  {{.op = Op::LddwCodeAddr, .dst = 1, .imm = 3},
   "ld_pseudo\tr1, 0x4, 0x3", "(18) r1 = subprog[3]", "lddw_code_addr %r1, 0x3"},
  {{.op = Op::LddwHigh}, "", "", ""},
  {{.op = Op::Ja, .off = 5},
   "goto +0x5", "(05) goto pc+5", "ja +5"},
  {{.op = Op::Ja32, .imm = -50000},
   "gotol -0xc350", "(06) gotol pc-50000", "ja32 -50000"},
  {{.op = Op::MayGoto, .off = 4},
   "may_goto +0x4", "(e5) may_goto pc+4", "may_goto +4"},
  {{.op = Op::Call, .imm = 1},
   "call 0x1", "(85) call bpf_map_lookup_elem#1", "call 1"},
  {{.op = Op::Call, .imm = 77},
   "call 0x4d", "(85) call unknown#77", "call 77"},
  {{.op = Op::CallLocal, .imm = 5},
   "call pc+0x5", "(85) call pc+5", "call local +5"},
  {{.op = Op::CallKfunc, .off = 3, .imm = 900},
   "call kfunc#900 off=3", "(85) call kfunc#900 off=3", "call runtime 900 off=3"},
  {{.op = Op::Exit},
   "exit", "(95) exit", "exit"},
};
// clang-format on

constexpr HelperName kHelpers[] = {{1, "bpf_map_lookup_elem"}, {2, "bpf_map_update_elem"}};

TEST(Disassembler, WritesEachNotation) {
  for (const Case& c : kCases) {
    EXPECT_EQ(to_text(c.insn, Notation::Llvm, kHelpers), c.llvm);
    EXPECT_EQ(to_text(c.insn, Notation::Kernel, kHelpers), c.kernel);
    EXPECT_EQ(to_text(c.insn, Notation::Mnemonic, kHelpers), c.mnemonic);
  }
}

TEST(Disassembler, NumbersSlotsAndSkipsTheSecondOfAConstant) {
  const Insn program[] = {
      {.op = Op::Lddw, .dst = 1, .imm = 1}, {.op = Op::LddwHigh}, {.op = Op::Exit}};
  EXPECT_EQ(disassemble(program, Notation::Kernel, {.indexes = true}),
            "   0: (18) r1 = 0x1\n   2: (95) exit\n");
  EXPECT_EQ(disassemble(program, Notation::Llvm, {.indexes = true}),
            "       0:\tr1 = 0x1 ll\n       2:\texit\n");
  EXPECT_EQ(disassemble(program, Notation::Mnemonic), "lddw %r1, 0x1\nexit\n");
}

// Lines "HEX BYTES | TEXT" of llvm-objdump 19 (tests/filetests/asm/README.md).
TEST(Disassembler, AgreesWithLlvmObjdump) {
  std::ifstream file(SKEP_SOURCE_DIR "/tests/filetests/asm/llvm-objdump-19.txt");
  ASSERT_TRUE(file.is_open());
  std::string line;
  int lines = 0;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t bar = line.find(" | ");
    ASSERT_NE(bar, std::string::npos) << line;
    std::vector<u8> bytes;
    for (std::size_t i = 0; i < bar; i += 3) {
      bytes.push_back(static_cast<u8>(std::stoul(line.substr(i, 2), nullptr, 16)));
    }
    const auto program = isa::ebpf::decode(bytes, ByteOrder::Little);
    ASSERT_TRUE(program.has_value()) << line;
    const std::string ours = disassemble(*program, Notation::Llvm);
    EXPECT_EQ(ours, line.substr(bar + 3) + "\n");
    const auto again = assemble(line.substr(bar + 3));
    ASSERT_TRUE(again.has_value()) << line << to_string(again.error());
    EXPECT_EQ(*again, *program) << line;
    ++lines;
  }
  EXPECT_GT(lines, 250);
}

}  // namespace
}  // namespace skep::assembler::ebpf
