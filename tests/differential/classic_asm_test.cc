// SPDX-License-Identifier: Apache-2.0
// Classic listings against libpcap's bpf_image(), which tcpdump -d prints, and random programs
// through every notation and back.
#include <gtest/gtest.h>
#include <pcap/pcap.h>

#include "asm/classic_assembler.h"
#include "asm/classic_printer.h"
#include "tests/support/classic_programs.h"

namespace skep::assembler::classic {
namespace {

using isa::cbpf::RawInsn;

std::string libpcap_line(const RawInsn& insn, int pc) {
  const bpf_insn theirs{insn.code, insn.jt, insn.jf, insn.k};
  return bpf_image(&theirs, pc);
}

TEST(ClassicListing, EqualsLibpcapForEveryOpcode) {
  for (u32 code = 0; code < 0x400; ++code)
    for (const u32 k : {0u, 9u, 10u, 0x1234u, 0x7fffffffu, 0x80000000u, 0xfffffff0u, 0xffffffffu})
      for (const u32 pc : {0u, 7u, 999u, 12345u}) {
        const RawInsn insn{static_cast<u16>(code), 3, 255, k};
        EXPECT_EQ(listing_line(insn, pc), libpcap_line(insn, static_cast<int>(pc)));
      }
}

TEST(ClassicListing, EqualsLibpcapForAncillaryLoads) {
  for (const u16 code : {u16{0x20}, u16{0x28}, u16{0x30}, u16{0x40}})
    for (u32 k = 0xffffeff8; k < 0xfffff080; ++k)
      EXPECT_EQ(listing_line({code, 0, 0, k}, 3), libpcap_line({code, 0, 0, k}, 3));
}

TEST(ClassicNotations, RandomProgramsRoundTrip) {
  testing::Random random(1);
  for (int i = 0; i < 2000; ++i) {
    std::vector<RawInsn> program = testing::random_classic_program(random, isa::cbpf::Rules::Linux);
    for (RawInsn& insn : program) {
      // No notation but the numeric ones has fields that mean nothing.
      const std::optional<isa::cbpf::Insn> decoded = isa::cbpf::decode(insn);
      using isa::cbpf::Operand;
      const Operand operand = info(decoded->op).operand;
      if (operand == Operand::None || operand == Operand::X || operand == Operand::A ||
          operand == Operand::Len)
        insn.k = 0;
      if (decoded->op == isa::cbpf::Op::LdxLen) insn = {0x87, 0, 0, 0};  // no listing has it
    }
    ASSERT_EQ(assemble(print_c(program)).value(), program);
    ASSERT_EQ(assemble(print_numbers(program)).value(), program);
    ASSERT_EQ(assemble(print_listing(program)).value(), program);
    ASSERT_EQ(assemble(print_bpf_asm(program).value()).value(), program);
  }
}

}  // namespace
}  // namespace skep::assembler::classic
