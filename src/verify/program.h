// SPDX-License-Identifier: Apache-2.0
// The program as the walk reads it, and what it may do. Independent of where it came from.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isa/ebpf.h"
#include "runtime/image.h"
#include "verify/world.h"

namespace skep::verify {

/// The rule book: what is refused.
enum class Level : u8 {
  Linux61,  ///< exactly Linux 6.1
  Default,  ///< 6.1 with the instructions of cpu v4, stricter where 6.1 is known to be wrong
};

/// Who loads the program.
struct Rights {
  bool bpf = true;            ///< loops, calls, precision tracking
  bool pointer_leaks = true;  ///< pointers may be stored, compared and returned as numbers
  bool uninit_stack = true;   ///< stack that was never written may be read
  bool map_struct_access = true;
  bool bypass_spectre_v1 = true;  ///< no checks of what a mispredicting CPU might do
  bool bypass_spectre_v4 = true;

  static constexpr Rights privileged() { return {}; }
  static constexpr Rights unprivileged() { return {false, false, false, false, false, false}; }
};

using runtime::FuncArg;
using runtime::FuncDecl;
using runtime::SourceLine;

struct WalkInput {
  std::span<const isa::ebpf::Insn> insns;
  /// All functions of the program, in order, or empty where nothing was declared.
  std::span<const FuncDecl> functions;
  std::span<const SourceLine> lines;  ///< by ascending pc, or empty
  Rights rights;
  Level level = Level::Default;
  bool strict_alignment = false;
  bool remember_every_point =
      false;                     ///< BPF_F_TEST_STATE_FREQ: remember states as often as possible
  u64 max_bytes = u64{1} << 30;  ///< memory for states
  u64 max_steps = 1'000'000;     ///< instructions stepped over (BPF_COMPLEXITY_LIMIT_INSNS)
  u32 log_level = 0;             ///< 1: the walk's instructions and states, 2: and more
};

}  // namespace skep::verify
