// SPDX-License-Identifier: Apache-2.0
// Handlers as functions that call the next one in tail position, which is a jump: the compiler has
// to promise it (clang's musttail), or the stack would grow with every instruction. Registers of
// the interpreter live in the argument registers. Tested by interp_test.cc, threaded_test.cc
#include "interp/threaded_ops.h"
#include "interp/threaded_table.h"

#ifdef SKEP_THREADED_CALLS

namespace skep::interp::threaded {
namespace {

using Function = void (*)(u64* r, const Record* ip, State& state) noexcept;

// clang-format off
#define HANDLER(name)                                                             \
  void do_##name([[maybe_unused]] u64* r, [[maybe_unused]] const Record* ip, \
                 [[maybe_unused]] State& state) noexcept {
#define DONE }
#define DISPATCH [[clang::musttail]] return reinterpret_cast<Function>(ip->handler)(r, ip, state);
#define GO(n) { ip += (n); DISPATCH }
#define JUMP(record) { ip = jump_target(record); DISPATCH }
#define LEAVE return;
#include "interp/threaded_handlers.inc"
// clang-format on

const std::uintptr_t* functions() {
  static const std::array<std::uintptr_t, kHandlerCount> table = {
#define ROW(name) reinterpret_cast<std::uintptr_t>(do_##name),
#include "interp/threaded_rows.inc"
  };
  return table.data();
}

void execute(u64* registers, const Record* first, State& state) {
  reinterpret_cast<Function>(first->handler)(registers, first, state);
}

constexpr Variant kCalls{"calls", functions, execute};

}  // namespace

const Variant& variant() {
  return kCalls;
}

}  // namespace skep::interp::threaded

#endif  // SKEP_THREADED_CALLS
