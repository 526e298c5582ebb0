// SPDX-License-Identifier: Apache-2.0
// States as text: for people, and as Linux's log writes them.
// Source: kernel/bpf/verifier.c (print_verifier_state).  Tested by tests/verify, tests/kernel
#pragma once

#include <string>

#include "verify/walk.h"

namespace skep::verify {

/// What the running function's registers and stack hold, a line each, for a person.
std::string describe_registers(const Walk& walk);

/// " R0_w=0 R1=ctx(off=0,imm=0) R10=fp0 fp-8=mmmmmmmm": what was touched of a frame, as in Linux's
/// log.
std::string kernel_state(const Walk& walk, const Frame& frame, const Touched& touched);

/// The log of a finished walk: what was said, then the statistics.
std::string kernel_log(const Walk& walk);

}  // namespace skep::verify
