// SPDX-License-Identifier: Apache-2.0
// Which registers and slots of remembered states are read later. A read walks up the parents of
// the register until it meets a write or finds that the read is known.
// Source: kernel/bpf/verifier.c (mark_reg_read).  Tested by tests/verify, tests/kernel
#pragma once

#include "verify/walk.h"

namespace skep::verify {

/// The register is read on this path.
void mark_read(Walk& walk, const Reg& reg);
/// What old's continuation reads, the current state's would: current covers old's continuation.
void propagate_reads(Walk& walk, const State& old);
/// Forgets all of a completed state that was never read.
void clean(State& state);

}  // namespace skep::verify
