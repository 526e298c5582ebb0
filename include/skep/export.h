// SPDX-License-Identifier: Apache-2.0
// SKEP_API marks what the shared library exports; everything else in it is hidden.
#pragma once

#if defined(__GNUC__)
#define SKEP_API __attribute__((visibility("default")))
#else
#define SKEP_API
#endif
