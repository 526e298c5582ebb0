// SPDX-License-Identifier: Apache-2.0
// The table of helpers, sorted by number.  Tested by helpers_test.cc
#include "runtime/helpers.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace skep::runtime {
namespace {

bool is_memory(Arg arg) {
  return arg == Arg::Memory || arg == Arg::WritableMemory || arg == Arg::MemoryOrNull;
}

Status check(const Helper& helper) {
  if (helper.call == nullptr && !helper.tail_call) {
    return Error{Code::InvalidArgument, fmt::format("helper {} has no function", helper.number)};
  }
  if (helper.number > static_cast<u32>(std::numeric_limits<s32>::max())) {
    return Error{Code::InvalidArgument,
                 fmt::format("helper number {} does not fit an immediate", helper.number)};
  }
  for (std::size_t i = 0; i < helper.args.size(); ++i) {
    if (helper.args[i] == Arg::Bytes && (i == 0 || !is_memory(helper.args[i - 1]))) {
      return Error{Code::InvalidArgument,
                   fmt::format("helper {}: argument {} is a size but no memory stands before it",
                               helper.number, i + 1)};
    }
  }
  return {};
}

}  // namespace

Status HelperTable::add(Helper helper) {
  SKEP_TRY_DO(check(helper));
  const auto at =
      std::lower_bound(helpers_.begin(), helpers_.end(), helper.number,
                       [](const Helper& present, u32 number) { return present.number < number; });
  if (at != helpers_.end() && at->number == helper.number) {
    *at = std::move(helper);
  } else {
    helpers_.insert(at, std::move(helper));
  }
  return {};
}

const Helper* HelperTable::find(s64 number) const {
  const auto at =
      std::lower_bound(helpers_.begin(), helpers_.end(), number,
                       [](const Helper& present, s64 wanted) { return present.number < wanted; });
  return at != helpers_.end() && at->number == number ? &*at : nullptr;
}

}  // namespace skep::runtime
