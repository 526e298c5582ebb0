// SPDX-License-Identifier: Apache-2.0
// Random programs on the edge: most of their statements make sense (registers hold what is asked of
// them, pointers are checked), some do not, so that about half are refused and the accepted ones
// use what the verifier has to get right: ranges, copies, spills, variable offsets, merging paths.
#pragma once

#include <vector>

#include "isa/ebpf.h"
#include "tests/support/random.h"

namespace skep::verify {

struct MakerOptions {
  bool packets = false;      ///< XDP: r1 leads to packet data and its end
  u32 map_value_bytes = 64;  ///< of map 0, an array of one element with four-byte keys
  u32 statements = 20;
  u32 wild_percent = 3;  ///< statements that do not care what registers hold
};

std::vector<isa::ebpf::Insn> make_program(testing::Random& random, const MakerOptions& options);

}  // namespace skep::verify
