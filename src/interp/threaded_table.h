// SPDX-License-Identifier: Apache-2.0
// The numbers of the threaded interpreter's handlers: first one for each operation, with the
// operation's number, then one for each row of threaded_fused.def.  Tested by threaded_test.cc
#pragma once

#include "isa/ebpf.h"

namespace skep::interp::threaded {

/// Handlers of fused runs, in the order of threaded_fused.def.
enum class Fused : u16 {
#define CHAIN2(a, b) Chain_##a##_##b,
#define CHAIN3(a, b, c) Chain_##a##_##b##_##c,
#define PAIR(a, b) Pair_##a##_##b,
#include "interp/threaded_fused.def"
  End
};

constexpr std::size_t kHandlerCount = isa::ebpf::kOpCount + static_cast<std::size_t>(Fused::End);

}  // namespace skep::interp::threaded
