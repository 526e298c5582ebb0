// SPDX-License-Identifier: Apache-2.0
// Checks for bugs in skep itself; nothing that an input can do may reach a failing one.
// SKEP_ASSERT is for debug and fuzz builds, SKEP_CHECK always stays (the test costs nothing there).
#pragma once

#define SKEP_CHECK(condition)      \
  do {                             \
    if (!(condition)) [[unlikely]] \
      __builtin_trap();            \
  } while (false)

#ifdef NDEBUG
#define SKEP_ASSERT(condition) \
  do {                         \
  } while (false && (condition))
#else
#define SKEP_ASSERT(condition) SKEP_CHECK(condition)
#endif

namespace skep {

/// Says that control cannot get here: the arms of a switch above cover its enum.
[[noreturn]] inline void unreachable() {
#ifndef NDEBUG
  __builtin_trap();
#endif
  __builtin_unreachable();
}

}  // namespace skep
