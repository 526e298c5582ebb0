// SPDX-License-Identifier: Apache-2.0
// Tested by tests/verify, tests/kernel
#include "verify/reference.h"

namespace skep::verify {

u32 take_reference(Walk& walk) {
  Frame& frame = walk.frame();
  const u32 id = walk.new_id();
  frame.references.push_back({id, walk.pc, frame.in_callback ? frame.number : 0});
  return id;
}

bool forget_reference(Frame& frame, u32 id) {
  for (Reference& reference : frame.references) {
    if (reference.id != id) continue;
    // A callback gives back only what it took itself.
    if (frame.in_callback && reference.callback_frame != frame.number) return false;
    reference = frame.references.back();
    frame.references.pop_back();
    return true;
  }
  return false;
}

bool release_reference(Walk& walk, u32 id) {
  if (!forget_reference(walk.frame(), id)) return false;
  for_each_reg(*walk.current, [&walk, id](Reg& reg) {
    if (reg.ref != id) return;
    walk.set_unknown(reg);
    if (!walk.rights.pointer_leaks) reg.kind = RegKind::NotInit;
  });
  return true;
}

Check check_references(Walk& walk) {
  const Frame& frame = walk.frame();
  if (frame.number != 0 && !frame.in_callback) return {};
  Check result;
  for (const Reference& reference : frame.references) {
    if (frame.in_callback && reference.callback_frame != frame.number) continue;
    result = walk.fail<Msg::UnreleasedReference>(reference.id, reference.pc);
  }
  return result;
}

}  // namespace skep::verify
