// SPDX-License-Identifier: Apache-2.0
// The hot function of the threaded machine, written with labels as values. The macros NEXT, BRANCH
// and END are its control flow: they end a handler, each use with an indirect jump of its own. The
// comment in the empty asm keeps compilers from merging them again (clang folds the choice between
// jump arms into one jump; g++ is told by flags in CMakeLists.txt). Check by counting the indirect
// jumps in the object code (bench/README.md has the command).
// Tested by threaded_vm_test.cc
#include "cbpf/threaded_execute.h"

#pragma GCC diagnostic ignored "-Wpedantic"  // labels as values

namespace skep::cbpf {
namespace {

using isa::cbpf::AluOp;
using isa::cbpf::eval;
using isa::cbpf::holds;
using isa::cbpf::JmpOp;

constexpr Rules kLinux = Rules::Linux;  // of the plain shifts
constexpr Rules kLibpcap = Rules::Libpcap;

bool either(const Cell& cell, u32 v, u32 w) {
  return (static_cast<u32>(cell.first.in.contains(v)) |
          static_cast<u32>(cell.second.in.contains(w))) != 0;
}

bool is_one_of(const u32* values, const Cell& cell, u32 v) {
  const u32* block = values + cell.second.k;
  u32 hits = 0;
  for (u32 left = cell.second.mask; left != 0; --left, block += 4)
    hits |= static_cast<u32>(v == block[0]) | static_cast<u32>(v == block[1]) |
            static_cast<u32>(v == block[2]) | static_cast<u32>(v == block[3]);
  return hits != 0;
}

// Runs from cell on, or gives the table of labels if there is no state.
// NOLINTNEXTLINE(readability-function-size,readability-function-cognitive-complexity)
[[gnu::noinline]] u64 enter(const Cell* cell, const u8* data, u32 size, State* state,
                            const void* const** table) noexcept {
  static const void* const kLabels[] = {
#define OP(name, ...) &&do_##name,
#define ALU(name, ...) &&do_##name##K, &&do_##name##X,
#define JMP(name, ...) &&do_##name##K, &&do_##name##X,
#define ANC(name, ...) &&do_##name,
#include "isa/cbpf.def"
#define HANDLER(name) &&do_##name,
#define VALUE(kind, op) &&do_Test##kind, &&do_End##kind, &&do_Set##kind, &&do_EndSet##kind,
#define PAIR(first, second) &&do_Test##first##second, &&do_End##first##second,
#include "cbpf/threaded_handlers.def"
  };
  if (state == nullptr) {
    *table = kLabels;
    return 0;
  }
  u32 a = state->a;
  u32 x = state->x;

#define GO_TO(target, arm)                      \
  do {                                          \
    cell = (target);                            \
    asm volatile("# " arm " arm" : "+r"(cell)); \
    goto * cell->handler;                       \
  } while (false)
#define NEXT GO_TO(cell + 1, "next")
#define BRANCH(condition)            \
  if (condition)                     \
    GO_TO(cell->arms[1].cell, "jt"); \
  else                               \
    GO_TO(cell->arms[0].cell, "jf")
// By index: a choice between the two would be a branch.
#define END(condition) return cell->arms[static_cast<std::size_t>(condition)].value

// VALUE_kind(v, term) is v = the value of a term; packet bytes that are not there end the handler.
#define LOAD(v, T, offset)                               \
  do {                                                   \
    const u64 at = (offset);                             \
    if (at + sizeof(T) > size) [[unlikely]]              \
      goto leave;                                        \
    v = load_be<T>(data + static_cast<std::size_t>(at)); \
  } while (false)
#define VALUE_AbsW(v, term) LOAD(v, u32, u64{(term).k})
#define VALUE_AbsH(v, term) LOAD(v, u16, u64{(term).k})
#define VALUE_AbsB(v, term) LOAD(v, u8, u64{(term).k})
#define VALUE_IndW(v, term) LOAD(v, u32, u64{x} + (term).k)
#define VALUE_IndH(v, term) LOAD(v, u16, u64{x} + (term).k)
#define VALUE_IndB(v, term) LOAD(v, u8, u64{x} + (term).k)
#define VALUE_Len(v, term) v = state->wire_length
#define VALUE_Acc(v, term) v = a

  goto * cell->handler;

do_LdAbsW:
  VALUE_AbsW(a, cell->first);
  NEXT;
do_LdAbsH:
  VALUE_AbsH(a, cell->first);
  NEXT;
do_LdAbsB:
  VALUE_AbsB(a, cell->first);
  NEXT;
do_LdIndW:
  VALUE_IndW(a, cell->first);
  NEXT;
do_LdIndH:
  VALUE_IndH(a, cell->first);
  NEXT;
do_LdIndB:
  VALUE_IndB(a, cell->first);
  NEXT;
do_LdxMsh : {
  u8 first;
  VALUE_AbsB(first, cell->first);
  x = isa::cbpf::header_length(first);
  NEXT;
}
do_LdHostW:
  if (u64{cell->first.k} + sizeof(u32) > size) [[unlikely]]
    goto leave;
  a = load_host<u32>(data + cell->first.k);
  NEXT;

#define VALUE(kind, op)                                \
  do_Test##kind : VALUE_##kind(a, cell->first);        \
  a = eval(kLinux, AluOp::And, a, cell->first.mask);   \
  BRANCH(cell->first.in.contains(a));                  \
  do_End##kind : {                                     \
    u32 v;                                             \
    VALUE_##kind(v, cell->first);                      \
    v = eval(kLinux, AluOp::And, v, cell->first.mask); \
    END(cell->first.in.contains(v));                   \
  }                                                    \
  do_Set##kind : VALUE_##kind(a, cell->first);         \
  a = eval(kLinux, AluOp::And, a, cell->first.mask);   \
  BRANCH(is_one_of(state->values, *cell, a));          \
  do_EndSet##kind : {                                  \
    u32 v;                                             \
    VALUE_##kind(v, cell->first);                      \
    v = eval(kLinux, AluOp::And, v, cell->first.mask); \
    END(is_one_of(state->values, *cell, v));           \
  }
// Both values are loaded, then both tests made, so that there is one branch.
#define TWO_VALUES(p, q)                             \
  u32 v;                                             \
  u32 w;                                             \
  VALUE_##p(v, cell->first);                         \
  VALUE_##q(w, cell->second);                        \
  v = eval(kLinux, AluOp::And, v, cell->first.mask); \
  w = eval(kLinux, AluOp::And, w, cell->second.mask)
#define PAIR(p, q)               \
  do_Test##p##q : {              \
    TWO_VALUES(p, q);            \
    a = w;                       \
    BRANCH(either(*cell, v, w)); \
  }                              \
  do_End##p##q : {               \
    TWO_VALUES(p, q);            \
    END(either(*cell, v, w));    \
  }
#include "cbpf/threaded_handlers.def"

#define ALU(name, ...)                                                                      \
  do_##name##K : a = eval(kLinux, AluOp::name, a, cell->first.k);                           \
  NEXT;                                                                                     \
  do_##name##X : if (isa::cbpf::ends_at_zero(AluOp::name) && x == 0) [[unlikely]] return 0; \
  a = eval(kLinux, AluOp::name, a, x);                                                      \
  NEXT;
#define JMP(name, ...)                                         \
  do_##name##K : BRANCH(holds(JmpOp::name, a, cell->first.k)); \
  do_##name##X : BRANCH(holds(JmpOp::name, a, x));
#include "isa/cbpf.def"

do_LshXZero:
  a = eval(kLibpcap, AluOp::Lsh, a, x);
  NEXT;
do_RshXZero:
  a = eval(kLibpcap, AluOp::Rsh, a, x);
  NEXT;
do_JaBack:
  if (state->budget < cell->first.mask) return 0;
  state->budget -= cell->first.mask;
do_Ja:
  GO_TO(cell->arms[1].cell, "ja");
do_RetK:
  return cell->first.k;
do_RetA:
  return a;

do_LdImm:
  a = cell->first.k;
  NEXT;
do_LdxImm:
  x = cell->first.k;
  NEXT;
do_LdLen:
  a = state->wire_length;
  NEXT;
do_LdxLen:
  x = state->wire_length;
  NEXT;
do_LdMem:
  a = state->scratch[cell->first.k];
  NEXT;
do_LdxMem:
  x = state->scratch[cell->first.k];
  NEXT;
do_St:
  state->scratch[cell->first.k] = a;
  NEXT;
do_Stx:
  state->scratch[cell->first.k] = x;
  NEXT;
do_Neg:
  a = isa::cbpf::negate(a);
  NEXT;
do_Tax:
  x = a;
  NEXT;
do_Txa:
  a = x;
  NEXT;

do_HaType:
do_IfIndex:
  // Kernel: without a device the program ends, with A.
  if (state->metadata->has_device == 0) return a;
  a = cell->op == Op::IfIndex ? state->metadata->ifindex : state->metadata->hardware_type;
  NEXT;
do_AccXorX:
  a = eval(kLinux, AluOp::Xor, a, x);
  NEXT;
do_Proto:
  a = state->metadata->protocol;
  NEXT;
do_PktType:
  a = state->metadata->packet_type;
  NEXT;
do_Mark:
  a = state->metadata->mark;
  NEXT;
do_Queue:
  a = state->metadata->queue;
  NEXT;
do_RxHash:
  a = state->metadata->rx_hash;
  NEXT;
do_Cpu:
  a = state->metadata->cpu;
  NEXT;
do_VlanTci:
  a = state->metadata->vlan_tci;
  NEXT;
do_VlanAvail:
  a = state->metadata->vlan_present;
  NEXT;
do_VlanTpid:
  a = state->metadata->vlan_tpid;
  NEXT;
do_PayOff:
  a = state->metadata->payload_offset;
  NEXT;
do_Rand:
  a = state->metadata->random;
  NEXT;

do_Nla:
do_NlaNest:
leave:
  state->cell = cell;
  state->a = a;
  state->x = x;
  return kLeft;
}

}  // namespace

u64 execute(const Cell* cell, const u8* data, u32 size, State& state) noexcept {
  return enter(cell, data, size, &state, nullptr);
}

const void* address_of(Handler handler) noexcept {
  const void* const* labels = nullptr;
  enter(nullptr, nullptr, 0, nullptr, &labels);
  return labels[static_cast<std::size_t>(handler)];
}

}  // namespace skep::cbpf
