// SPDX-License-Identifier: Apache-2.0
// The stack of a run of the fast interpreters: 8 frames of 512 bytes, and what a BPF-to-BPF call
// has to bring back.
//
//   bytes_:  | frame 0: 512 | frame 1: 512 | ... | frame 7 |     r10 = the end of the running
//            ^              ^ r10 in frame 0 = start of frame 1   function's frame
//
// A frame's bytes are not cleared. Tested by interp_test.cc
#pragma once

#include <array>

#include "isa/ebpf.h"
#include "runtime/access.h"
#include "runtime/program.h"

namespace skep::interp {

/// Record is what the interpreter's code consists of; a call remembers the one to go on with.
template <class Record>
class Frames {
 public:
  Frames() noexcept { saved_[0].loops = runtime::kMayGotoLoops; }  // NOLINT: bytes_ stays raw

  /// r10 of the function that starts the run.
  u64 first_top() const noexcept { return runtime::to_address(bytes_ + isa::ebpf::kStackBytes); }

  /// Starts a callee: keeps r6-r9 and where to go on, moves r10. False when 8 frames are in use.
  bool enter(u64* r, const Record* back) noexcept {
    if (depth_ + 1 == isa::ebpf::kMaxFrames) return false;
    Saved& caller = saved_[depth_++];
    for (unsigned i = 0; i < caller.r6_to_r9.size(); ++i) caller.r6_to_r9[i] = r[6 + i];
    caller.back = back;
    saved_[depth_].loops = runtime::kMayGotoLoops;
    r[isa::ebpf::kFramePointer] += isa::ebpf::kStackBytes;
    return true;
  }

  /// Ends a callee: restores the caller and returns where to go on; nullptr ends the run.
  const Record* leave(u64* r) noexcept {
    if (depth_ == 0) return nullptr;
    const Saved& caller = saved_[--depth_];
    for (unsigned i = 0; i < caller.r6_to_r9.size(); ++i) r[6 + i] = caller.r6_to_r9[i];
    r[isa::ebpf::kFramePointer] -= isa::ebpf::kStackBytes;
    return caller.back;
  }

  /// Whether a may_goto has to jump now; counts one pass when not.
  bool loops_used_up() noexcept {
    u32& loops = saved_[depth_].loops;
    if (loops == 0) return true;
    --loops;
    return false;
  }

 private:
  struct Saved {
    std::array<u64, 4> r6_to_r9;
    const Record* back;
    u32 loops;
  };
  alignas(16) u8 bytes_[isa::ebpf::kMaxFrames * isa::ebpf::kStackBytes];
  std::array<Saved, isa::ebpf::kMaxFrames> saved_;
  u32 depth_ = 0;
};

}  // namespace skep::interp
