// SPDX-License-Identifier: Apache-2.0
// Tested by tests/verify, tests/kernel
#include "verify/return_value.h"

namespace skep::verify {

std::string value_words(const Scalar& scalar) {
  if (scalar.bits.is_unknown()) return "has unknown scalar value";
  return "has value " + to_string(scalar.bits);
}

Check check_return_value(Walk& walk) {
  SKEP_TRY_DO(walk.read(0));
  const Reg& r0 = walk.reg(0);
  if (walk.hides_pointer(r0)) return walk.fail<Msg::LeakAsReturnValue>();
  const Frame& frame = *walk.current->frames[0];
  if (frame.in_async_callback) {
    if (!r0.is_scalar()) return walk.fail<Msg::AsyncReturnKind>(type_name(r0));
    const Tnum zero = Tnum::known(0);
    if (!zero.contains(r0.value.bits)) {
      return walk.fail<Msg::ReturnOutside>("async callback", value_words(r0.value),
                                           to_string(zero));
    }
    return {};
  }
  if (frame.subprog != 0) {
    return r0.is_scalar() ? Check{} : walk.fail<Msg::SubprogReturnKind>(type_name(r0));
  }
  const std::optional<Tnum>& allowed = walk.world.traits().returns;
  if (!allowed) return {};
  if (!r0.is_scalar()) return walk.fail<Msg::ReturnKind>(type_name(r0));
  if (!allowed->contains(r0.value.bits)) {
    return walk.fail<Msg::ReturnOutside>("program exit", value_words(r0.value),
                                         to_string(*allowed));
  }
  return {};
}

}  // namespace skep::verify
