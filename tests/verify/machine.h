// SPDX-License-Identifier: Apache-2.0
// A slow machine that runs verified programs and believes nothing: every access has to be inside of
// an object, every register written before it is read, and every fact that the verifier exported
// has to hold. Contexts, packets, map values and results of helpers are random. It knows the world
// only through the interface that the verifier knows it through, so any program can be run.
#pragma once

#include <optional>
#include <string>

#include "tests/support/random.h"
#include "verify/verify.h"

namespace skep::verify {

struct MachineOptions {
  u64 max_steps = 20'000;    ///< then the run ends without complaint
  bool uninit_stack = true;  ///< unwritten stack may be read
};

/// Runs the program once. Returns what went wrong, or nothing.
std::optional<std::string> run_checked(const WalkInput& input, const World& world,
                                       const Verified& verified, testing::Random& random,
                                       const MachineOptions& options = {});

}  // namespace skep::verify
