// SPDX-License-Identifier: Apache-2.0
// Texts of traps, from traps.def.  Tested by outcome_test.cc
#include "runtime/outcome.h"

#include "support/assert.h"

namespace skep::runtime {

std::string_view to_string(Trap trap) {
  switch (trap) {
#define X(name, text) \
  case Trap::name:    \
    return #name;
#include "skep/traps.def"
#undef X
  }
  unreachable();
}

std::string_view sentence(Trap trap) {
  switch (trap) {
#define X(name, text) \
  case Trap::name:    \
    return text;
#include "skep/traps.def"
#undef X
  }
  unreachable();
}

}  // namespace skep::runtime
