// SPDX-License-Identifier: Apache-2.0
// Expected<T>: what the fallible functions of the public API return, a value or an Error.
// Works with and without exceptions; throws nothing of its own.
// Tested by src/api/expected_test.cc
#pragma once

#include <type_traits>
#include <utility>
#include <variant>

#include "skep/error.h"

namespace skep {

/// A T or the Error that says why there is none. Compilers warn when one is dropped.
template <class T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : content_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit
  Expected(Error error) : content_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

  bool has_value() const noexcept { return content_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  /// The value; undefined when there is none (has_value() tells).
  T& value() & noexcept { return *std::get_if<0>(&content_); }
  const T& value() const& noexcept { return *std::get_if<0>(&content_); }
  T&& value() && noexcept { return std::move(*std::get_if<0>(&content_)); }
  T& operator*() & noexcept { return value(); }
  const T& operator*() const& noexcept { return value(); }
  T&& operator*() && noexcept { return std::move(*this).value(); }
  T* operator->() noexcept { return std::get_if<0>(&content_); }
  const T* operator->() const noexcept { return std::get_if<0>(&content_); }

  /// The error; undefined when there is a value.
  const Error& error() const& noexcept { return *std::get_if<1>(&content_); }
  Error&& error() && noexcept { return std::move(*std::get_if<1>(&content_)); }

  /// Expected of what f makes of the value; the error is passed on.
  template <class F>
  auto map(F&& f) && -> Expected<std::invoke_result_t<F, T&&>> {
    if (!has_value()) return std::move(*this).error();
    return std::forward<F>(f)(std::move(*this).value());
  }

 private:
  std::variant<T, Error> content_;
};

}  // namespace skep
