// SPDX-License-Identifier: Apache-2.0
// The libraries behind this room, for `skep --version`.
#pragma once

#include <string>

namespace skep::capture {

/// Names and versions as loaded, such as "libpcap version 1.10.3 (...), zlib 1.2.13, zstd 1.5.4".
std::string library_versions();

}  // namespace skep::capture
