// SPDX-License-Identifier: Apache-2.0
// Tested by tests/verify, tests/kernel
#include "verify/spin_lock.h"

namespace skep::verify {
namespace {

Check lock_or_unlock(Walk& walk, u32 number, bool lock) {
  const Reg& reg = walk.reg(number);
  const MapFacts& map = walk.map(reg);
  if (!reg.value.is_known()) return walk.fail<Msg::LockOffsetVariable>(number);
  if (!map.has_btf) return walk.fail<Msg::LockWithoutBtf>(map.name);
  if (!map.spin_lock_off) return walk.fail<Msg::LockMissing>(map.name);
  const s64 off = static_cast<s64>(reg.value.bits.value) + reg.off;
  if (off != s64{*map.spin_lock_off}) return walk.fail<Msg::LockElsewhere>(off);
  u32& held = walk.current->lock_id;
  if (lock) {
    if (held != 0) return walk.fail<Msg::LockTwice>();
    held = reg.id;
    return {};
  }
  if (held == 0) return walk.fail<Msg::UnlockWithoutLock>();
  if (held != reg.id) return walk.fail<Msg::UnlockOther>();
  held = 0;
  return {};
}

}  // namespace

Check check_spin_lock(Walk& walk, u32 number, u32 helper_number) {
  // Kernel: whatever is wrong, the answer is EACCES.
  const Check result = lock_or_unlock(walk, number, helper_number == helper::kSpinLock);
  return result.has_value() ? result : Check{Refusal{EACCES}};
}

}  // namespace skep::verify
