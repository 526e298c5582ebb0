// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value or an Error. Both compilers warn when one is dropped. SKEP_TRY is the only
// macro in skep that hides control flow.
// Tested by error_test.cc
#pragma once

#include <tl/expected.hpp>
#include <utility>

#include "support/error.h"

namespace skep {

template <class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using Base = tl::expected<T, Error>;
  using Base::Base;
  Result(Error error) : Base(tl::unexpect, std::move(error)) {}  // NOLINT: implicit on purpose
};

template <>
class [[nodiscard]] Result<void> : public tl::expected<void, Error> {
 public:
  using Base = tl::expected<void, Error>;
  using Base::Base;
  Result(Error error) : Base(tl::unexpect, std::move(error)) {}  // NOLINT: implicit on purpose
};

using Status = Result<void>;

#define SKEP_CONCAT_(a, b) a##b
#define SKEP_CONCAT(a, b) SKEP_CONCAT_(a, b)
#define SKEP_TRY_(tmp, declaration, expr)              \
  auto tmp = (expr);                                   \
  if (!tmp.has_value()) return std::move(tmp).error(); \
  declaration = std::move(*tmp)

/// SKEP_TRY(Type name, expr): name = the value of expr, or return its error from this function.
#define SKEP_TRY(declaration, expr) SKEP_TRY_(SKEP_CONCAT(skep_try_, __LINE__), declaration, expr)

/// SKEP_TRY_DO(expr): go on if the Status expr holds, or return its error from this function.
#define SKEP_TRY_DO(expr) \
  if (auto skep_status = (expr); !skep_status.has_value()) return std::move(skep_status).error()

}  // namespace skep
