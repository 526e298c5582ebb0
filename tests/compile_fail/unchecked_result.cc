// SPDX-License-Identifier: Apache-2.0
// A Result does not turn into its value by itself: the caller has to say what happens on an error.
// expect: cannot convert|no viable conversion
#include "support/result.h"

skep::Result<int> parse();

int caller() {
#ifdef SKEP_BAD
  return parse();
#else
  return parse().value_or(0);
#endif
}
