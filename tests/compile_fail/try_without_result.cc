// SPDX-License-Identifier: Apache-2.0
// SKEP_TRY returns the error, so it cannot stand in a function that has nowhere to put one.
// expect: cannot convert|no viable conversion
#include "support/result.h"

skep::Result<int> parse();

#ifdef SKEP_BAD
int caller() {
#else
skep::Result<int> caller() {
#endif
  SKEP_TRY(const int value, parse());
  return value + 1;
}
