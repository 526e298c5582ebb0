// SPDX-License-Identifier: Apache-2.0
// What the first function of a program (or a function checked on its own) may return.
// Source: kernel/bpf/verifier.c (check_return_code).  Tested by tests/verify, tests/kernel
#pragma once

#include "verify/walk.h"

namespace skep::verify {

/// At an exit that ends the program.
Check check_return_value(Walk& walk);

/// "has value (0x2; 0x0)" or "has unknown scalar value".
std::string value_words(const Scalar& scalar);

}  // namespace skep::verify
