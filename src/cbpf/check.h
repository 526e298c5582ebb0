// SPDX-License-Identifier: Apache-2.0
// The checker of classic programs: the only door to the virtual machines. What passes cannot leave
// the program, touch memory outside of the packet, or divide by a constant zero; so the machines
// check nothing but packet bounds and run-time divisors.
//
//               linux, seccomp                           libpcap
//   length      1-4096                                   1 and more
//   jumps       forward, inside                          inside; `ja` may go back (on a budget)
//   scratch     no load before a store on every path     starts as zeros
//   constants   shifts < 32, divisors not 0              divisors not 0
//   ancillary   known numbers                            out of range like other huge offsets
//   the end     `ret`                                    `ret`
//
// seccomp besides: loads of aligned words of struct seccomp_data only; no mod, ldxb, [x + k].
// Source: net/core/filter.c (bpf_check_classic), kernel/seccomp.c (seccomp_check_filter), libpcap's
// bpf_validate(). A program may be stricter checked here than there where the other would abort.
// Tested by check_test.cc
#pragma once

#include <memory>
#include <span>

#include "isa/cbpf.h"
#include "isa/cbpf_semantics.h"
#include "support/result.h"

namespace skep::cbpf {

using isa::cbpf::Insn;
using isa::cbpf::Op;
using isa::cbpf::RawInsn;
using isa::cbpf::Rules;

constexpr u32 kMaxLinuxInsns = 4096;
/// Instructions that a program with backward jumps may execute for one packet.
constexpr u64 kDefaultBudget = 1'000'000;

/// What the checker found; the translator and a compiler rely on it.
struct Facts {
  bool backward_jumps = false;  ///< else: forward code, runs at most size() instructions
  bool packet_loads = false;    ///< loads packet bytes, by constant or indirect offset
  bool scratch_loads = false;   ///< loads scratch memory
  bool ancillary = false;       ///< reads metadata
};

/// A program that passed the checker. Move-only; immutable.
class Program {
 public:
  std::span<const Insn> insns() const { return {insns_.get(), size_}; }
  Rules rules() const { return rules_; }
  const Facts& facts() const { return facts_; }
  /// Instructions allowed for one packet; looked at on backward jumps only.
  u64 budget() const { return budget_; }

 private:
  friend Result<Program> check(std::span<const RawInsn> raw, Rules rules, u64 budget);
  Program() = default;

  std::unique_ptr<Insn[]> insns_;
  u32 size_ = 0;
  Rules rules_ = Rules::Linux;
  Facts facts_;
  u64 budget_ = kDefaultBudget;
};

/// Checks raw by the given rules. Errors name the instruction: BadInsn (no such opcode), BadJump,
/// TooLong, Rejected (all other rules), OutOfMemory.
Result<Program> check(std::span<const RawInsn> raw, Rules rules, u64 budget = kDefaultBudget);

/// The pc that the jump at pc (Ja) goes to.
constexpr u32 ja_target(u32 pc, u32 k) {
  return pc + 1 + k;
}

}  // namespace skep::cbpf
