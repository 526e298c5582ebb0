// SPDX-License-Identifier: Apache-2.0
// Tests of ebpf_assembler.h: what is read, and what is said about what is not.
#include "asm/ebpf_assembler.h"

#include <gtest/gtest.h>

namespace skep::assembler::ebpf {
namespace {

using isa::ebpf::Insn;
using isa::ebpf::Op;

Insn one(std::string_view text) {
  const auto program = assemble(text);
  EXPECT_TRUE(program.has_value()) << text << ": " << to_string(program.error());
  return program && !program->empty() ? program->front() : Insn{};
}

/// The program as text in LLVM's notation, whose printing has tests of its own.
std::string llvm(std::string_view text) {
  const auto program = assemble(text);
  return program ? disassemble(*program, Notation::Llvm) : to_string(program.error());
}

std::string error_of(std::string_view text) {
  const auto program = assemble(text);
  return program ? "assembled" : to_string(program.error());
}

struct Case {
  std::string_view text;
  std::string_view same;  ///< the first spelling of the same instruction
};

// Spellings that the printers do not use.
// clang-format off
const Case kSpellings[] = {
  {"r1 = 5", "mov %r1, 5"}, {"r1=5", "mov %r1, 5"}, {"(b7) r1 = 5", "mov %r1, 5"},
  {"0: (b7) r1 = 5", "mov %r1, 5"}, {"  0:\tb7 01 00 00 05 00 00 00\tr1 = 0x5", "mov %r1, 5"},
  {"r1 = 0xffffffff", "mov %r1, -1"}, {"mov64 r1, 0xffffffff", "mov %r1, -1"}, {"r1 = +5", "mov %r1, 5"},
  {"w1 =-5", "mov32 %r1, -5"}, {"r1 += %r2", "add %r1, %r2"},
  {"r1 = 5 ll", "lddw %r1, 5"}, {"r1 = 5ll", "lddw %r1, 5"}, {"(18) r1 = 5", "lddw %r1, 5"},
  {"r1 = 0xffffffffffffffff ll", "lddw %r1, -1"},
  {"0: 18 01 00 00 05 00 00 00 00 00 00 00 00 00 00 00 r1 = 0x5 ll", "lddw %r1, 5"},
  {"r1 = *(u32 *)(r2)", "ldxw %r1, [%r2+0]"}, {"r1 = *(u32*)(r2+0x4)", "ldxw %r1, [%r2+4]"},
  {"w1 = *(u32 *)(r2 +4)", "ldxw r1, [r2 + 4]"}, {"r1 = *(s8 *)(r2 -4)", "ldxsb %r1, [%r2-4]"},
  {"*(u32 *)(r1 + 0) = r2", "stxw [%r1], %r2"}, {"*(u32 *)(r1 + 0) = w2", "stxw [%r1], %r2"},
  {"*(u64 *)(r10 - 8) = -1", "stdw [%r10-8], -1"},
  {"if r1 != 0x0 goto pc+3", "jne %r1, 0, +3"}, {"if w1 s> w2 goto +3 <LBB0_1>", "jsgt32 %r1, %r2, +3"},
  {"goto +0x5 <f+0x30>", "ja +5"}, {"goto pc-1", "ja -1"}, {"gotol pc+70000", "ja32 +70000"},
  {"r1 = be16 r1", "be16 %r1"}, {"bswap16 %r1", "swap16 %r1"},
  {"lock *(u64 *)(r1 + 0) += r2", "lock add [%r1+0], %r2"},
  {"lock *(u32 *)(r1 +0) |= r2", "lock or32 [%r1], %r2"},
  {"lock fetch_add32 [%r1], %r2", "lock fetch add32 [%r1], %r2"},
  {"r3 = atomic_fetch_add((u64 *)(r1 + 0), r3)", "lock fetch add [%r1], %r3"},
  {"w3 = atomic_fetch_xor((u32 *)(r1 + 0), w3)", "lock fetch xor32 [%r1], %r3"},
  {"r3 = atomic_fetch_xor((u32 *)(r1 + 0), r3)", "lock fetch xor32 [%r1], %r3"},
  {"r0 = atomic64_cmpxchg((u64 *)(r1 +0), r0, r2)", "lock cmpxchg [%r1], %r2"},
  {"w0 = cmpxchg32_32(r1 + 0, w0, w2)", "lock cmpxchg32 [%r1], %r2"},
  {"r2 = xchg_64(r1 + 0, r2)", "lock xchg [%r1], %r2"},
  {"r1 = load_acquire((u32 *)(r2 +0))", "ldacqw %r1, [%r2]"},
  {"store_release((u8 *)(r2 +0), r1)", "strelb [%r2], %r1"},
  {"r0 = *(u32 *)skb[4]", "ldabsw 4"}, {"r0 = *(u8 *)skb[r2]", "ldindb %r2, 0"},
  {"r0 = *(u16 *)skb[r2 + 4]", "ldindh %r2, 4"}, {"r0 = *(u16 *)skb[r2 - 4]", "ldindh %r2, -4"},
  {"r1 = map[fd:5]", "lddw_map_fd %r1, 5"}, {"r1 = map[fd:5][0]+8", "lddw_map_value %r1, 0x800000005"},
  {"r1 = map[fd:5][0]", "lddw_map_value %r1, 5"}, {"ld_pseudo r1, 1, 5", "lddw_map_fd %r1, 5"},
  {"call bpf_map_lookup_elem#1", "call 1"}, {"call helper 1", "call 1"}, {"call unknown#-1", "call 0xffffffff"},
  {"call pc+5", "call local +5"}, {"call pc+5#bpf_prog_f", "call local +5"},
  {"call kfunc#7", "call runtime 7"}, {"may_goto pc+2", "may_goto +2"},
  {"exit ; comment", "exit"}, {"exit // comment", "exit"}, {"exit # comment", "exit"}, {"exit #1", "exit"},
};
// clang-format on

TEST(Assembler, ReadsEverySpelling) {
  for (const Case& c : kSpellings) EXPECT_EQ(one(c.text), one(c.same)) << c.text;
}

TEST(Assembler, LabelsCountSlots) {
  const std::string_view text =
      "start:\n"
      "  r1 = 1 ll\n"
      "loop: r1 += 1\n"
      "  if r1 < 5 goto loop\n"
      "  jeq %r1, 5, end\n"
      "  gotol start\n"
      "end:\n"
      "  exit\n";
  EXPECT_EQ(llvm(text),
            "r1 = 0x1 ll\nr1 += 0x1\nif r1 < 0x5 goto -0x2\nif r1 == 0x5 goto +0x1\n"
            "gotol -0x6\nexit\n");
}

TEST(Assembler, ExitIsALabelWhenNobodyDefinesIt) {
  EXPECT_EQ(llvm("jne r0, r1, exit\nr0 = 1\nexit\nexit\n"),
            "if r0 != r1 goto +0x1\nr0 = 0x1\nexit\nexit\n");
  EXPECT_EQ(llvm("jne r0, r1, exit\nexit\nexit:\nexit\n"), "if r0 != r1 goto +0x1\nexit\nexit\n");
}

TEST(Assembler, CallsFindFunctionsOfTheTextFirstThenHelpers) {
  constexpr HelperName kHelpers[] = {{1, "bpf_map_lookup_elem"}, {6, "bpf_trace_printk"}};
  const auto program =
      assemble("call f\ncall bpf_trace_printk\ncall trace_printk\ncall local f\nexit\nf: exit\n",
               {.helpers = kHelpers});
  ASSERT_TRUE(program.has_value()) << to_string(program.error());
  EXPECT_EQ(disassemble(*program, Notation::Mnemonic),
            "call local +4\ncall 6\ncall 6\ncall local +1\nexit\nexit\n");
}

TEST(Assembler, ReadsListingsOfOtherTools) {
  EXPECT_EQ(llvm("0000000000000000 <f>:\n"
                 "       0:\tb7 00 00 00 01 00 00 00\tr0 = 0x1\n"
                 "       1:\t05 00 00 00 00 00 00 00\tgoto +0x0 <LBB0_1>\n"
                 "\n"
                 "0000000000000010 <LBB0_1>:\n"
                 "       2:\t95 00 00 00 00 00 00 00\texit\n"),
            "r0 = 0x1\ngoto +0x0\nexit\n");
  EXPECT_EQ(llvm("; int f(void) {\n"
                 "0: (18) r1 = 0xffff888100000000 ; R1_w=...\n"
                 "2: (85) call bpf_ktime_get_ns#5\n"
                 "3: (95) exit\n"),
            "r1 = -0x777f00000000 ll\ncall 0x5\nexit\n");
  EXPECT_EQ(llvm("\t.text\n\t.globl f #\n\t.p2align 3\nf:\n\tr0 = 0\n\texit\n"
                 ".Lend:\n\t.size f, .Lend-f\n"),
            "r0 = 0x0\nexit\n");
}

TEST(Assembler, AnEmptyTextIsAnEmptyProgram) {
  EXPECT_EQ(llvm(""), "");
  EXPECT_EQ(llvm("\n\r\n ; nothing\n"), "");
}

struct Bad {
  std::string_view text, error;
};

// clang-format off
const Bad kBad[] = {
  {"r1 = r11", "line 1, column 6: there is no register r11"},
  {"r0 = 1\n  w1 += r2", "line 2, column 9: w1 and r2 are of different width"},
  {"r1 = 0x100000000", "line 1, column 6: a number without `ll` is from -2147483648 to 4294967295"},
  {"r1 += 4294967296", "line 1, column 7: a 32-bit number is from -2147483648 to 4294967295"},
  {"r1 = 0x10000000000000000 ll", "line 1, column 6: the number does not fit in 64 bits"},
  {"r1 = 010", "line 1, column 6: a number may not start with 0: write it as decimal or as 0x..."},
  {"r1 = 12ab", "line 1, column 6: '12ab' is not a number"},
  {"r1 = 0x", "line 1, column 6: a hexadecimal number has digits after 0x"},
  {"r1 = *(u32 *)(r2 + 40000)", "line 1, column 18: an offset is from -32768 to 32767"},
  {"r1 = *(u33 *)(r2 + 4)", "line 1, column 8: there is no such access to memory of type u33"},
  {"w1 = *(u64 *)(r2 + 4)", "line 1, column 1: this takes a 64-bit register: r1"},
  {"r1 = *(u32 *)(w2 + 4)", "line 1, column 15: this takes a 64-bit register: r2"},
  {"*(u64 *)(r2 + 4) = w1", "line 1, column 20: this takes a 64-bit register: r1"},
  {"r1 = -r2", "line 1, column 7: this has to be r1"},
  {"r1 = be16 r2", "line 1, column 11: this has to be r1"},
  {"w1 = (s32)w2", "line 1, column 7: w1 cannot take a value of type s32"},
  {"r2 = atomic_fetch_add((u64 *)(r1 + 0), r3)", "line 1, column 40: this has to be r2"},
  {"r2 = atomic_fetch_nand((u64 *)(r1 + 0), r2)", "line 1, column 6: there is no such atomic operation on memory of this type"},
  {"r1 = cmpxchg_64(r1 + 0, r1, r2)", "line 1, column 1: the old value goes to r0"},
  {"r1 = map[id:5]", "line 1, column 6: there is no constant of the form map[id:%]"},
  {"r1 = foo ll", "line 1, column 6: the address of a symbol is known only to a linker"},
  {"r1 = foo", "line 1, column 6: expected a register, a number or memory, found 'foo'"},
  {"r1", "line 1, column 3: expected an operator such as += or =, but the line ends"},
  {"r1 == 5", "line 1, column 4: there is no operation '=='"},
  {"if r1 += 5 goto +1", "line 1, column 7: expected a comparison such as == or s>="},
  {"if r1 == 5 goto", "line 1, column 16: expected a label or a distance such as +3, but the line ends"},
  {"goto 5", "line 1, column 6: expected a label or a distance such as +3, found '5'"},
  {"goto nowhere", "line 1, column 6: there is no label 'nowhere'"},
  {"goto +32768", "line 1, column 6: the distance 32768 does not fit in 16 bits: gotol (ja32) reaches further"},
  {"call nobody", "line 1, column 6: there is no function or helper 'nobody'"},
  {"call -0x1", "line 1, column 6: a distance is written `call pc+5` or `call local +5`"},
  {"frob %r1, 2", "line 1, column 1: there is no instruction 'frob'"},
  {"lock", "line 1, column 1: there is no instruction 'lock'"},
  {"lock mul [%r1], %r2", "line 1, column 1: there is no instruction 'lock mul'"},
  {"add %r1", "line 1, column 8: expected ',', but the line ends"},
  {"add %r1, 2, 3", "line 1, column 11: expected the end of the line, found ','"},
  {"ldxw %r1, %r2", "line 1, column 11: expected '[', found '%'"},
  {"exit exit", "line 1, column 6: expected the end of the line, found 'exit'"},
  {"a: exit\na: exit", "line 2, column 1: the label 'a' is in line 1 already"},
  {"1: exit", "line 1, column 1: this is instruction 0, not 1"},
  {"(b7) exit", "line 1, column 6: this instruction's opcode is (95), not (b7)"},
  {"(b7)", "line 1, column 5: expected an instruction, but the line ends"},
  {".byte 1", "line 1, column 1: the directive .byte is not known: only instructions of one program are assembled"},
  {"r1 = \x01", "line 1, column 6: unexpected byte 0x01"},
  {"r1 = \xff", "line 1, column 6: unexpected byte 0xff"},
  {"@", "line 1, column 1: expected an instruction, found '@'"},
};
// clang-format on

TEST(Assembler, NamesThePlaceOfEachError) {
  for (const Bad& bad : kBad) EXPECT_EQ(error_of(bad.text), bad.error) << bad.text;
}

TEST(Assembler, CollectsTheErrorsOfAText) {
  Diagnostics found;
  const auto program = assemble("r1 = r11\nr0 = 1\nfrob\n5: exit\ngoto nowhere\n", {}, &found);
  ASSERT_FALSE(program.has_value());
  ASSERT_EQ(found.errors().size(), 3U);
  EXPECT_EQ(program.error().message, found.errors()[0].message);
  EXPECT_EQ(found.errors()[1].where->line, 3U);
  EXPECT_EQ(found.errors()[2].where->line, 5U);
}

TEST(Assembler, StopsAfterManyErrors) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "frob\n";
  Diagnostics found;
  EXPECT_FALSE(assemble(text, {}, &found).has_value());
  EXPECT_TRUE(found.full());
}

}  // namespace
}  // namespace skep::assembler::ebpf
