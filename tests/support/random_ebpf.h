// SPDX-License-Identifier: Apache-2.0
// Random eBPF programs that are valid by construction: every register and stack byte is written
// before it is read, every access is in bounds, every loop is counted, so all engines and the
// kernel's verifier accept them and all must agree on the result. The result folds every register,
// stack slot and the way taken into r0.
//
//   r9       the memory (when there is any), never part of a result
//   r0-r8    numbers
//   r10-64   the stack area that loads and stores play with, above it the loop counters
#pragma once

#include <vector>

#include "isa/ebpf.h"
#include "tests/support/random.h"

namespace skep::testing {

struct RandomEbpfOptions {
  u32 statements = 40;          ///< of the main function
  u32 functions = 2;            ///< local functions, called from the main one and each other
  u32 memory_bytes = 64;        ///< given in r1, a power of two from 16 on; 0: none
  bool unaligned = true;        ///< plain accesses at any address (Linux wants its stack aligned)
  bool packet_loads = true;     ///< LD_ABS and LD_IND; out of range ones end the program
  bool may_goto = true;         ///< may_goto, which never jumps in so short a program
  bool acquire_release = true;  ///< load-acquire and store-release
};

/// A program made from what random gives; the same on every machine.
std::vector<isa::ebpf::Insn> random_ebpf(Random& random, const RandomEbpfOptions& options = {});

}  // namespace skep::testing
