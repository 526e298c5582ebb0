// SPDX-License-Identifier: Apache-2.0
// Asks the loaded libraries for their versions.
#include "capture/libraries.h"

#include <pcap/pcap.h>
#include <zlib.h>
#include <zstd.h>

namespace skep::capture {

std::string library_versions() {
  std::string text = pcap_lib_version();
  text += std::string(", zlib ") + zlibVersion();
  text += std::string(", zstd ") + ZSTD_versionString();
  return text;
}

}  // namespace skep::capture
