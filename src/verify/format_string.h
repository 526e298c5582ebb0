// SPDX-License-Identifier: Apache-2.0
// Format strings of bpf_snprintf(): whether Linux accepts one, for a number of arguments.
// Source: kernel/bpf/helpers.c (bpf_bprintf_prepare).  Tested by format_string_test.cc
#pragma once

#include <string_view>

#include "support/ints.h"

namespace skep::verify {

/// Whether the string (without its terminating 0) is text and conversions of the kernel's kinds,
/// and uses at most so many arguments.
bool is_format_string(std::string_view format, u32 args);

}  // namespace skep::verify
