// SPDX-License-Identifier: Apache-2.0
// Random classic programs that the checker accepts, for differential tests: every operation of the
// table occurs; offsets lie where packets have bytes (mostly), jumps are short, and a loop ends.
#pragma once

#include <vector>

#include "cbpf/check.h"
#include "cbpf/metadata.h"
#include "tests/support/random.h"

namespace skep::testing {

/// A program valid under `rules`. Under libpcap's it may have one loop, of a few rounds, and it
/// stores scratch memory before it loads it, because libpcap does not clear it.
std::vector<isa::cbpf::RawInsn> random_classic_program(Random& random, isa::cbpf::Rules rules);

/// Metadata with random values.
cbpf::Metadata random_metadata(Random& random);

}  // namespace skep::testing
