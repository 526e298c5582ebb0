// SPDX-License-Identifier: Apache-2.0
// Calls between functions of the program. A static function is walked at each call, as if it were
// part of the caller; a global one is checked once, on its own, by its declaration, and a call only
// checks the arguments. Callbacks are walked once at the call of the helper that takes them.
// Source: kernel/bpf/verifier.c (__check_func_call, prepare_func_exit).  Tested by tests/verify,
// tests/kernel
#pragma once

#include "verify/walk.h"

namespace skep::verify {

/// CallLocal instructions.
Check check_local_call(Walk& walk);
/// Goes on in the caller; r0 is the running function's result.
Check return_to_caller(Walk& walk);

/// Which helper calls back, which decides the callback's arguments.
enum class Callback : u8 { MapElement, Loop };

/// Walks the callback `subprog`, whose caller is the helper call at walk.pc. After it, the walk
/// goes on behind the call.
Check enter_callback(Walk& walk, u32 subprog, Callback callback, u32 map);

}  // namespace skep::verify
