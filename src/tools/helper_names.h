// SPDX-License-Identifier: Apache-2.0
// The names of the kernel's helper functions, for `call bpf_ktime_get_ns` in text.
#pragma once

#include <span>

#include "asm/ebpf_disassembler.h"

namespace skep::tools {

/// Every helper that <linux/bpf.h> of the machine that built skep knows; empty without that header.
std::span<const assembler::ebpf::HelperName> helper_names();

}  // namespace skep::tools
