// SPDX-License-Identifier: Apache-2.0
// The verifier: whether a program can be run without any check, for every context and every
// contents of its maps, as Linux would judge it; if so, what was proved on the way; if not, why.
//
//   instructions, declarations --verify()--> Verified (facts) --> interpreters, lifter
//        + World (type, context, helpers, maps)  `--> Report (why not; the work it was)
//
// Source: kernel/bpf/verifier.c.  Tested by tests/verify and tests/kernel
#pragma once

#include "support/result.h"
#include "verify/facts.h"
#include "verify/program.h"
#include "verify/report.h"
#include "verify/world.h"

namespace skep::verify {

/// What holds for an accepted program.
struct Verified {
  Facts facts;                   ///< one an instruction slot
  std::vector<u32> stack_bytes;  ///< of each function, in order of their starts; multiples of 8
  std::vector<u32> functions;    ///< where they start
};

/// Judges a program. Errors, all with the pc and the sentence of the last finding: Rejected (EACCES
/// and whatever has no code of its own), InvalidArgument (EINVAL), TooLong (E2BIG), OutOfMemory,
/// Unsupported (not judged: never a refusal). report, if given, has the kernel's errno, all
/// findings, the registers and the statistics, for accepted programs too.
Result<Verified> verify(const WalkInput& input, const World& world, Report* report = nullptr);

}  // namespace skep::verify
