// SPDX-License-Identifier: Apache-2.0
// The numbers of the threaded interpreter's handlers: first one for each operation, with the
// operation's number, then one for each row of threaded_fused.def.  Tested by threaded_test.cc
#pragma once

#include "isa/ebpf.h"

namespace skep::interp::threaded {

/// Handlers of fused runs, in the order of threaded_fused.def.
enum class Fused : u16 {
#define FUSE2(a, l1, b) a##_##l1##_##b,
#define FUSE3(a, l1, b, l2, c) a##_##l1##_##b##_##l2##_##c,
#define FUSE4(a, l1, b, l2, c, l3, d) a##_##l1##_##b##_##l2##_##c##_##l3##_##d,
#define ROTATE(name, ...) name,
#include "interp/threaded_fused.def"
  End
};

constexpr std::size_t kHandlerCount = isa::ebpf::kOpCount + static_cast<std::size_t>(Fused::End);

}  // namespace skep::interp::threaded
