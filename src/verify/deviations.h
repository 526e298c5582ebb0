// SPDX-License-Identifier: Apache-2.0
// The differences between levels, by name (deviations.def).
// Tested by tests/verify (level.verify)
#pragma once

#include "verify/program.h"

namespace skep::verify {

enum class Deviation : u8 {
#define X(name, linux_61, ours) name,
#include "verify/deviations.def"
#undef X
};

/// Whether a program is judged by our rule instead of Linux 6.1's.
constexpr bool deviates(Level level, Deviation) {
  return level == Level::Default;
}

}  // namespace skep::verify
