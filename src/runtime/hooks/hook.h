// SPDX-License-Identifier: Apache-2.0
// A hook: where programs of one type run, and what their context looks like. A program sees the
// kernel's layout (struct __sk_buff, struct xdp_md); the values live in a host context, a struct of
// ours. Each field's row says both, once, for the verifier (may it be accessed, what is it), for
// binding (a load of the field becomes a load from the host context) and for the documentation:
//
//   program:  r2 = *(u32 *)(r1 + 76)   `data`, 4 bytes in struct __sk_buff
//   row:      {"data", 76, 4, PacketStart, kRead, offsetof(SkbContext, data), sizeof(u8*)}
//   bound:    r2 = *(u64 *)(r1 + offsetof(SkbContext, data))        on a 64-bit host
//
// Hosts are little-endian, so a narrow load of a scalar at the field's byte n is a load at byte n
// of the host's value. Embedders make hooks of their own with the same rows. Source:
// include/uapi/linux/bpf.h, net/core/filter.c (*_is_valid_access).
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "support/ints.h"

namespace skep::runtime::hooks {

/// What a load of a whole field gives.
enum class FieldType : u8 {
  Scalar,
  PacketStart,   ///< data
  PacketEnd,     ///< data_end
  PacketMeta,    ///< data_meta
  SocketCommon,  ///< struct bpf_sock*, or null
  Socket,        ///< struct bpf_sock*, never null
  Unused,        ///< part of the struct that no program of this hook may touch
};

enum FieldRight : u8 {
  kRead = 1,
  kWrite = 2,
  kNarrow = 4,       ///< loads of an aligned part of it, at any of its offsets
  kWide = 8,         ///< loads and stores may be of 8 bytes, over two 32-bit halves
  kPrivileged = 16,  ///< only with the right to read pointers (CAP_BPF)
};

/// A field of a context.
struct Field {
  std::string_view name;
  u16 offset = 0;  ///< bytes, as programs see it
  u16 size = 0;    ///< bytes, as programs see it
  FieldType type = FieldType::Scalar;
  u8 rights = kRead;
  u16 host_offset = 0;  ///< bytes, in the host context
  u8 host_size = 0;     ///< bytes; 8 or 4 for pointers
};

/// An access that a hook allows.
struct FieldAccess {
  u32 field = 0;        ///< index in Hook::fields
  u16 host_offset = 0;  ///< where to load or store instead
  u8 host_size = 0;     ///< and how many bytes
  FieldType type = FieldType::Scalar;
};

/// Values a program may return.
struct ReturnRange {
  s32 min = 0;
  s32 max = 0;
};

/// A value that programs return and its name, for tables of verdicts ("PASS").
struct Verdict {
  s32 value = 0;
  std::string_view name;
};

/// A hook's description; immutable, usually constexpr data.
struct Hook {
  std::string_view name;               ///< "sched_cls", as bpftool says
  u32 prog_type = 0;                   ///< enum bpf_prog_type
  u32 ctx_bytes = 0;                   ///< size of the context as programs see it
  std::span<const Field> fields = {};  ///< by offset; empty: the context is plain memory
  std::span<const Verdict> verdicts = {};
  std::optional<ReturnRange> returns = std::nullopt;
  bool packet_read = false;  ///< programs may use packet pointers (data .. data_end)
  bool packet_write = false;
  bool packet_loads = false;   ///< LD_ABS and LD_IND
  bool tracing = false;        ///< kprobe, tracepoint, perf_event, raw_tracepoint
  bool ctx_is_memory = false;  ///< the context is what the program sees, to the byte; readable as
                               ///< plain memory within ctx_bytes
  bool test_run = false;       ///< BPF_PROG_TEST_RUN knows it; else ENOTSUPP
};

/// The built-in hook for a program type, or nullptr. hooks.cc
const Hook* find_hook(u32 prog_type, u32 expected_attach_type = 0);
/// By name ("xdp"), or nullptr.
const Hook* find_hook(std::string_view name);
/// All built-in hooks.
std::span<const Hook* const> hooks();

/// Whether size bytes at off of the context may be loaded (stored), and where they really are.
/// Level 6.1's rules. unprivileged: without CAP_BPF.
std::optional<FieldAccess> access(const Hook& hook, u32 off, u32 size, bool write,
                                  bool unprivileged);

}  // namespace skep::runtime::hooks
