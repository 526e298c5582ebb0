// SPDX-License-Identifier: Apache-2.0
#include "asm/classic_printer.h"

#include <gtest/gtest.h>

#include "asm/classic_assembler.h"

namespace skep::assembler::classic {
namespace {

using isa::cbpf::RawInsn;

// `tcpdump -y EN10MB` of "ip and tcp port 80 or vlan", shortened to show each form once.
const std::vector<RawInsn> kProgram = {
    {0x28, 0, 0, 12}, {0x15, 0, 4, 0x800}, {0xb1, 0, 0, 14}, {0x48, 0, 0, 16},
    {0x45, 1, 0, 80}, {0x05, 0, 0, 0},     {0x06, 0, 0, 0},  {0x16, 0, 0, 0},
};

TEST(ClassicPrinter, Listing) {
  EXPECT_EQ(print_listing(kProgram),
            "(000) ldh      [12]\n"
            "(001) jeq      #0x800           jt 2\tjf 6\n"
            "(002) ldxb     4*([14]&0xf)\n"
            "(003) ldh      [x + 16]\n"
            "(004) jset     #0x50            jt 6\tjf 5\n"
            "(005) ja       6\n"
            "(006) ret      #0\n"
            "(007) ret      \n");
}

TEST(ClassicPrinter, ListingOfUnusualInstructions) {
  EXPECT_EQ(listing_line({0x06, 0, 0, 0xffffffff}, 1234), "(1234) ret      #-1");
  EXPECT_EQ(listing_line({0x30, 0, 0, 0xfffff030}, 3), "(003) ldb      [vlanp]");
  EXPECT_EQ(listing_line({0x20, 0, 0, 0xfffff041}, 3), "(003) ld       [-4031]");
  EXPECT_EQ(listing_line({0x0e, 0, 0, 5}, 3), "(003) unimp    0xe");
  EXPECT_EQ(listing_line({0x81, 0, 0, 5}, 3), "(003) unimp    0x81");
}

TEST(ClassicPrinter, CAndNumbers) {
  const std::vector<RawInsn> two(kProgram.begin(), kProgram.begin() + 2);
  EXPECT_EQ(print_c(two), "{ 0x28, 0, 0, 0x0000000c },\n{ 0x15, 0, 4, 0x00000800 },\n");
  EXPECT_EQ(print_numbers(two), "2\n40 0 0 12\n21 0 4 2048\n");
}

TEST(ClassicPrinter, BpfAsm) {
  EXPECT_EQ(print_bpf_asm(kProgram).value(),
            "  ldh [12]\n"
            "  jneq #0x800, l6\n"
            "l2:\n"
            "  ldxb 4*([14]&0xf)\n"
            "  ldh [x + 16]\n"
            "  jset #0x50, l6\n"
            "l5:\n"
            "  jmp l6\n"
            "l6:\n"
            "  ret #0\n"
            "  ret a\n");
}

TEST(ClassicPrinter, BpfAsmNeedsAWholeProgram) {
  EXPECT_EQ(to_string(print_bpf_asm(std::vector<RawInsn>{{0x0e, 0, 0, 0}}).error()),
            "insn 0: unknown opcode 0xe");
  EXPECT_EQ(to_string(print_bpf_asm(std::vector<RawInsn>{{0x05, 0, 0, 1}}).error()),
            "insn 0: jump to insn 2, the program has 1");
}

// Each operation, with every field that means something set, through each notation and back.
TEST(ClassicPrinter, EveryOperationRoundTrips) {
  for (const isa::cbpf::OpInfo& row : isa::cbpf::kInfo) {
    using isa::cbpf::Kind;
    using isa::cbpf::Operand;
    RawInsn insn{row.code, 0, 0, 5};
    if (row.kind == Kind::Anc) insn.k = row.offset;
    if (row.kind == Kind::JmpK || row.kind == Kind::JmpX) insn.jt = 1, insn.jf = 2;
    if (row.operand == Operand::Target) insn.k = 1;
    const Operand shape = row.operand;
    if (shape == Operand::None || shape == Operand::X || shape == Operand::A ||
        shape == Operand::Len)
      insn.k = 0;
    const std::vector<RawInsn> program = {insn, {0x07, 0, 0, 0}, {0x87, 0, 0, 0}, {0x16, 0, 0, 0}};
    EXPECT_EQ(assemble(print_bpf_asm(program).value()).value(), program) << row.name;
    EXPECT_EQ(assemble(print_c(program)).value(), program) << row.name;
    EXPECT_EQ(assemble(print_numbers(program)).value(), program) << row.name;
    if (row.name == "LdxLen") continue;  // "unimp" there
    EXPECT_EQ(assemble(print_listing(program)).value(), program) << row.name;
  }
}

}  // namespace
}  // namespace skep::assembler::classic
