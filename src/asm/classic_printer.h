// SPDX-License-Identifier: Apache-2.0
// Classic instructions -> text, in four notations:
//
//   listing     tcpdump -d, byte for byte       (001) jeq      #0x800           jt 2	jf 5
//   C           tcpdump -dd                     { 0x15, 0, 3, 0x00000800 },
//   numbers     tcpdump -ddd                    21 0 3 2048
//   bpf_asm     Linux's assembler, with labels  jneq #0x800, l5
//
// The first three print whatever is in the program; the last one needs known opcodes and jumps
// that stay inside. All are read by classic_assembler.h.
// Tested by classic_printer_test.cc
#pragma once

#include <span>
#include <string>

#include "isa/cbpf.h"
#include "support/result.h"

namespace skep::assembler::classic {

/// One line of the listing, without its end; opcodes that libpcap does not know are "unimp".
std::string listing_line(const isa::cbpf::RawInsn& insn, u32 pc);
/// The program as tcpdump -d prints it.
std::string print_listing(std::span<const isa::cbpf::RawInsn> program);
/// The program as tcpdump -dd prints it.
std::string print_c(std::span<const isa::cbpf::RawInsn> program);
/// The program as tcpdump -ddd prints it.
std::string print_numbers(std::span<const isa::cbpf::RawInsn> program);
/// The program in bpf_asm's notation. Errors: BadInsn, BadJump, with the instruction's index.
Result<std::string> print_bpf_asm(std::span<const isa::cbpf::RawInsn> program);

}  // namespace skep::assembler::classic
