// SPDX-License-Identifier: Apache-2.0
// The version that was compiled into the library: an embedder compares it with SKEP_VERSION of its
// headers. Tested by tests/install.
#include "skep/version.h"

const char* skep_version(void) {
  return SKEP_VERSION;
}
