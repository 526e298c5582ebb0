// SPDX-License-Identifier: Apache-2.0
// The direct-threaded virtual machine. A checked program is decoded once into cells that hold the
// address of their handler, their operands, and pointers to the cells of both jump arms; a handler
// ends with a jump to the next cell's handler, each jump arm with one of its own, so that the
// processor's branch predictor sees where it came from. Common groups of instructions are one cell
// ("fused"): a packet load and the comparison after it, a header length and the port behind it.
//
//   0: ldh [12]       cell 0: load half + jeq   k=12 value=0x800 jt=&2 jf=&8
//   1: jeq #0x800     cell 1: jeq               (used if something jumps to 1)
//
// Cells and instructions have the same indexes: a fused cell does the work of those behind it and
// jumps over them, and they stay where they are for jumps into their middle.
// Tested by threaded_vm_test.cc, tests/differential/classic_test.cc
#pragma once

#include <memory>

#include "cbpf/check.h"
#include "cbpf/metadata.h"
#include "support/bytes.h"

namespace skep::cbpf {

/// One decoded instruction (or a fused group); what a field means is the handler's business.
struct Cell {
  const void* handler = nullptr;
  const Cell* jt = nullptr;  ///< Ja: the target
  const Cell* jf = nullptr;
  u32 k = 0;         ///< the first instruction's constant
  u32 mask = 0;      ///< a fused `and`'s constant
  u32 value = 0;     ///< a fused comparison's constant
  Op op = Op::RetK;  ///< the first instruction's operation
};

/// A program ready to run; immutable, any number of threads may run it at once.
class Threaded {
 public:
  /// Decodes program, which is not needed afterwards. Fails with OutOfMemory only.
  static Result<Threaded> decode(const Program& program);

  /// The same result as run_switch() on the program.
  u32 run(Bytes packet, u32 wire_length, const Metadata& metadata = kNoMetadata) const noexcept;

  /// How many cells do the work of two and more instructions.
  u32 fused() const { return fused_; }

 private:
  Threaded() = default;

  std::unique_ptr<Cell[]> cells_;
  u64 budget_ = 0;
  u32 fused_ = 0;
  Rules rules_ = Rules::Linux;
  bool clear_scratch_ = false;
};

}  // namespace skep::cbpf
