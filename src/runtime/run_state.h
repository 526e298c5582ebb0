// SPDX-License-Identifier: Apache-2.0
// One run of a program, as helpers and engines see it: who runs, on what, and what has happened so
// far. And Callable, a loaded program that can be entered: by whoever runs it, by a tail call from
// any engine, or by a helper that calls back (bpf_loop, bpf_for_each_map_elem).
//
//   engine::run --enter--> program A --tail call--> program B          one RunState for all of it
//                             `--bpf_loop(f)--> helper --call_function--> A's function f
//
// Tested by run_state's users: interp, engine, runtime/helpers
#pragma once

#include <array>

#include "runtime/maps/object.h"
#include "runtime/outcome.h"
#include "support/bytes.h"
#include "support/ints.h"

namespace skep::runtime {

struct Environment;
struct RunState;

/// Tail calls that one run may make. Kernel: MAX_TAIL_CALL_CNT.
constexpr u32 kMaxTailCalls = 33;

/// Instructions that the checked interpreter executes when nobody says otherwise.
constexpr u64 kDefaultBudget = u64{1} << 32;

/// A program that is ready to run, in whichever engine. An element of program arrays.
class Callable : public maps::Object {
 public:
  /// Runs the program from its start with r1 = ctx, and whatever it tail-calls; returns r0, 0 after
  /// a trap.
  using EnterFn = u64 (*)(const Callable& program, RunState& run, u64 ctx) noexcept;
  /// Runs the program's function that starts at pc with r1..r5 = args; returns r0, 1 (enough, to
  /// helpers that loop) after a trap. Only for helpers that the program is calling.
  using CallFunctionFn = u64 (*)(const Callable& program, RunState& run, u32 pc,
                                 const std::array<u64, 5>& args) noexcept;

  /// How an engine is entered. Interpreters' is interp::Executable::entry().
  struct Entry {
    EnterFn enter = nullptr;
    CallFunctionFn call_function = nullptr;
    const void* code = nullptr;  ///< the engine's form of the program; outlives the Callable
  };

  u64 enter(RunState& run, u64 ctx) const noexcept { return entry_.enter(*this, run, ctx); }
  u64 call_function(RunState& run, u32 pc, const std::array<u64, 5>& args) const noexcept {
    return entry_.call_function(*this, run, pc, args);
  }
  const Entry& entry() const noexcept { return entry_; }

 protected:
  void set_entry(const Entry& entry) noexcept { entry_ = entry; }

 private:
  Entry entry_;
};

/// The state of a run; lives on the stack of whoever runs the program.
struct RunState {
  u32 cpu = 0;                        ///< the Thread's slot: whose per-CPU values
  const Environment* env = nullptr;   ///< clocks, random numbers, identity, trace output
  const Callable* program = nullptr;  ///< the one that is running now
  void* context = nullptr;            ///< the hook's host context; r1 of the program
  Bytes packet = {};                  ///< what LD_ABS and LD_IND read; helpers that change the
                                      ///< packet keep it true
  u32 network_offset = 0;             ///< of packet's network header (SKF_NET_OFF)
  u32 tail_calls = 0;                 ///< made so far
  u64 random = 0;                     ///< state of bpf_get_prandom_u32
  u32 redirect_ifindex = 0;           ///< what bpf_redirect was asked for
  u64 redirect_flags = 0;
  u64 budget = kDefaultBudget;  ///< instructions left; counted by the checked interpreter only
  Outcome trapped = {};         ///< the first trap of any program of the run
  void* activation = nullptr;   ///< the running engine's own record of `program`
};

}  // namespace skep::runtime
