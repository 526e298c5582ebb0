// SPDX-License-Identifier: Apache-2.0
// Handlers of the checked interpreter, as labels of one function; threaded_labels.cc says what that
// asks of the compiler. Instructions are charged to the budget where a straight line ends, that is
// at jumps that are taken, calls and exits.  Tested by interp_test.cc, checked_test.cc
#include "interp/checked.h"

#include "interp/checked_machine.h"
#include "interp/threaded_ops.h"
#include "interp/threaded_table.h"

#pragma GCC diagnostic ignored "-Wpedantic"  // labels as values

namespace skep::interp::checked {
namespace {

using threaded::jump_target;

template <Op op>
Trap do_packet(Machine& m, const Record* ip, bool& inside_packet) noexcept {
  constexpr bool indexed = isa::ebpf::info(op).kind == isa::ebpf::Kind::LdInd;
  if (indexed && m.tag[ip->src] == kUnwritten) return Trap::UninitialisedRegister;
  inside_packet = threaded::load_legacy<op>(*ip, m.r, *m.input);
  m.tag[0] = kNumber;
  forget_arguments(m);
  return Trap::None;
}

// With machine == nullptr: stores the address of the label table to *table and runs nothing.
// NOLINTNEXTLINE(readability-function-size,readability-function-cognitive-complexity)
[[gnu::noinline]] void run_labels(Machine* machine, const Record* first,
                                  const std::uintptr_t** table) noexcept {
  if (machine == nullptr) {
    // clang-format off
    static const std::array<std::uintptr_t, isa::ebpf::kOpCount> labels = {
#define ROW(name) reinterpret_cast<std::uintptr_t>(&&L_##name),
#define SKEP_NO_FUSED_ROWS
#include "interp/threaded_rows.inc"
    };
    // clang-format on
    *table = labels.data();
    return;
  }
  Machine& m = *machine;
  const Record* ip = first;
  bool inside_packet = false;

  // clang-format off
#define DISPATCH goto* reinterpret_cast<const void*>(ip->handler);
#define HANDLER(name) L_##name: {
#define DONE }
#define GO(n) { ip += (n); DISPATCH }
#define FAIL(why) { \
  m.outcome = {.r0 = 0, .trap = why, .pc = static_cast<u32>(ip - m.code)}; return; }
#define TRY(expression) \
  if (const Trap why = expression; why != Trap::None) [[unlikely]] FAIL(why)
#define GO_TO(record) { \
  const Record* const target = record; \
  if (!charge(m, ip, target)) [[unlikely]] FAIL(Trap::BudgetExhausted) \
  ip = target; DISPATCH }
#define LEAVE { \
  if (!charge(m, ip, nullptr)) [[unlikely]] FAIL(Trap::BudgetExhausted) \
  ip = leave_function(m, ip); \
  if (ip == nullptr) return; \
  m.line = ip; DISPATCH }

#define DO(what, name) HANDLER(name) TRY(what<Op::name>(m, ip)) GO(1) DONE
#define ALU(name, ...) DO(do_compute, name##32K) DO(do_compute, name##32X) \
                       DO(do_compute, name##64K) DO(do_compute, name##64X)
#define MOVSX(name, ...) DO(do_compute, name##X32) DO(do_compute, name##X64)
#define MOVSX64(name, ...) DO(do_compute, name##X64)
#define UNARY(name, ...) DO(do_compute, name##32) DO(do_compute, name##64)
#define END(name, ...) DO(do_compute, name)
#define LDX(name, ...) DO(do_load, name)
#define LDXSX(name, ...) DO(do_load, name)
#define ST(name, ...) DO(do_store, name)
#define STX(name, ...) DO(do_store, name)
#define ATOMIC(name, ...) DO(do_atomic, name##32) DO(do_atomic, name##64)
#define ACQREL(name, ...) DO(do_atomic, name)

#define BRANCH(name, operand) HANDLER(name) \
  if (!comparable<Op::name>(m, ip)) [[unlikely]] FAIL(Trap::UninitialisedRegister) \
  if (taken<Op::name>(m.r[ip->dst], operand)) GO_TO(jump_target(ip)) GO(1) DONE
#define JMP(name, ...) \
  BRANCH(name##32K, static_cast<u64>(ip->imm)) BRANCH(name##32X, m.r[ip->src]) \
  BRANCH(name##64K, static_cast<u64>(ip->imm)) BRANCH(name##64X, m.r[ip->src])

// Kernel: a load outside of the packet returns 0 from the running function.
#define PACKET(name, ...) HANDLER(name) \
  TRY(do_packet<Op::name>(m, ip, inside_packet)) if (inside_packet) GO(1) LEAVE DONE
#define LD64(name, ...) HANDLER(name) \
  m.r[ip->dst] = static_cast<u64>(ip->imm); m.tag[ip->dst] = kNumber; GO(2) DONE

  DISPATCH
#include "isa/ebpf.def"
  HANDLER(Ja) GO_TO(jump_target(ip)) DONE
  HANDLER(Ja32) GO_TO(jump_target(ip)) DONE
  HANDLER(MayGoto) if (m.frames.loops_used_up()) GO_TO(jump_target(ip)) GO(1) DONE
  HANDLER(Call) TRY(call_helper(m, ip)) GO(1) DONE
  HANDLER(CallLocal)
    if (!enter_function(m, ip)) FAIL(Trap::StackOverflow)
    GO_TO(jump_target(ip))
  DONE
  HANDLER(Exit) LEAVE DONE
  // Program::make lets neither be executed.
  HANDLER(CallKfunc) unreachable(); DONE
  HANDLER(LddwHigh) unreachable(); DONE
  // clang-format on
}

const std::uintptr_t* labels() {
  const std::uintptr_t* table = nullptr;
  run_labels(nullptr, nullptr, &table);
  return table;
}

constexpr threaded::Variant kVariant{"checked", labels, nullptr};

}  // namespace

Result<threaded::Records> prepare(const runtime::Program& program) {
  return threaded::prepare(program, kVariant, false);
}

runtime::Outcome run(const threaded::Records& records, const runtime::Program& program,
                     const runtime::RunInput& input) noexcept {
  Machine machine(records.first.get(), program, input);
  run_labels(&machine, records.first.get(), nullptr);
  return machine.outcome;
}

}  // namespace skep::interp::checked
