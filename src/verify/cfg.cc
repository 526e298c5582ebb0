// SPDX-License-Identifier: Apache-2.0
// A depth-first search with colours: an edge to an instruction that is still on the stack closes a
// loop. Of a branch the way that falls through is searched first.
// Tested by tests/verify, tests/kernel
#include "verify/cfg.h"

#include "support/assert.h"

namespace skep::verify {
namespace {

using isa::ebpf::Insn;
using isa::ebpf::Kind;
using isa::ebpf::Op;

enum class Colour : u8 { Unseen, Open, Done };

// An instruction on the stack, with the edges that were followed.
struct Visit {
  u32 pc;
  u8 edges_done = 0;
};

struct Edge {
  s64 to = 0;
  bool loop_ok = false;  ///< may close a loop
  bool meets = false;    ///< paths may meet where it ends
};

struct Edges {
  std::array<Edge, 2> list = {};
  u32 count = 0;
  void add(Edge edge) { list[count++] = edge; }
};

class Search {
 public:
  explicit Search(Walk& walk) : walk_(walk), colour_(walk.insns.size(), Colour::Unseen) {}

  Check run() {
    open(0);
    while (!stack_.empty()) {
      Visit& visit = stack_.back();
      walk_.pc = visit.pc;
      const Edges edges = edges_of(visit.pc);
      // The instruction itself is such a point if it leads two ways.
      if (edges.count == 2) walk_.notes[visit.pc].prune_point = true;
      if (visit.edges_done == edges.count) {
        colour_[visit.pc] = Colour::Done;
        stack_.pop_back();
        continue;
      }
      SKEP_TRY_DO(follow(visit.pc, edges.list[visit.edges_done++]));
    }
    return check_all_seen();
  }

 private:
  void open(u32 pc) {
    colour_[pc] = Colour::Open;
    stack_.push_back({pc});
  }

  Check follow(u32 from, const Edge& edge) {
    if (edge.to < 0 || edge.to >= static_cast<s64>(walk_.insns.size())) {
      return walk_.fail<Msg::JumpOutOfRange>(from, edge.to);
    }
    const auto to = static_cast<u32>(edge.to);
    if (edge.meets) {
      walk_.notes[to].prune_point = true;
      walk_.notes[to].jump_point = true;
    }
    switch (colour_[to]) {
      case Colour::Unseen: open(to); break;
      case Colour::Open:
        if (!edge.loop_ok || !walk_.rights.bpf) return walk_.fail<Msg::BackEdge>(from, to);
        break;
      case Colour::Done: break;
    }
    return {};
  }

  Edges edges_of(u32 pc) const {
    const Insn& insn = walk_.insns[pc];
    const s64 next = s64{pc} + 1;
    Edges edges;
    const s64 target = next + isa::ebpf::jump_distance(insn);
    switch (isa::ebpf::info(insn.op).kind) {
      case Kind::Exit: break;
      case Kind::Ja: edges.add({target, true, true}); break;
      case Kind::Jmp:
      case Kind::MayGoto:
        edges.add({next, true, false});
        edges.add({target, true, true});
        break;
      case Kind::Call:
      case Kind::CallKfunc: edges.add({next, false, true}); break;
      case Kind::CallLocal:
        edges.add({next, false, true});
        edges.add({target, false, true});
        break;
      case Kind::Lddw:
        if (insn.op == Op::LddwCodeAddr) {
          edges.add({next + 1, false, true});
          edges.add({next + static_cast<s32>(insn.imm), true, true});
        } else {
          edges.add({next + 1, false, false});
        }
        break;
      case Kind::Alu:
      case Kind::MovSx:
      case Kind::Neg:
      case Kind::End:
      case Kind::Ldx:
      case Kind::LdxSx:
      case Kind::St:
      case Kind::Stx:
      case Kind::Atomic:
      case Kind::LoadAcquire:
      case Kind::StoreRelease:
      case Kind::LdAbs:
      case Kind::LdInd:
      case Kind::LddwHigh: edges.add({next, false, false}); break;
    }
    return edges;
  }

  Check check_all_seen() {
    for (u32 pc = 0; pc < walk_.insns.size(); ++pc) {
      walk_.pc = pc;
      if (colour_[pc] != Colour::Done) return walk_.fail<Msg::Unreachable>(pc);
      if (isa::ebpf::info(walk_.insns[pc].op).kind != Kind::Lddw) continue;
      if (colour_[pc + 1] != Colour::Unseen) return walk_.fail<Msg::JumpIntoConstant>(pc);
      ++pc;
    }
    return {};
  }

  Walk& walk_;
  std::vector<Colour> colour_;
  std::vector<Visit> stack_;
};

}  // namespace

Check check_cfg(Walk& walk) {
  return Search(walk).run();
}

}  // namespace skep::verify
