// SPDX-License-Identifier: Apache-2.0
// Classic -> extended BPF: a checked program becomes eBPF that returns the same for the same
// packet, as in the kernel. Packet bytes are read by the legacy loads LD_ABS and LD_IND, which end
// the program with 0 where the packet ends, just as classic loads do.
//
//   r0  A        r6  the context (r1 on entry)     r10 - 4 - 4*n  M[n]
//   r7  X        r2, r8  scratch
//
// The context is struct EbpfContext below; under seccomp's rules it is struct seccomp_data. Netlink
// attributes (`ld nla`, `ld nlan`) are found by helpers, which the embedder registers by the
// numbers below. Programs with backward jumps are not translated: an eBPF verifier would refuse
// them as endless.
// Source: net/core/filter.c, bpf_convert_filter.
// Tested by to_ebpf_test.cc, tests/differential/classic_to_ebpf_test.cc
#pragma once

#include <vector>

#include "cbpf/check.h"
#include "cbpf/metadata.h"
#include "isa/ebpf.h"
#include "support/result.h"

namespace skep::cbpf {

/// What r1 points to when a translated program starts.
struct EbpfContext {
  u32 wire_length = 0;     ///< at 0: what `ld len` gives
  u32 packet_size = 0;     ///< at 4: bytes at packet_address, for the helpers
  u64 packet_address = 0;  ///< at 8
  Metadata metadata;       ///< at 16, 4 bytes a field
};
static_assert(sizeof(EbpfContext) == 80);

/// Numbers of the helpers that `ld nla` and `ld nlan` call: (context, A, X) -> offset or 0.
constexpr s32 kNetlinkAttributeHelper = 0x4000'0000;
constexpr s32 kNestedNetlinkAttributeHelper = 0x4000'0001;

/// The helpers' functions; r1 is the address of an EbpfContext, the last two arguments and user
/// mean nothing.
u64 netlink_attribute_helper(u64 context, u64 start, u64 type, u64, u64, void* user) noexcept;
u64 nested_netlink_attribute_helper(u64 context, u64 start, u64 type, u64, u64,
                                    void* user) noexcept;

/// A translated program, and what a verifier would find out about it.
struct Translation {
  std::vector<isa::ebpf::Insn> insns;
  std::vector<u32> starts;     ///< by classic pc: where its code starts; where it is not reached,
                               ///< where that of the next reached one does
  bool forward_only = true;    ///< no loops: it ends after at most insns.size() instructions
  bool packet_loads = false;   ///< uses LD_ABS or LD_IND (r6 holds the context)
  bool calls_helpers = false;  ///< the two above
  u32 context_bytes = 0;       ///< how much of the context it may read
  u32 stack_bytes = 0;         ///< of scratch memory
};

/// Translates. Errors: Unsupported (backward jumps), TooLong (a jump would not fit 16 bits).
Result<Translation> to_ebpf(const Program& program);

}  // namespace skep::cbpf
