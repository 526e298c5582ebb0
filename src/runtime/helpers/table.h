// SPDX-License-Identifier: Apache-2.0
// The table of Linux 6.1's helpers (helpers.def) by number and program type: which exist, who may
// call them, what they expect.
//
//   const Row* row = find(id::csum_diff, prog_type);   // null: not for programs of this type
//
// Tested by table_test.cc
#pragma once

#include <span>
#include <string_view>

#include "runtime/helpers/proto.h"
#include "support/ints.h"

namespace skep::runtime::helpers {

/// The right that loading a program with this helper takes, where its type takes none.
enum class Right : u8 {
  Anybody,
  Bpf,      ///< CAP_BPF
  Perfmon,  ///< CAP_PERFMON, and CAP_BPF
};

/// One helper, as programs of some types see it.
struct Row {
  Proto proto;
  Right right = Right::Anybody;
  u32 programs = 0;  ///< bit n: programs of type n (enum bpf_prog_type) may call it
};

/// All rows, by number; a helper has several where its prototype depends on the program's type.
std::span<const Row> rows();

/// The row of the helper of this number for programs of this type, or null.
const Row* find(u32 number, u32 prog_type);

/// The helper's name with `bpf_`, or "unknown" when Linux 6.1 has none of this number.
std::string_view name(u32 number);

/// Whether the prototype is of kinds that the verifier judges: no kernel objects.
bool judged(const Proto& proto);

}  // namespace skep::runtime::helpers
