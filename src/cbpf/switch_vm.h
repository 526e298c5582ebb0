// SPDX-License-Identifier: Apache-2.0
// The plain virtual machine: one switch over decoded operations. It is the reference for the
// threaded one (threaded_vm.h) and needs nothing but the checked program.
// Tested by switch_vm_test.cc, tests/differential/classic_test.cc
#pragma once

#include "cbpf/check.h"
#include "cbpf/metadata.h"
#include "support/bytes.h"

namespace skep::cbpf {

/// Runs program on a packet and returns what it returns: the number of bytes to keep, 0 to drop
/// (for seccomp, the action). `wire_length` is the packet's length in bytes before it was cut.
/// A division by zero, a load out of range and an exhausted budget end the program with 0.
/// Under seccomp's rules `packet` is a struct seccomp_data in host order.
u32 run_switch(const Program& program, Bytes packet, u32 wire_length,
               const Metadata& metadata = kNoMetadata) noexcept;

}  // namespace skep::cbpf
