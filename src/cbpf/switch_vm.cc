// SPDX-License-Identifier: Apache-2.0
// The switch machine. The rule set is a template parameter, so that its differences cost nothing
// at run time. Backward jumps charge their distance to the budget: an upper bound of what the
// loop executed, and nothing at all for forward code.
// Tested by switch_vm_test.cc
#include "cbpf/switch_vm.h"

#include "cbpf/packet.h"

namespace skep::cbpf {
namespace {

using isa::cbpf::AluOp;
using isa::cbpf::eval;
using isa::cbpf::holds;
using isa::cbpf::JmpOp;

// The next instruction after a comparison. The empty asm keeps this a branch: a conditional move
// would hide the outcome from the processor's branch history, and the switch is predicted by that.
inline const Insn* follow(const Insn& jump, const Insn* next, bool taken) {
  if (taken) {
    asm volatile("# jt");
    return next + jump.jt;
  }
  asm volatile("# jf");
  return next + jump.jf;
}

// The checker lets ancillary loads, the last rows of the table, through under Linux's rules only.
template <Rules R>
constexpr std::size_t kOperations = R == Rules::Linux ? isa::cbpf::kOpCount
                                                      : static_cast<std::size_t>(Op::Proto);

// Arguments in registers: a struct would go through memory, and be read back in other pieces.
template <Rules R>
// NOLINTNEXTLINE(readability-function-size,readability-function-cognitive-complexity)
[[gnu::noinline]] u32 run(const Program& program, const u8* data, u32 size, u32 wire_length,
                          const Metadata& meta) noexcept {
  const Packet packet{data, size};
  const Insn* next = program.insns().data();
  u64 budget = program.budget();
  u32 a = 0;
  u32 x = 0;
  u32 scratch[isa::cbpf::kMemWords];
  if (R == Rules::Libpcap && program.facts().scratch_loads)
    for (u32& word : scratch) word = 0;

  for (;;) {
    const Insn& now = *next++;
    const u32 k = now.k;
    if (static_cast<std::size_t>(now.op) >= kOperations<R>) unreachable();
    switch (now.op) {
      case Op::LdAbsW:
        if constexpr (R == Rules::Seccomp) {
          if (!in_range<u32>(size, k)) return 0;
          a = load_host<u32>(data + k);
        } else if (!load_packet<u32, R>(packet, meta, k, a)) {
          return 0;
        }
        break;
      case Op::LdAbsH:
        if (!load_packet<u16, R>(packet, meta, k, a)) return 0;
        break;
      case Op::LdAbsB:
        if (!load_packet<u8, R>(packet, meta, k, a)) return 0;
        break;
      case Op::LdIndW:
        if (!load_packet<u32, R>(packet, meta, isa::cbpf::indirect(R, x, k), a)) return 0;
        break;
      case Op::LdIndH:
        if (!load_packet<u16, R>(packet, meta, isa::cbpf::indirect(R, x, k), a)) return 0;
        break;
      case Op::LdIndB:
        if (!load_packet<u8, R>(packet, meta, isa::cbpf::indirect(R, x, k), a)) return 0;
        break;
      case Op::LdxMsh: {
        u32 first = 0;
        if (!load_packet<u8, R>(packet, meta, k, first)) return 0;
        x = isa::cbpf::header_length(static_cast<u8>(first));
        break;
      }
      case Op::LdImm: a = k; break;
      case Op::LdxImm: x = k; break;
      case Op::LdLen: a = R == Rules::Seccomp ? kSeccompDataSize : wire_length; break;
      case Op::LdxLen: x = R == Rules::Seccomp ? kSeccompDataSize : wire_length; break;
      case Op::LdMem: a = scratch[k]; break;
      case Op::LdxMem: x = scratch[k]; break;
      case Op::St: scratch[k] = a; break;
      case Op::Stx: scratch[k] = x; break;
      case Op::Neg: a = isa::cbpf::negate(a); break;
      case Op::Tax: x = a; break;
      case Op::Txa: a = x; break;
      case Op::RetK: return k;
      case Op::RetA: return a;
      case Op::Ja:
        if (static_cast<s32>(k) < 0) {
          const u32 distance = 0 - k;
          if (budget < distance) return 0;
          budget -= distance;
        }
        next += static_cast<s32>(k);
        break;
#define ALU(name, ...)                                            \
  case Op::name##K: a = eval(R, AluOp::name, a, k); break;        \
  case Op::name##X:                                               \
    if (isa::cbpf::ends_at_zero(AluOp::name) && x == 0) return 0; \
    a = eval(R, AluOp::name, a, x);                               \
    break;
#define JMP(name, ...)                                                         \
  case Op::name##K: next = follow(now, next, holds(JmpOp::name, a, k)); break; \
  case Op::name##X:                                                            \
    next = follow(now, next, holds(JmpOp::name, a, x));                        \
    break;
#include "isa/cbpf.def"
      case Op::Proto: a = meta.protocol; break;
      case Op::PktType: a = meta.packet_type; break;
      case Op::IfIndex:
        // Kernel: without a device the program ends, with A.
        if (meta.has_device == 0) return a;
        a = meta.ifindex;
        break;
      case Op::HaType:
        if (meta.has_device == 0) return a;
        a = meta.hardware_type;
        break;
      case Op::Nla: a = netlink_attribute(packet.bytes(), a, x); break;
      case Op::NlaNest: a = nested_netlink_attribute(packet.bytes(), a, x); break;
      case Op::Mark: a = meta.mark; break;
      case Op::Queue: a = meta.queue; break;
      case Op::RxHash: a = meta.rx_hash; break;
      case Op::Cpu: a = meta.cpu; break;
      case Op::AccXorX: a = eval(R, AluOp::Xor, a, x); break;
      case Op::VlanTci: a = meta.vlan_tci; break;
      case Op::VlanAvail: a = meta.vlan_present; break;
      case Op::VlanTpid: a = meta.vlan_tpid; break;
      case Op::PayOff: a = meta.payload_offset; break;
      case Op::Rand: a = meta.random; break;
    }
  }
}

}  // namespace

u32 run_switch(const Program& program, Bytes packet, u32 wire_length,
               const Metadata& metadata) noexcept {
  const u8* data = packet.data();
  const u32 size = visible_size(packet);
  switch (program.rules()) {
    case Rules::Linux: return run<Rules::Linux>(program, data, size, wire_length, metadata);
    case Rules::Seccomp: return run<Rules::Seccomp>(program, data, size, wire_length, metadata);
    case Rules::Libpcap: return run<Rules::Libpcap>(program, data, size, wire_length, metadata);
  }
  unreachable();
}

}  // namespace skep::cbpf
