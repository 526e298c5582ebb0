// SPDX-License-Identifier: Apache-2.0
// From the Result of src/ to the Expected and the opaque objects of the public headers.
#pragma once

#include <memory>
#include <utility>

#include "skep/expected.h"
#include "support/assert.h"
#include "support/result.h"

namespace skep::api {

template <class T>
Expected<T> to_expected(Result<T> result) {
  if (!result.has_value()) return std::move(result).error();
  return std::move(*result);
}

}  // namespace skep::api
