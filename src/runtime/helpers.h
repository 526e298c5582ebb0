// SPDX-License-Identifier: Apache-2.0
// Helpers: functions of the embedder that a program calls by number. A row says, besides the
// function, what the checked interpreter has to know: which arguments the function uses as memory
// and whether the result is an address. Fast engines call the function and look at nothing.
//
//   helpers.add({.number = 1, .name = "fill", .call = fill, .user = &state,
//                .args = {Arg::WritableMemory, Arg::Bytes}});
//
// A tail call (helper 12 of Linux) is no function: a row with tail_call makes the calls of its
// number an operation of the engine (Callable in run_state.h).
// Tested by helpers_test.cc
#pragma once

#include <array>
#include <string>
#include <vector>

#include "support/ints.h"
#include "support/result.h"

namespace skep::runtime {

/// A helper's function: r1..r5 and the row's user pointer, or the run's RunState; what it returns
/// goes to r0. It may be called by several threads at a time and must not throw.
using HelperFn = u64 (*)(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5, void* user);

/// What the checked interpreter demands of an argument before it calls a helper.
enum class Arg : u8 {
  None,    ///< not an argument: may be unwritten, the function does not look at it
  Value,   ///< anything that was written; the function must not use it as an address
  Memory,  ///< pointer to readable memory; Bytes in the next argument, else Helper::arg_bytes
  WritableMemory,  ///< pointer to writable memory, sized like Memory; counts as written afterwards
  MemoryOrNull,    ///< as Memory, or 0
  Bytes,           ///< size in bytes of the memory that the argument before it points to
};

/// One helper.
struct Helper {
  u32 number = 0;         ///< the call instruction's immediate
  std::string name = {};  ///< for messages
  HelperFn call = nullptr;
  void* user = nullptr;  ///< passed on to call; must outlive every program that uses the helper
  bool wants_run_state = false;  ///< call gets the run's RunState* as user; such programs need
                                 ///< RunInput::state
  bool tail_call = false;        ///< bpf_tail_call(ctx, program array, index); call is not used
  std::array<Arg, 5> args = {};
  u32 arg_bytes = 0;     ///< size of Memory arguments that no Bytes argument follows
  u32 result_bytes = 0;  ///< not 0: a result other than 0 is the address of so many bytes, which
                         ///< the program may read and write until the run ends
};

/// Helpers by number.
class HelperTable {
 public:
  /// Adds a helper, or replaces the one of the same number. Errors: InvalidArgument (no function
  /// and no tail call, number above 2^31 - 1, Bytes without memory before it).
  Status add(Helper helper);
  /// The helper of that number, or nullptr.
  const Helper* find(s64 number) const;
  std::size_t size() const { return helpers_.size(); }

 private:
  std::vector<Helper> helpers_;  // by ascending number
};

}  // namespace skep::runtime
