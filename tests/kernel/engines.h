// SPDX-License-Identifier: Apache-2.0
// The engines that the kernel's tests run on, behind one shape: load a program, then run it.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "vectors.h"

namespace skep::kernel {

/// A loaded program: gives the low 32 bits of what it returns, or an error (a trap).
using Loaded = std::function<Result<u32>(const Vector& test, const Run& run)>;

struct Engine {
  std::string_view name;                       ///< as in exceptions.txt and on the command line
  bool classic;                                ///< which tests it is for
  Result<Loaded> (*load)(const Vector& test);  ///< an error: the program is refused
};

/// Every engine.
std::span<const Engine> engines();

}  // namespace skep::kernel
