// SPDX-License-Identifier: Apache-2.0
// Tested by tests/verify, tests/kernel
#include "verify/subprog.h"

#include <algorithm>

#include "support/assert.h"

namespace skep::verify {
namespace {

using isa::ebpf::Insn;
using isa::ebpf::Kind;
using isa::ebpf::Op;

constexpr std::size_t kMaxSubprogs = 256;

bool names_function(const Insn& insn) {
  return insn.op == Op::CallLocal || insn.op == Op::LddwCodeAddr;
}

// Where the function starts that a call or an address names.
s64 function_start(u32 pc, const Insn& insn) {
  return s64{pc} + 1 + static_cast<s32>(insn.imm);
}

Check add_subprog(Walk& walk, s64 start) {
  if (start < 0 || start >= static_cast<s64>(walk.insns.size())) {
    return walk.fail<Msg::CallDestination>();
  }
  if (walk.subprog_at(static_cast<u32>(start))) return {};
  if (walk.subprogs.size() >= kMaxSubprogs) return walk.fail<Msg::TooManySubprogs>();
  Subprog subprog;
  subprog.start = static_cast<u32>(start);
  const auto at = std::lower_bound(walk.subprogs.begin(), walk.subprogs.end(), subprog.start,
                                   [](const Subprog& s, u32 x) { return s.start < x; });
  walk.subprogs.insert(at, subprog);
  return {};
}

bool jumps(Kind kind) {
  return kind == Kind::Jmp || kind == Kind::Ja || kind == Kind::MayGoto;
}

Check check_insn(Walk& walk, Subprog& subprog, u32 pc) {
  const Insn& insn = walk.insns[pc];
  const Kind kind = isa::ebpf::info(insn.op).kind;
  if (insn.op == Op::Call && insn.imm == helper::kTailCall) subprog.has_tail_call = true;
  if (kind == Kind::LdAbs || kind == Kind::LdInd) subprog.has_packet_load = true;
  if (!jumps(kind)) return {};
  const s64 target = s64{pc} + 1 + isa::ebpf::jump_distance(insn);
  if (target < subprog.start || target >= subprog.end) {
    return walk.fail<Msg::JumpOutOfRange>(pc, target);
  }
  return {};
}

bool ends_function(Kind kind) {
  return kind == Kind::Exit || kind == Kind::Ja;
}

u32 stack_of(const Subprog& subprog) {
  constexpr u32 kStep = 32;
  return (std::max(subprog.stack_bytes, 1U) + kStep - 1) / kStep * kStep;
}

// Follows calls from one function, depth first; a callback counts as called where its address is
// taken.
class DepthCheck {
 public:
  explicit DepthCheck(Walk& walk) : walk_(walk) {}

  Check run(u32 root) {
    SKEP_TRY_DO(enter(root, walk_.subprogs[root].start));
    while (!calls_.empty()) {
      bool entered = false;
      SKEP_TRY_DO(advance(entered));
      if (!entered) leave();
    }
    return {};
  }

 private:
  struct Active {
    u32 subprog;
    u32 pc;
  };

  Check enter(u32 number, u32 pc) {
    constexpr u32 kTailCallDepth = 256;
    const Subprog& subprog = walk_.subprogs[number];
    walk_.pc = pc;
    if (number != 0 && subprog.has_tail_call && depth_ >= kTailCallDepth) {
      return walk_.fail<Msg::TailCallStack>(depth_);
    }
    depth_ += stack_of(subprog);
    calls_.push_back({number, subprog.start});
    if (depth_ > isa::ebpf::kStackBytes) {
      return walk_.fail<Msg::CombinedStack>(calls_.size(), depth_);
    }
    return {};
  }

  Check advance(bool& entered) {
    Active& active = calls_.back();
    const u32 end = walk_.subprogs[active.subprog].end;
    while (active.pc < end) {
      const u32 pc = active.pc++;
      const Insn& insn = walk_.insns[pc];
      if (!names_function(insn)) continue;
      const s64 start = function_start(pc, insn);
      const std::optional<u32> callee = walk_.subprog_at(static_cast<u32>(start));
      if (!callee) return walk_.fail<Msg::BugNoSubprog>(start);
      // Asynchronous callbacks run on a stack of their own.
      if (walk_.subprogs[*callee].is_async_callback && insn.op != Op::CallLocal) continue;
      entered = true;
      if (calls_.size() >= isa::ebpf::kMaxFrames) {
        walk_.pc = pc;
        return walk_.fail<Msg::CallDepth>(calls_.size());
      }
      return enter(*callee, pc);
    }
    return {};
  }

  void leave() {
    depth_ -= stack_of(walk_.subprogs[calls_.back().subprog]);
    calls_.pop_back();
  }

  Walk& walk_;
  std::vector<Active> calls_;
  u32 depth_ = 0;
};

}  // namespace

Check find_subprogs(Walk& walk) {
  SKEP_TRY_DO(add_subprog(walk, 0));
  for (walk.pc = 0; walk.pc < walk.insns.size(); ++walk.pc) {
    const Insn& insn = walk.insn();
    const bool kfunc = insn.op == Op::CallKfunc;
    if (!names_function(insn) && !kfunc) continue;
    if (!walk.rights.bpf) return walk.fail<Msg::CallsNotAllowed>();
    if (kfunc) {
      if (insn.imm != 0 || insn.off != 0) return walk.fail<Msg::UnsupportedKfunc>(insn.imm);
      continue;
    }
    SKEP_TRY_DO(add_subprog(walk, function_start(walk.pc, insn)));
  }
  for (std::size_t i = 0; i < walk.subprogs.size(); ++i) {
    const bool last = i + 1 == walk.subprogs.size();
    walk.subprogs[i].end = last ? static_cast<u32>(walk.insns.size()) : walk.subprogs[i + 1].start;
  }
  return {};
}

Check check_subprogs(Walk& walk) {
  for (Subprog& subprog : walk.subprogs) {
    for (walk.pc = subprog.start; walk.pc < subprog.end; ++walk.pc) {
      SKEP_TRY_DO(check_insn(walk, subprog, walk.pc));
    }
    walk.pc = subprog.end - 1;
    if (!ends_function(isa::ebpf::info(walk.insn().op).kind)) {
      return walk.fail<Msg::FallsOffEnd>();
    }
  }
  return {};
}

Check check_declarations(Walk& walk) {
  if (walk.input.functions.empty()) {
    for (std::size_t i = 1; i < walk.subprogs.size(); ++i) {
      walk.pc = walk.subprogs[i].start;
      if (walk.subprogs[i].has_packet_load) return walk.fail<Msg::PacketLoadNoBtf>();
      if (walk.subprogs[i].has_tail_call) return walk.fail<Msg::TailCallNoBtf>();
    }
    return {};
  }
  if (walk.input.functions.size() != walk.subprogs.size()) {
    return walk.fail<Msg::FuncInfoCount>();
  }
  for (std::size_t i = 0; i < walk.subprogs.size(); ++i) {
    const Subprog& subprog = walk.subprogs[i];
    const FuncDecl& declaration = walk.input.functions[i];
    walk.pc = subprog.start;
    if (subprog.start != declaration.start_pc) return walk.fail<Msg::FuncInfoLayout>();
    if (i == 0 || declaration.returns_scalar) continue;
    if (subprog.has_packet_load) return walk.fail<Msg::PacketLoadReturn>();
    if (subprog.has_tail_call) return walk.fail<Msg::TailCallReturn>();
  }
  return {};
}

Check check_stack_depth(Walk& walk) {
  for (u32 i = 0; i < walk.subprogs.size(); ++i) {
    if (i != 0 && !walk.subprogs[i].is_async_callback) continue;
    SKEP_TRY_DO(DepthCheck(walk).run(i));
  }
  return {};
}

Check set_arguments(Walk& walk, u32 subprog) {
  auto& regs = walk.frame().regs;
  if (subprog == 0) {
    regs[1].set_pointer(RegKind::Ctx);
    return {};
  }
  const FuncDecl& declaration = *walk.declaration(subprog);
  if (walk.declaration_unreliable[subprog]) {
    return walk.fail<Msg::BugGlobalFunction>(declaration.name);
  }
  constexpr std::size_t kMaxArgs = 5;
  if (declaration.args.size() > kMaxArgs) {
    return walk.fail<Msg::TooManyArguments>(declaration.name, declaration.args.size(), kMaxArgs);
  }
  if (!declaration.returns_scalar) return walk.fail<Msg::GlobalReturn>(declaration.name);
  for (u32 i = 0; i < declaration.args.size(); ++i) {
    Reg& reg = regs[i + 1];
    const FuncArg& arg = declaration.args[i];
    switch (arg.kind) {
      case FuncArg::Kind::Scalar: walk.set_unknown(reg); break;
      case FuncArg::Kind::Ctx: reg.set_pointer(RegKind::Ctx); break;
      case FuncArg::Kind::Mem:
        reg.set_pointer(RegKind::Mem, kMaybeNull);
        reg.extra = arg.bytes;
        reg.id = walk.new_id();
        break;
      case FuncArg::Kind::Unsupported: return walk.fail<Msg::GlobalArgument>(i, declaration.name);
    }
  }
  return {};
}

}  // namespace skep::verify
