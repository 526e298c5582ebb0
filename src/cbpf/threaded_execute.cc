// SPDX-License-Identifier: Apache-2.0
// The hot function of the threaded machine, written with labels as values. The three macros at its
// top are its control flow: they end a handler, each use with an indirect jump of its own. The
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

// Enters at state.cell, or gives the table of labels if there is none.
[[gnu::noinline]] u64 enter(const u8* data, u32 size, State* state,
                            const void* const** table) noexcept {
  static const void* const kLabels[] = {
#define OP(name, ...) &&do_##name,
#define ALU(name, ...) &&do_##name##K, &&do_##name##X,
#define JMP(name, ...) &&do_##name##K, &&do_##name##X,
#define ANC(name, ...) &&do_##name,
#include "isa/cbpf.def"
#define HANDLER(name) &&do_##name,
#define LOAD_JMP(load, type, jump) &&do_##load##jump,
#include "cbpf/threaded_handlers.def"
  };
  if (state == nullptr) {
    *table = kLabels;
    return 0;
  }
  const Cell* cell = state->cell;
  u32 a = state->a;
  u32 x = state->x;

#define GO_TO(target, arm)                      \
  do {                                          \
    cell = (target);                            \
    asm volatile("# " arm " arm" : "+r"(cell)); \
    goto * cell->handler;                       \
  } while (false)
#define NEXT GO_TO(cell + 1, "next")
#define BRANCH(condition)  \
  if (condition)           \
    GO_TO(cell->jt, "jt"); \
  else                     \
    GO_TO(cell->jf, "jf")

#define LOAD(T, offset)                                  \
  do {                                                   \
    const u64 at = (offset);                             \
    if (at + sizeof(T) > size) [[unlikely]]              \
      goto leave;                                        \
    a = load_be<T>(data + static_cast<std::size_t>(at)); \
  } while (false)

  goto * cell->handler;

#define OFFSET_LdAbsW u64{cell->k}
#define OFFSET_LdAbsH \
  u64 {               \
    cell->k           \
  }
#define OFFSET_LdAbsB \
  u64 {               \
    cell->k           \
  }
#define OFFSET_LdIndW (u64{x} + cell->k)
#define OFFSET_LdIndH (u64{x} + cell->k)
#define OFFSET_LdIndB (u64{x} + cell->k)

do_LdAbsW:
  LOAD(u32, OFFSET_LdAbsW);
  NEXT;
do_LdAbsH:
  LOAD(u16, OFFSET_LdAbsH);
  NEXT;
do_LdAbsB:
  LOAD(u8, OFFSET_LdAbsB);
  NEXT;
do_LdIndW:
  LOAD(u32, OFFSET_LdIndW);
  NEXT;
do_LdIndH:
  LOAD(u16, OFFSET_LdIndH);
  NEXT;
do_LdIndB:
  LOAD(u8, OFFSET_LdIndB);
  NEXT;
do_LdxMsh:
  if (cell->k >= size) [[unlikely]]
    goto leave;
  x = isa::cbpf::header_length(data[cell->k]);
  NEXT;
do_LdHostW:
  if (u64{cell->k} + sizeof(u32) > size) [[unlikely]]
    goto leave;
  a = load_host<u32>(data + cell->k);
  NEXT;

#define LOAD_JMP(load, T, jump)             \
  do_##load##jump : LOAD(T, OFFSET_##load); \
  BRANCH(holds(JmpOp::jump, a, cell->value));
#include "cbpf/threaded_handlers.def"

do_LdAbsWAndJeq:
  LOAD(u32, OFFSET_LdAbsW);
  a = eval(kLinux, AluOp::And, a, cell->mask);
  BRANCH(holds(JmpOp::Jeq, a, cell->value));
do_AndJeq:
  a = eval(kLinux, AluOp::And, a, cell->k);
  BRANCH(holds(JmpOp::Jeq, a, cell->value));

#define ALU(name, ...)                                                                      \
  do_##name##K : a = eval(kLinux, AluOp::name, a, cell->k);                                 \
  NEXT;                                                                                     \
  do_##name##X : if (isa::cbpf::ends_at_zero(AluOp::name) && x == 0) [[unlikely]] return 0; \
  a = eval(kLinux, AluOp::name, a, x);                                                      \
  NEXT;
#define JMP(name, ...)                                   \
  do_##name##K : BRANCH(holds(JmpOp::name, a, cell->k)); \
  do_##name##X : BRANCH(holds(JmpOp::name, a, x));
#include "isa/cbpf.def"

do_LshXZero:
  a = eval(kLibpcap, AluOp::Lsh, a, x);
  NEXT;
do_RshXZero:
  a = eval(kLibpcap, AluOp::Rsh, a, x);
  NEXT;
do_JaBack:
  if (state->budget < cell->value) return 0;
  state->budget -= cell->value;
do_Ja:
  GO_TO(cell->jt, "ja");
do_RetK:
  return cell->k;
do_RetA:
  return a;

do_LdImm:
  a = cell->k;
  NEXT;
do_LdxImm:
  x = cell->k;
  NEXT;
do_LdLen:
  a = state->wire_length;
  NEXT;
do_LdxLen:
  x = state->wire_length;
  NEXT;
do_LdMem:
  a = state->scratch[cell->k];
  NEXT;
do_LdxMem:
  x = state->scratch[cell->k];
  NEXT;
do_St:
  state->scratch[cell->k] = a;
  NEXT;
do_Stx:
  state->scratch[cell->k] = x;
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

u64 execute(const u8* data, u32 size, State& state) noexcept {
  return enter(data, size, &state, nullptr);
}

const void* address_of(Handler handler) noexcept {
  const void* const* labels = nullptr;
  enter(nullptr, 0, nullptr, &labels);
  return labels[static_cast<std::size_t>(handler)];
}

}  // namespace skep::cbpf
