// SPDX-License-Identifier: Apache-2.0
// The reference interpreter with nobody watching.  Tested by interp_test.cc
#include "interp/interp.h"
#include "interp/switch_loop.h"

namespace skep::interp {

runtime::Outcome run_switch(const runtime::Program& program,
                            const runtime::RunInput& input) noexcept {
  return switch_loop::run(program, input, [](u32) {});
}

}  // namespace skep::interp
