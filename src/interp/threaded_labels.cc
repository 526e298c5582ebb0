// SPDX-License-Identifier: Apache-2.0
// Handlers as labels of one function, and dispatch as a computed goto at the end of each. g++ would
// undo the copies of the dispatch (cross jumping) and hoist address arithmetic out of handlers
// (gcse): CMakeLists.txt turns both off for this file. Tested by interp_test.cc, threaded_test.cc
#include "interp/threaded_ops.h"
#include "interp/threaded_table.h"

#ifndef SKEP_THREADED_CALLS

#pragma GCC diagnostic ignored "-Wpedantic"  // labels as values are what this file is about

namespace skep::interp::threaded {
namespace {

// With first == nullptr: stores the address of the label table to *table and runs nothing.
// NOLINTNEXTLINE(readability-function-size,readability-function-cognitive-complexity)
[[gnu::noinline]] void run_labels(u64* registers, const Record* first, State* run_state,
                                  const std::uintptr_t** table) noexcept {
  // clang-format off
#define ROW(name) reinterpret_cast<std::uintptr_t>(&&L_##name),
  // clang-format on
  if (first == nullptr) {
    static const std::array<std::uintptr_t, kHandlerCount> labels = {
#include "interp/threaded_rows.inc"
    };
    *table = labels.data();
    return;
  }
  State& state = *run_state;
  u64 r[isa::ebpf::kRegisterCount];
  std::memcpy(r, registers, sizeof r);
  const Record* ip = first;

#define DISPATCH goto* reinterpret_cast<const void*>(ip->handler);
#define HANDLER(name) L_##name : {
#define DONE }
#define GO(n)  \
  {            \
    ip += (n); \
    DISPATCH   \
  }
#define JUMP(record)          \
  {                           \
    ip = jump_target(record); \
    DISPATCH                  \
  }
#define LEAVE return;
  DISPATCH
#include "interp/threaded_handlers.inc"
}

const std::uintptr_t* labels() {
  const std::uintptr_t* table = nullptr;
  run_labels(nullptr, nullptr, nullptr, &table);
  return table;
}

void execute(u64* registers, const Record* first, State& state) {
  run_labels(registers, first, &state, nullptr);
}

constexpr Variant kLabels{"labels", labels, execute};

}  // namespace

const Variant& variant() {
  return kLabels;
}

}  // namespace skep::interp::threaded

#endif  // SKEP_THREADED_CALLS
