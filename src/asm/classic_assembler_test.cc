// SPDX-License-Identifier: Apache-2.0
#include "asm/classic_assembler.h"

#include <gtest/gtest.h>

#include "support/diagnostic.h"

namespace skep::assembler::classic {
namespace {

using isa::cbpf::RawInsn;

std::vector<RawInsn> must(std::string_view text) {
  Result<std::vector<RawInsn>> program = assemble(text);
  if (program) return *program;
  ADD_FAILURE() << caret_text("test", text, program.error());
  return {};
}

struct OneLine {
  const char* text;
  RawInsn insn;
};
const OneLine kOneLiners[] = {
    {"ld [4]", {0x20, 0, 0, 4}},
    {"ldh [12]", {0x28, 0, 0, 12}},
    {"ldb [0x17]", {0x30, 0, 0, 23}},
    {"ld [x + 14]", {0x40, 0, 0, 14}},
    {"ldh [x+2]", {0x48, 0, 0, 2}},
    {"ldb [%x+0]", {0x50, 0, 0, 0}},
    {"ldb [x]", {0x50, 0, 0, 0}},
    {"ld [x + -16]", {0x40, 0, 0, 0xfffffff0}},
    {"ld [-4096]", {0x20, 0, 0, 0xfffff000}},
    {"ld #5", {0x00, 0, 0, 5}},
    {"ldi 5", {0x00, 0, 0, 5}},
    {"ldi #0b101", {0x00, 0, 0, 5}},
    {"ldx #017", {0x01, 0, 0, 15}},
    {"ldxi #3", {0x01, 0, 0, 3}},
    {"ld len", {0x80, 0, 0, 0}},
    {"ld #len", {0x80, 0, 0, 0}},
    {"ld #pktlen", {0x80, 0, 0, 0}},
    {"ldx len", {0x81, 0, 0, 0}},
    {"ld M[3]", {0x60, 0, 0, 3}},
    {"ldx M[3]", {0x61, 0, 0, 3}},
    {"st M[15]", {0x02, 0, 0, 15}},
    {"stx M[0]", {0x03, 0, 0, 0}},
    {"ldxb 4*([14]&0xf)", {0xb1, 0, 0, 14}},
    {"ldx 4 * ( [ 14 ] & 15 )", {0xb1, 0, 0, 14}},
    {"add #1", {0x04, 0, 0, 1}},
    {"add x", {0x0c, 0, 0, 0}},
    {"sub %x", {0x1c, 0, 0, 0}},
    {"mul #4", {0x24, 0, 0, 4}},
    {"div x", {0x3c, 0, 0, 0}},
    {"mod #3", {0x94, 0, 0, 3}},
    {"neg", {0x84, 0, 0, 0}},
    {"and #0xff", {0x54, 0, 0, 255}},
    {"or x", {0x4c, 0, 0, 0}},
    {"xor #-1", {0xa4, 0, 0, 0xffffffff}},
    {"lsh #2", {0x64, 0, 0, 2}},
    {"rsh x", {0x7c, 0, 0, 0}},
    {"tax", {0x07, 0, 0, 0}},
    {"TXA", {0x87, 0, 0, 0}},
    {"ret a", {0x16, 0, 0, 0}},
    {"ret %a", {0x16, 0, 0, 0}},
    {"ret", {0x16, 0, 0, 0}},
    {"ret #262144", {0x06, 0, 0, 262144}},
    {"ld proto", {0x20, 0, 0, 0xfffff000}},
    {"ldh #proto", {0x28, 0, 0, 0xfffff000}},
    {"ld [proto]", {0x20, 0, 0, 0xfffff000}},
    {"ld type", {0x20, 0, 0, 0xfffff004}},
    {"ld ifidx", {0x20, 0, 0, 0xfffff008}},
    {"ld nla", {0x20, 0, 0, 0xfffff00c}},
    {"ld nlan", {0x20, 0, 0, 0xfffff010}},
    {"ld mark", {0x20, 0, 0, 0xfffff014}},
    {"ld queue", {0x20, 0, 0, 0xfffff018}},
    {"ld hatype", {0x20, 0, 0, 0xfffff01c}},
    {"ld rxhash", {0x20, 0, 0, 0xfffff020}},
    {"ld cpu", {0x20, 0, 0, 0xfffff024}},
    {"ld [xor_x]", {0x20, 0, 0, 0xfffff028}},
    {"ld vlan_tci", {0x20, 0, 0, 0xfffff02c}},
    {"ldb vlan_avail", {0x30, 0, 0, 0xfffff030}},
    {"ldb vlan_pr", {0x30, 0, 0, 0xfffff030}},
    {"ldb [vlanp]", {0x30, 0, 0, 0xfffff030}},
    {"ld poff", {0x20, 0, 0, 0xfffff034}},
    {"ld rand", {0x20, 0, 0, 0xfffff038}},
    {"ld vlan_tpid", {0x20, 0, 0, 0xfffff03c}},
    {"(000) ret      #0", {0x06, 0, 0, 0}},
};

TEST(ClassicAssembler, OneStatement) {
  for (const OneLine& row : kOneLiners) {
    const std::vector<RawInsn> program = must(row.text);
    ASSERT_EQ(program.size(), 1u) << row.text;
    EXPECT_EQ(program[0], row.insn) << row.text;
  }
}

TEST(ClassicAssembler, LabelsAndTurnedJumps) {
  const std::vector<RawInsn> expected = {
      {0x28, 0, 0, 12}, {0x15, 0, 3, 0x806}, {0x25, 2, 1, 5},         {0x3d, 0, 1, 0},
      {0x05, 0, 0, 0},  {0x06, 0, 0, 0},     {0x05, 0, 0, 0xfffffff9}};
  EXPECT_EQ(must("# ARP only\n"
                 "start: ldh [12]   ; EtherType\n"
                 "       jne #0x806, drop\n"
                 "       jgt #5, drop, next\n"
                 "       jlt x, drop /* a\n"
                 "  comment */\n"
                 "next:\n"
                 "       jmp drop\n"
                 "drop:  ret #0\n"
                 "       ja start\n")
                .size(),
            7u);
  EXPECT_EQ(must("start: ldh [12]\njne #0x806, drop\njgt #5, drop, next\njlt x, drop\n"
                 "next: jmp drop\ndrop: ret #0\nja start\n"),
            expected);
}

TEST(ClassicAssembler, OtherNotations) {
  const std::vector<RawInsn> program = {
      {0x28, 0, 0, 12}, {0x15, 0, 1, 0x800}, {0x06, 0, 0, 0xffffffff}, {0x06, 0, 0, 0}};
  EXPECT_EQ(must("(000) ldh      [12]\n"
                 "(001) jeq      #0x800           jt 2\tjf 3\n"
                 "(002) ret      #-1\n"
                 "(003) ret      #0\n"),
            program);
  EXPECT_EQ(must("{ 0x28, 0, 0, 0x0000000c },\n{ 0x15, 0, 1, 0x00000800 },\n"
                 "{ 0x6, 0, 0, 0xffffffff },\n{ 0x6, 0, 0, 0x00000000 },\n"),
            program);
  EXPECT_EQ(must("4\n40 0 0 12\n21 0 1 2048\n6 0 0 4294967295\n6 0 0 0\n"), program);
  EXPECT_EQ(must("4,40 0 0 12,21 0 1 2048,6 0 0 4294967295,6 0 0 0,\n"), program);
  EXPECT_TRUE(must("").empty());
  EXPECT_TRUE(must("0\n").empty());
}

struct Bad {
  const char* text;
  const char* message;
};
const Bad kBad[] = {
    {"ldq [4]", "line 1, column 1: unknown instruction 'ldq'"},
    {"ret #0\nld [4", "line 2, column 6: expected ']', the text ends"},
    {"ld [y]", "line 1, column 5: expected an offset, found 'y'"},
    {"ld frob", "line 1, column 4: unknown operand 'frob'"},
    {"ret x", "line 1, column 1: 'ret' does not take this operand"},
    {"tax #1", "line 1, column 1: 'tax' does not take this operand"},
    {"ldx proto", "line 1, column 1: 'ldx' does not take this operand"},
    {"ldxb 5*([14]&0xf)", "line 1, column 6: only 4*([k]&0xf) exists"},
    {"ldxb 4*([14]&0xe)", "line 1, column 14: only 4*([k]&0xf) exists"},
    {"jeq #5, there", "line 1, column 9: there is no label 'there'"},
    {"jeq #5", "line 1, column 7: expected ',', the text ends"},
    {"jne #5, aa, aa", "line 1, column 11: this jump has one label"},
    {"aa: ret #0\naa: ret #1", "line 2, column 1: label 'aa' is there already"},
    {"up: ret #0\njeq #1, up", "line 2, column 9: a comparison cannot jump back"},
    {"ld #4294967296", "line 1, column 5: this number does not fit 32 bits"},
    {"ld #-2147483649", "line 1, column 5: this number does not fit 32 bits"},
    {"ld #12abc", "line 1, column 5: this is not a number"},
    {"ld @4", "line 1, column 4: unexpected character '@'"},
    {"ret #0\n /* no end", "line 2, column 2: this comment does not end"},
    {"(001) ret #0", "line 1, column 2: this is instruction 0, not 1"},
    {"(000) jeq #1 jt 1 jf 0", "line 1, column 22: a comparison at 0 reaches 1 to 256, not 0"},
    {"2\n6 0 0 0", "line 1, column 1: the count says 2 instructions, there are 1"},
    {"1\n6 0 256 0", "line 2, column 5: jf is at most 255"},
    {"{ 6, 0, 0 }", "line 1, column 11: expected ',', found '}'"},
    {"{ 65536, 0, 0, 0 }", "line 1, column 3: an opcode is at most 65535"},
};

TEST(ClassicAssembler, ErrorsNameThePlace) {
  for (const Bad& row : kBad) {
    const Result<std::vector<RawInsn>> program = assemble(row.text);
    ASSERT_FALSE(program) << row.text;
    EXPECT_EQ(to_string(program.error()), row.message) << row.text;
  }
}

TEST(ClassicAssembler, LabelsTooFarAway) {
  std::string text = "jeq #1, there\n";
  for (int i = 0; i < 256; ++i) text += "tax\n";
  EXPECT_EQ(to_string(assemble(text + "there: ret a").error()),
            "line 1, column 9: 'there' is 256 instructions away, comparisons reach 255");
}

TEST(ClassicAssembler, CaretShowsTheColumn) {
  constexpr std::string_view kText = "  ld proto\n  jeq #5, there\n";
  EXPECT_EQ(caret_text("f.bpf", kText, assemble(kText).error()),
            "f.bpf:2:11: error: there is no label 'there'\n"
            "    jeq #5, there\n"
            "            ^\n");
}

}  // namespace
}  // namespace skep::assembler::classic
