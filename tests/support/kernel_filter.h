// SPDX-License-Identifier: Apache-2.0
// The running kernel as an oracle: an eBPF program is loaded as a socket filter through bpf(2) and
// run once by BPF_PROG_TEST_RUN. Nothing is attached. Where the system call is not allowed, tests
// that use it skip.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "isa/ebpf.h"
#include "support/bytes.h"

namespace skep::testing {

/// Why the kernel cannot be asked on this machine, or nothing.
std::optional<std::string> kernel_refuses();

/// What the kernel said to one program.
struct KernelRun {
  int error = 0;    ///< errno of loading or running, 0: it ran
  u32 result = 0;   ///< low half of r0
  std::string log;  ///< the verifier's last words after a failed load
};

/// Loads and runs the program on a packet (at least 14 bytes).
KernelRun run_in_kernel(std::span<const isa::ebpf::Insn> program, Bytes packet);

}  // namespace skep::testing
