// SPDX-License-Identifier: Apache-2.0
// Things that a program takes and has to give back: sockets, ring buffer records.
// Source: kernel/bpf/verifier.c (acquire_reference_state and its kin).  Tested by tests/verify,
// tests/kernel
#pragma once

#include "verify/walk.h"

namespace skep::verify {

/// The call at walk.pc took something; its id.
u32 take_reference(Walk& walk);
/// Drops the reference without looking who holds copies of the pointer. False if there is none.
bool forget_reference(Frame& frame, u32 id);
/// Gives it back: no register may be used to reach it any more. False if it was not taken.
bool release_reference(Walk& walk, u32 id);
/// Refused if the running function would end with something not given back.
Check check_references(Walk& walk);

}  // namespace skep::verify
