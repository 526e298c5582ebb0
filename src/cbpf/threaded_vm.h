// SPDX-License-Identifier: Apache-2.0
// The direct-threaded virtual machine. A checked program is decoded once into cells that hold the
// address of their handler, their operands, and pointers to the cells of both jump arms; a handler
// ends with a jump to the next cell's handler, each jump arm with one of its own, so that the
// processor's branch predictor sees where it came from. Groups of instructions that filters are
// made of are one cell ("fused", threaded_fuse.h): a packet load and the comparison after it, two
// of those that lead to the same place, a return after a comparison.
//
//   0: ldh [12]       cell 0: half at 12 in {0x800} ? cell 2 : cell 8
//   1: jeq #0x800     cell 1: jeq, used if something jumps to 1
//
// Cells and instructions have the same indexes: a fused cell does the work of those behind it and
// jumps over them, and they stay where they are for jumps into their middle.
// Tested by threaded_vm_test.cc, tests/differential/classic_test.cc
#pragma once

#include <memory>

#include "cbpf/check.h"
#include "cbpf/interval.h"
#include "cbpf/metadata.h"
#include "support/bytes.h"

namespace skep::cbpf {

/// A value and a test of it: k says where it is loaded from, then it is masked.
struct Term {
  u32 k = 0;
  u32 mask = 0;
  Interval in;
};

struct Cell;
struct State;

/// Where a jump goes, or what is returned there.
union Arm {
  const Cell* cell = nullptr;
  u32 value;
};

/// One decoded instruction (or a fused group); which fields mean something is the handler's
/// business. A cache line on 64-bit machines.
struct Cell {
  const void* handler = nullptr;
  Arm arms[2];       ///< of a jump: [true], [false]; Ja: [true]
  Term first;        ///< an instruction on its own has its constant in first.k
  Term second;       ///< a set: k is the index of its first value, mask how many blocks of them
  Op op = Op::RetK;  ///< the first instruction's operation
};

/// A program ready to run; immutable, any number of threads may run it at once.
class Threaded {
 public:
  /// Decodes program, which is not needed afterwards. Fails with OutOfMemory only.
  static Result<Threaded> decode(const Program& program);

  /// The same result as run_switch() on the program.
  u32 run(Bytes bytes, u32 wire_length, const Metadata& metadata = kNoMetadata) const noexcept;

  /// How many cells do the work of two and more instructions.
  u32 fused() const { return fused_; }

 private:
  Threaded() = default;
  Status fuse(const Program& program);
  u32 resume(State& state) const noexcept;

  std::unique_ptr<Cell[]> cells_;
  std::unique_ptr<u32[]> values_;  ///< of the sets, in blocks of four filled up with the last value
  u64 budget_ = 0;
  u32 fused_ = 0;
  Rules rules_ = Rules::Linux;
  bool clear_scratch_ = false;
};

}  // namespace skep::cbpf
