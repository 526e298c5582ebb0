// SPDX-License-Identifier: Apache-2.0
// Makes a failing random program small enough to read: instructions are taken out, jumps across
// them adjusted, as long as the failure stays. What is left is printed as a conformance case
// (tests/conformance/README.md), ready to be kept.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "isa/ebpf.h"
#include "support/bytes.h"

namespace skep::testing {

/// Whether a program still shows the failure. It must say no to programs that an engine without
/// checks cannot run: ask the checked interpreter first.
using Fails = std::function<bool(const std::vector<isa::ebpf::Insn>&)>;

/// The program without `count` instructions from `first` on; jumps to them go to what follows.
std::vector<isa::ebpf::Insn> without(std::span<const isa::ebpf::Insn> program, std::size_t first,
                                     std::size_t count);

/// A part of program, which fails, that fails as well and from which nothing can be taken out.
std::vector<isa::ebpf::Insn> shrink(std::vector<isa::ebpf::Insn> program, const Fails& fails);

/// A case of a conformance file: the program, its memory and packet, and the result it must give.
std::string conformance_case(std::string_view name, std::span<const isa::ebpf::Insn> program,
                             Bytes memory, Bytes packet, u64 result);

}  // namespace skep::testing
