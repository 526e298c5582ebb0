// SPDX-License-Identifier: Apache-2.0
// A Result may not be dropped: errors are values, so a dropped one is a lost error.
// expect: unused-result|ignoring returned value|ignoring return value
#include "support/result.h"

skep::Result<int> parse();
skep::Status close_file();

int caller() {
  const skep::Result<int> value = parse();
#ifdef SKEP_BAD
  close_file();
#else
  const skep::Status closed = close_file();
  if (!closed) return -1;
#endif
  return value ? *value : 0;
}
