// SPDX-License-Identifier: Apache-2.0
// What the walk asks about the world outside of the program: the rules of its type, the fields of
// its context, the prototypes of helpers, the facts of maps. The core of the verifier knows only
// this interface; outside.h answers from hooks, helpers and maps, tests answer from tables.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/helpers/proto.h"
#include "support/ints.h"
#include "verify/reg.h"

namespace skep::verify {

// The prototypes of helpers are the helper table's.
using runtime::helpers::Arg;
using runtime::helpers::ArgFlag;
using runtime::helpers::ArgKind;
using runtime::helpers::kArgAligned;
using runtime::helpers::kArgFixedSize;
using runtime::helpers::kArgMaybeNull;
using runtime::helpers::kArgReadOnly;
using runtime::helpers::kArgRelease;
using runtime::helpers::kArgUninit;
using runtime::helpers::kArgWrite;
using runtime::helpers::Proto;
using runtime::helpers::RetKind;
namespace helper = runtime::helpers::helper;
namespace map_type = runtime::helpers::map_type;

enum class Access : u8 { Read, Write };

/// Rules that depend on the program's type (and on where it will be attached).
struct Traits {
  u32 prog_type = 0;
  u32 expected_attach_type = 0;
  bool gpl = true;
  bool packet_read = false;  ///< may dereference packet pointers, or give them to helpers
  bool packet_write = false;
  bool packet_loads = false;       ///< legacy LD_ABS and LD_IND are allowed
  bool tracing = false;            ///< kprobes, tracepoints, perf events
  bool context_is_memory = false;  ///< the context is what the program sees: helpers may read it
  bool updates_sockmaps = false;
  bool deletes_from_sockmaps = false;
  std::optional<Tnum> returns = std::nullopt;  ///< values that the program may return
};

/// What a load from the context gives, and which field it was.
struct ContextLoad {
  RegKind kind = RegKind::Scalar;
  u8 flags = 0;
  u32 field = 0;  ///< index in the hook's table
};

/// A map as the verifier sees it.
struct MapFacts {
  u32 type = 0;
  u32 key_size = 0;
  u32 value_size = 0;
  u32 max_entries = 0;
  std::string name;
  bool program_may_read = true;
  bool program_may_write = true;
  bool constant = false;       ///< read-only for programs and frozen: its contents are known
  bool direct_values = false;  ///< a program may hold an address inside its only value
  u32 inner = 0;               ///< maps of maps: number of the inner map's facts, from 1
  u32 outside_index = 0;       ///< for the world's own use
  std::optional<u32> spin_lock_off = std::nullopt;
  bool has_btf = false;
};

class World {
 public:
  World() = default;
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  virtual ~World() = default;

  virtual const Traits& traits() const = 0;
  /// What an access of size bytes at off of the context is, or nothing where it is not allowed.
  virtual std::optional<ContextLoad> context(u32 off, u32 size, Access access) const = 0;
  /// The same for the structure that a socket pointer points to.
  virtual bool socket(RegKind kind, u32 off, u32 size) const = 0;
  /// The helper of this number for programs of this type, or null.
  virtual const Proto* helper(u32 number) const = 0;
  /// The helper's name, or empty.
  virtual std::string_view helper_name(u32 number) const = 0;
  /// Whether a helper of this number exists in Linux but not here (then its absence is no refusal).
  virtual bool helper_is_missing(u32 number) const = 0;
  /// All maps; numbers in registers are indexes here plus 1.
  virtual const std::vector<MapFacts>& maps() const = 0;
  /// size (1 to 8) bytes at off of the value of a constant map, as the program would load them.
  virtual std::optional<u64> constant(const MapFacts& map, u32 off, u32 size) const = 0;
};

}  // namespace skep::verify
