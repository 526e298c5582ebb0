// SPDX-License-Identifier: Apache-2.0
// The checked interpreter: direct-threaded like the fast one, but every register knows the object
// it points into and every access is checked (checked_machine.h has the rules). For programs that
// no verifier has seen.  Tested by interp_test.cc, checked_test.cc
#pragma once

#include "interp/threaded.h"

namespace skep::interp::checked {

/// Decodes a program. Errors: OutOfMemory.
Result<threaded::Records> prepare(const runtime::Program& program);

/// Runs records that were prepared from program.
runtime::Outcome run(const threaded::Records& records, const runtime::Program& program,
                     const runtime::RunInput& input) noexcept;

}  // namespace skep::interp::checked
