// SPDX-License-Identifier: Apache-2.0
// A switch over a table's enum without a default names every row: a new row is an error.
// expect: not handled in switch
#include "support/error.h"

int number_of(skep::Code code) {
  switch (code) {
#ifdef SKEP_BAD
    case skep::Code::InvalidArgument: return 0;
#else
#define X(name, number, sentence) \
  case skep::Code::name:          \
    return number;
#include "skep/error_codes.def"
#undef X
#endif
  }
  return -1;
}
