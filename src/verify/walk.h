// SPDX-License-Identifier: Apache-2.0
// The walk over all paths of a program, depth first, and the data that the checks share. A step
// takes the current state over one instruction; where two ways lead on, one is put aside. Where
// paths meet, a state that some remembered state covers ends its path (prune.h).
//
//     current state --step--> current state ...      put aside: pending states
//          |  meets a remembered state that covers it, or exits
//          `--> next pending state
//
// Checks are free functions on a Walk, in files by subject; each returns a Check.
// Source: kernel/bpf/verifier.c (do_check).  Tested by tests/verify, tests/kernel
#pragma once

#include <list>
#include <memory>
#include <vector>

#include "verify/facts.h"
#include "verify/program.h"
#include "verify/report.h"
#include "verify/state.h"
#include "verify/world.h"

namespace skep::verify {

/// States that may be put aside at one time.
constexpr std::size_t kMaxPending = 8192;
/// Remembered states that an unprivileged program may have at one instruction.
constexpr u32 kMaxStatesPerInsn = 64;
/// Bounds of offsets: no pointer may be moved so far, no size be so large.
constexpr s64 kMaxOffset = s64{1} << 29;
constexpr s64 kStackSize = isa::ebpf::kStackBytes;

/// Notes on an instruction, kept over all paths.
struct InsnNotes {
  bool prune_point = false;            ///< paths may meet here
  bool jump_point = false;             ///< a jump to here is recorded in State::jumps
  RegKind pointer = RegKind::NotInit;  ///< what memory operations were done through
  u8 pointer_flags = 0;
  u8 limit_kind = 0;  ///< pointer arithmetic of unprivileged programs: how it is masked
  u32 limit = 0;      ///< and to what
  u32 call_map = 0;   ///< map that the helper was called with, or kSeveral
  bool loop_seen = false;
  bool loop_inline = false;
  u32 loop_callback = 0;
};

struct Subprog {
  u32 start = 0;
  u32 end = 0;
  u32 stack_bytes = 0;  ///< most that any path used
  bool has_tail_call = false;
  bool has_packet_load = false;
  bool is_async_callback = false;
};

/// A state put aside, with the jump that leads on from it.
struct Pending {
  std::unique_ptr<State> state;
  u32 pc = 0;
  u32 from = 0;
  std::size_t log_bytes = 0;  ///< of the log, when it was put aside
};

struct Remembered {
  State state;
  u32 hits = 0;
  u32 misses = 0;
};

/// Registers and slots of the running function that steps have touched (bits by number).
struct Touched {
  u32 regs = ~u32{0};
  u64 slots = ~u64{0};
};

/// The log so far (trace.h).
struct Trace {
  std::string text;
  std::size_t after_insn = 0;   ///< end of the last instruction's line
  std::size_t insn_length = 0;  ///< and its length
  const SourceLine* line = nullptr;
  bool starts_path = false;
};

struct Walk {
  Walk(const WalkInput& walk_input, const World& walk_world);

  const WalkInput& input;
  const World& world;
  std::span<const isa::ebpf::Insn> insns;
  Rights rights;
  Findings findings;
  Stats stats;

  std::vector<InsnNotes> notes;
  Facts facts;
  std::vector<Subprog> subprogs;
  /// Index into input.functions of a subprog, where functions are declared; then whether a call
  /// disagreed with the declaration.
  std::vector<bool> declaration_unreliable;

  FramePool pool;
  std::unique_ptr<State> current;
  u32 pc = 0;
  u32 prev_pc = kNoPc;
  std::vector<Pending> pending;
  std::vector<std::unique_ptr<State>> free_states;
  /// Remembered states, by a hash of pc and call site (bucket()).
  std::vector<std::list<std::unique_ptr<Remembered>>> buckets;
  /// States forgotten for want of hits; descendants still point to them.
  std::list<std::unique_ptr<Remembered>> forgotten;

  u32 last_id = 0;
  u64 jumps_processed = 0;
  u64 jumps_at_last_state = 0;
  u64 insns_at_last_state = 0;
  Touched touched;
  Trace trace;
  bool explores_limits = false;  ///< unprivileged pointer arithmetic: never prune on numbers

  const isa::ebpf::Insn& insn() const { return insns[pc]; }
  Frame& frame() { return current->current(); }
  Reg& reg(u32 number) { return frame().regs[number]; }
  /// The frame that a stack pointer points into.
  Frame& frame_of(const Reg& reg) { return *current->frames[reg.frame]; }
  const MapFacts& map(u32 number) const { return world.maps()[number - 1]; }
  const MapFacts& map(const Reg& reg) const { return map(reg.map); }
  u32 new_id() { return ++last_id; }
  /// Whether numbers are precise from the start (there is no tracking back for such programs).
  bool always_precise() const { return !rights.bpf; }
  void set_unknown(Reg& reg) const { reg.set_unknown(always_precise()); }
  const FuncDecl* declaration(u32 subprog) const {
    return input.functions.empty() ? nullptr : &input.functions[subprog];
  }

  /// The source line of an instruction, or null.
  const SourceLine* source_line(u32 at) const;

  /// Refuses the program at the current instruction.
  template <Msg kMsg, class... Args>
  Refusal fail(const Args&... args) {
    say<kMsg>(args...);
    return Refusal{error_of<kMsg>()};
  }
  /// Adds a line to what was said before.
  template <Msg kMsg, class... Args>
  void say(const Args&... args) {
    findings.say<kMsg>(pc, args...);
    if (input.log_level != 0) trace.text += findings.all().back().kernel + "\n";
  }

  /// Reads a register as an operand: refused if it was never written.
  Check read(u32 number);
  /// Writes a register: refused for r10. Its contents are the caller's business.
  Check write(u32 number);
  /// Writes a register with any number.
  Check write_unknown(u32 number);
  /// Whether the register holds a pointer that the program must not learn the value of.
  bool hides_pointer(u32 number) { return hides_pointer(reg(number)); }
  bool hides_pointer(const Reg& r) const { return !rights.pointer_leaks && !r.is_scalar(); }
  /// r0..r5 become unreadable, as after a call.
  void clear_caller_saved();

  /// Puts a copy of the current state aside, to go on at pc; null when too many are.
  State* put_aside(u32 to, u32 from, bool speculative);
  /// Makes the last state put aside the current one; false when there is none.
  bool take_pending();

  /// Number of the subprogram that starts at pc, or nothing.
  std::optional<u32> subprog_at(u32 start) const;
};

/// The whole verification: shape, constants, every function that is checked on its own, stack.
Check check_program(Walk& walk);

/// Walks all paths from the start of subprogram `subprog`.
Check walk_subprog(Walk& walk, u32 subprog);

/// Steps over the instruction at walk.pc; sets walk.pc to the next one. Sets done where the path
/// ends.
Check step(Walk& walk, bool& done);

}  // namespace skep::verify
