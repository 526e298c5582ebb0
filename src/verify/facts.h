// SPDX-License-Identifier: Apache-2.0
// What the verifier proved, instruction by instruction, for interpreters and compilers. A fact
// holds on every real path, those cut short by pruning included: pruning only compares away numbers
// that decided nothing, so kinds of pointers, regions, maps and context fields of a path that was
// cut are those of the path that was walked. Numbers are facts only where the walk made them
// precise (branches that go one way, indexes of tail calls) or where pruning compares ranges
// (offsets of pointers).
// Tested by tests/verify, tests/kernel
#pragma once

#include <optional>
#include <vector>

#include "support/ints.h"

namespace skep::verify {

/// What memory an instruction accesses.
enum class Region : u8 {
  None,   ///< it accesses none, or is never reached
  Ctx,    ///< the context: `field` says which field
  Stack,  ///< a frame's stack: offsets from its top, below 0
  Packet,
  PacketMeta,
  MapValue,
  MapKey,
  Mem,  ///< memory that a helper gave, or a global function's argument
  Socket,
  Other,
  Mixed,  ///< several of these
};

constexpr u32 kSeveral = ~u32{0};

struct Fact {
  bool reachable = false;
  bool jumps = false;          ///< conditional jump: some path takes it
  bool falls_through = false;  ///< and some path does not
  Region region = Region::None;
  bool own_frame = true;  ///< Stack: always the running function's
  u32 field = 0;          ///< Ctx: index in the hook's table
  u32 map = 0;            ///< MapValue, MapKey, helper calls: number of the map from 1, kSeveral, 0
  s64 min_off = 0;        ///< region given: least and greatest offset accessed from the object's
  s64 max_off = 0;        ///< start (Packet: from the pointer's base), first byte
  u32 index = 0;          ///< tail call: the constant index, or kSeveral
  bool index_known = false;

  bool operator==(const Fact&) const = default;
};

using Facts = std::vector<Fact>;

}  // namespace skep::verify
