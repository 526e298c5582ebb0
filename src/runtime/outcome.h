// SPDX-License-Identifier: Apache-2.0
// How a run of a program ended. Traps are values: nothing that a program does throws or ends the
// process. Tested by outcome_test.cc
#pragma once

#include <string_view>

#include "support/ints.h"

namespace skep::runtime {

/// Why a run ended; traps.def has a sentence for each.
enum class Trap : u8 {
#define X(name, text) name,
#include "skep/traps.def"
#undef X
};

/// The trap's name as written in traps.def.
std::string_view to_string(Trap trap);
/// The trap's sentence.
std::string_view sentence(Trap trap);

/// The end of a run.
struct Outcome {
  u64 r0 = 0;              ///< the program's result; 0 after a trap
  Trap trap = Trap::None;  ///< why it ended
  u32 pc = 0;              ///< the instruction (slot) that trapped, or the exit that was executed
  bool operator==(const Outcome&) const = default;
};

}  // namespace skep::runtime
