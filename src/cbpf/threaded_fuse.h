// SPDX-License-Identifier: Apache-2.0
// Which instructions the threaded machine does in one cell. Filters are trees of tests whose
// outcomes the processor cannot predict; what costs most is a wrong guess. So a group removes
// branches as well as dispatches:
//
//   ldh [12]; jeq #0x800                        a value and an interval
//   ldh [56]; jge #6000; jgt #6008              still one interval
//   ld [26]; and #0xffffff00; jeq #..; ld [30]; and ..; jeq #..
//                                               two values, one branch on (hit | hit)
//   jeq #1 or jeq #2 or ... (to one place)      a value and a set, compared without branches
//   .. and both arms are `ret #k`               no branch at all: one of two constants
//
// Joining two tests loses the accumulator's value at their common target; liveness says where
// that does not matter.
// Tested by threaded_fuse_test.cc
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cbpf/check.h"
#include "cbpf/interval.h"

namespace skep::cbpf {

/// Where a group's value comes from; rows of threaded_handlers.def.
enum class ValueKind : u8 {
#define VALUE(kind, op) kind,
#include "cbpf/threaded_handlers.def"
};

/// A test: if the value is in the interval (or, if there are several, equals one of `alternatives`
/// constants of jeq instructions on a path), go on at `hit`, else at `miss`.
struct Test {
  ValueKind kind = ValueKind::Acc;
  u32 k = 0;
  u32 mask = ~u32{0};
  Interval in;
  u32 hit = 0;
  u32 miss = 0;
  u32 first_jump = 0;    ///< pc of the (first) comparison
  u32 alternatives = 1;  ///< comparisons with one target
  u32 length = 0;        ///< instructions of the straight part
};

/// One test, or two that lead to `first.hit` if either hits and to `second.miss` otherwise.
struct Group {
  Test first;
  std::optional<Test> second;
};

/// Finds groups in one program, which must stay alive.
class Fuser {
 public:
  /// Nothing if there is no memory for the analysis.
  static std::optional<Fuser> make(const Program& program);

  /// The group that starts at pc, if a cell for it would do more than one instruction's work.
  std::optional<Group> group_at(u32 pc) const;

 private:
  Fuser() = default;
  bool is_live(u32 pc) const { return live_[pc] != 0; }
  std::optional<Test> test_at(u32 pc) const;
  bool join_range(Test& test) const;
  void join_alternatives(Test& test) const;
  std::optional<Test> second_for(Test& first) const;

  std::span<const Insn> insns_;
  std::unique_ptr<u8[]> live_;  ///< at pc, is the accumulator's value still needed?
  bool seccomp_ = false;
};

}  // namespace skep::cbpf
