// SPDX-License-Identifier: Apache-2.0
// Tested by tests/verify, tests/kernel
#include "verify/calls.h"

#include "support/assert.h"
#include "verify/helper_args.h"
#include "verify/liveness.h"
#include "verify/mem_region.h"
#include "verify/precision.h"
#include "verify/return_value.h"
#include "verify/trace.h"

namespace skep::verify {
namespace {

Check check_depth(Walk& walk) {
  if (walk.current->top + 1 >= isa::ebpf::kMaxFrames) {
    return walk.fail<Msg::CallStackTooDeep>(walk.current->top + 2);
  }
  return {};
}

// A new frame on top, not yet the running one. References move to it.
Frame& push_frame(Walk& walk, u32 subprog) {
  State& state = *walk.current;
  Frame& caller = state.current();
  Frame*& slot = state.frames[state.top + 1];
  SKEP_ASSERT(slot == nullptr);
  slot = walk.pool.take();
  Frame& callee = *slot;
  std::vector<Slot> stack = std::move(callee.stack);
  stack.clear();
  callee = Frame{};
  callee.stack = std::move(stack);
  callee.callsite = walk.pc;
  callee.number = state.top + 1;
  callee.subprog = subprog;
  callee.references = caller.references;
  for (Reg& reg : callee.regs) {
    reg.set_not_init();
    reg.precise = walk.always_precise();
  }
  Reg& fp = callee.regs[isa::ebpf::kFramePointer];
  fp.set_pointer(RegKind::Stack);
  fp.frame = static_cast<u8>(callee.number);
  return callee;
}

void run_frame(Walk& walk, u32 subprog) {
  walk.clear_caller_saved();
  State& state = *walk.current;
  trace_call(walk, *state.frames[state.top], *state.frames[state.top + 1]);
  ++state.top;
  walk.pc = walk.subprogs[subprog].start;
}

// One argument of a global function.
Check check_argument(Walk& walk, u32 number, const FuncArg& arg) {
  Reg& reg = walk.reg(number);
  switch (arg.kind) {
    case FuncArg::Kind::Scalar:
      return reg.is_scalar() ? Check{} : walk.fail<Msg::ArgumentNotScalar>(number);
    case FuncArg::Kind::Ctx:
      SKEP_TRY_DO(check_pointer_offset(walk, number, {}));
      return reg.is(RegKind::Ctx) ? Check{}
                                  : walk.fail<Msg::ArgumentNotCtx>(number - 1, type_name(reg));
    case FuncArg::Kind::Mem:
      SKEP_TRY_DO(check_pointer_offset(walk, number, {}));
      return check_memory_argument(walk, number, arg.bytes);
    case FuncArg::Kind::Unsupported: return walk.fail<Msg::UnsupportedArgument>(number - 1);
  }
  unreachable();
}

Check call_global(Walk& walk, u32 subprog, const FuncDecl& declaration) {
  for (u32 i = 0; i < declaration.args.size(); ++i) {
    const Check argument = check_argument(walk, i + 1, declaration.args[i]);
    if (argument.has_value()) continue;
    walk.declaration_unreliable[subprog] = true;
    if (argument.error().error == kUnsupported) return argument;
    walk.say<Msg::GlobalCallArguments>(subprog);
    return argument;
  }
  walk.clear_caller_saved();
  walk.set_unknown(walk.reg(0));
  ++walk.pc;
  return {};
}

}  // namespace

Check check_local_call(Walk& walk) {
  const s64 target = s64{walk.pc} + 1 + walk.insn().imm;
  const std::optional<u32> subprog = walk.subprog_at(static_cast<u32>(target));
  if (!subprog) return walk.fail<Msg::BugNoSubprog>(target);
  SKEP_TRY_DO(check_depth(walk));
  const FuncDecl* const declaration = walk.declaration(*subprog);
  if (declaration != nullptr && declaration->global) {
    if (walk.declaration_unreliable[*subprog]) {
      return walk.fail<Msg::GlobalCallArguments>(*subprog);
    }
    return call_global(walk, *subprog, *declaration);
  }
  Frame& callee = push_frame(walk, *subprog);
  // The arguments bring their links along: a read in the callee is a read of the caller's register.
  for (u32 r = 1; r <= 5; ++r) callee.regs[r] = walk.reg(r);
  run_frame(walk, *subprog);
  return {};
}

Check return_to_caller(Walk& walk) {
  State& state = *walk.current;
  Frame& callee = state.current();
  Reg& r0 = callee.regs[0];
  if (r0.is(RegKind::Stack)) return walk.fail<Msg::ReturnsStackPointer>();
  Frame& caller = *state.frames[state.top - 1];
  if (callee.in_callback) {
    if (!r0.is_scalar()) return walk.fail<Msg::CallbackReturnKind>();
    mark_read(walk, r0);
    SKEP_TRY_DO(mark_precise(walk, 0));
    if (!callee.callback_returns.contains(r0.value.bits)) {
      return walk.fail<Msg::ReturnOutside>("callback return", value_words(r0.value),
                                           to_string(callee.callback_returns));
    }
  } else {
    caller.regs[0] = r0;
    caller.references = callee.references;
  }
  trace_return(walk, caller, callee);
  walk.trace.starts_path = true;
  walk.pc = callee.callsite + 1;
  walk.pool.give(&callee);
  state.frames[state.top] = nullptr;
  --state.top;
  return {};
}

Check enter_callback(Walk& walk, u32 subprog, Callback callback, u32 map) {
  SKEP_TRY_DO(check_depth(walk));
  Frame& callee = push_frame(walk, subprog);
  auto& regs = callee.regs;
  switch (callback) {
    case Callback::MapElement:
      regs[1] = walk.reg(1);
      regs[2].set_pointer(RegKind::MapKey);
      regs[2].map = map;
      regs[3].set_pointer(RegKind::MapValue);
      regs[3].map = map;
      regs[4] = walk.reg(3);
      break;
    case Callback::Loop:
      regs[1].kind = RegKind::Scalar;
      regs[2] = walk.reg(3);
      break;
  }
  callee.in_callback = true;
  callee.callback_returns = Tnum::range(0, 1);
  run_frame(walk, subprog);
  // Kernel: what the callback reads of its arguments is not what the caller passed.
  for (u32 r = 0; r < 6; ++r) callee.regs[r].live |= kLiveWritten;
  return {};
}

}  // namespace skep::verify
