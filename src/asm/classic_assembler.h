// SPDX-License-Identifier: Apache-2.0
// Text -> classic instructions. Which notation a text is in shows at its first token:
//
//   {          C initialisers, as tcpdump -dd prints       { 0x15, 0, 3, 0x00000800 },
//   a number   a count and quadruples (tcpdump -ddd, and   4,40 0 0 12,21 0 1 2048,...
//              bpf_asm, with commas)
//   else       statements: bpf_asm's (jeq #5, yes, no) and tcpdump -d's, also mixed:
//              (001) jeq      #0x800           jt 2	jf 5
//
// A statement stands on one line, its label before it, on the same line or on one of its own.
// Numbers are decimal, 0x, 0b, or octal with a leading 0. What a program means is not checked here
// (cbpf/check.h).
// Source: Documentation/networking/filter.rst, tools/bpf/bpf_exp.y.
// Tested by classic_assembler_test.cc, classic_printer_test.cc
#pragma once

#include <string_view>
#include <vector>

#include "isa/cbpf.h"
#include "support/result.h"

namespace skep::assembler::classic {

/// Instructions that a text may have; no filter that libpcap compiles is as long.
constexpr std::size_t kMaxInsns = 1 << 22;

/// The program in text. Errors, with line and column: Syntax, BadJump (a label that is not there
/// or too far away), TooLong.
Result<std::vector<isa::cbpf::RawInsn>> assemble(std::string_view text);

}  // namespace skep::assembler::classic
