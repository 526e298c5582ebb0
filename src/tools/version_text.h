// SPDX-License-Identifier: Apache-2.0
// What `skep --version` prints: version, features of the CPU, engines, libraries.
#pragma once

#include <string>

namespace skep::tools {

std::string version_text();

}  // namespace skep::tools
