// SPDX-License-Identifier: Apache-2.0
// Each engine's way of loading and running one of the kernel's tests, and the metadata that the
// kernel gives to the packets of its tests.
#include "engines.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "cbpf/check.h"
#include "cbpf/packet.h"
#include "cbpf/switch_vm.h"
#include "cbpf/threaded_vm.h"
#include "cbpf/to_ebpf.h"
#include "interp/interp.h"
#include "isa/ebpf_codec.h"
#include "runtime/access.h"

namespace skep::kernel {
namespace {

constexpr u32 kEthernetHeader = 14;

u32 network_offset(const Run& run) {
  return std::min(run.size, kEthernetHeader);
}

// Source: populate_skb() of lib/test_bpf.c.
cbpf::Metadata metadata_of(const Run& run, Bytes packet) {
  cbpf::Metadata metadata;
  metadata.protocol = 0x0800;
  metadata.packet_type = 3;
  metadata.mark = 0x1234aaaa;
  metadata.rx_hash = 0x1234aaab;
  metadata.queue = 123;
  metadata.vlan_tci = 0xffff;
  metadata.vlan_present = 1;
  metadata.vlan_tpid = 0x0800;
  metadata.ifindex = 577;
  metadata.hardware_type = 588;
  metadata.random = 0x5bd1e995;
  metadata.network_offset = network_offset(run);
  metadata.payload_offset =
      cbpf::payload_offset(packet, metadata.network_offset, metadata.protocol);
  return metadata;
}

Result<cbpf::Program> check_classic(const Vector& test) {
  std::vector<isa::cbpf::RawInsn> raw;
  for (std::size_t at = 0; at < test.insns.size(); at += 8) {
    const u8* p = test.insns.data() + at;
    raw.push_back({load_le<u16>(p), p[2], p[3], load_le<u32>(p + 4)});
  }
  return cbpf::check(raw, cbpf::Rules::Linux);
}

Result<Loaded> load_classic_switch(const Vector& test) {
  SKEP_TRY(cbpf::Program program, check_classic(test));
  auto shared = std::make_shared<const cbpf::Program>(std::move(program));
  return Loaded([shared](const Vector& vector, const Run& run) -> Result<u32> {
    const std::vector<u8> packet = packet_of(vector, run);
    return cbpf::run_switch(*shared, packet, static_cast<u32>(packet.size()),
                            metadata_of(run, packet));
  });
}

Result<Loaded> load_classic_threaded(const Vector& test) {
  SKEP_TRY(cbpf::Program program, check_classic(test));
  SKEP_TRY(cbpf::Threaded threaded, cbpf::Threaded::decode(program));
  auto shared = std::make_shared<const cbpf::Threaded>(std::move(threaded));
  return Loaded([shared](const Vector& vector, const Run& run) -> Result<u32> {
    const std::vector<u8> packet = packet_of(vector, run);
    return shared->run(packet, static_cast<u32>(packet.size()), metadata_of(run, packet));
  });
}

// The tests are written for the kernel behind its verifier. Two things there are no part of the
// instruction set: a mark (imm = 1) on the moves that the verifier adds to clear upper halves, and
// code after the last exit, which nothing reaches and skep's structural check refuses as a program
// that runs past its end. The mark is taken off; an exit is put behind the end.
Result<std::vector<isa::ebpf::Insn>> decode_ebpf(const Vector& test) {
  constexpr u8 kMove32 = 0xbc;
  constexpr u8 kJump = 0x05;
  constexpr u8 kExit[8] = {0x95};
  std::vector<u8> bytes(test.insns.begin(), test.insns.end());
  for (std::size_t at = 0; at < bytes.size(); at += 8)
    if (bytes[at] == kMove32 && load_le<u32>(&bytes[at + 4]) == 1) store_le<u32>(&bytes[at + 4], 0);
  const u8 last = bytes[bytes.size() - 8];
  if (last != kExit[0] && last != kJump) bytes.insert(bytes.end(), kExit, kExit + 8);
  return isa::ebpf::decode(bytes, ByteOrder::Little);
}

template <interp::Engine kEngine>
Result<Loaded> load_ebpf(const Vector& test) {
  SKEP_TRY(std::vector<isa::ebpf::Insn> insns, decode_ebpf(test));
  SKEP_TRY(runtime::Program program, runtime::Program::make(std::move(insns)));
  SKEP_TRY(interp::Executable executable, interp::Executable::make(std::move(program), kEngine));
  auto shared = std::make_shared<const interp::Executable>(std::move(executable));
  return Loaded([shared](const Vector& vector, const Run& run) -> Result<u32> {
    std::vector<u8> context = packet_of(vector, run);
    runtime::RunInput input;
    input.memory = context;
    if ((vector.flags & kPlainMemory) == 0) input.packet = context;
    input.network_offset = network_offset(run);
    // Some tests do 64-bit atomics on 32 bits that they have written.
    input.zeroed_stack = true;
    const runtime::Outcome outcome = shared->run(input);
    if (outcome.trap != runtime::Trap::None)
      return error_at_pc(Code::Rejected, outcome.pc, std::string(to_string(outcome.trap)));
    return static_cast<u32>(outcome.r0);
  });
}

Result<runtime::HelperTable> netlink_helpers() {
  runtime::HelperTable helpers;
  runtime::Helper helper{.number = cbpf::kNetlinkAttributeHelper,
                         .name = "netlink_attribute",
                         .call = cbpf::netlink_attribute_helper};
  helper.args[0] = runtime::Arg::Memory;
  helper.arg_bytes = sizeof(cbpf::EbpfContext);
  SKEP_TRY_DO(helpers.add(helper));
  helper.number = cbpf::kNestedNetlinkAttributeHelper;
  helper.name = "nested_netlink_attribute";
  helper.call = cbpf::nested_netlink_attribute_helper;
  SKEP_TRY_DO(helpers.add(helper));
  return helpers;
}

template <interp::Engine kEngine>
Result<Loaded> load_translated(const Vector& test) {
  SKEP_TRY(cbpf::Program classic, check_classic(test));
  SKEP_TRY(cbpf::Translation translation, cbpf::to_ebpf(classic));
  SKEP_TRY(runtime::HelperTable helpers, netlink_helpers());
  SKEP_TRY(runtime::Program program, runtime::Program::make(std::move(translation.insns), helpers));
  SKEP_TRY(interp::Executable executable, interp::Executable::make(std::move(program), kEngine));
  auto shared = std::make_shared<const interp::Executable>(std::move(executable));
  return Loaded([shared](const Vector& vector, const Run& run) -> Result<u32> {
    const std::vector<u8> packet = packet_of(vector, run);
    cbpf::EbpfContext context;
    context.wire_length = static_cast<u32>(packet.size());
    context.packet_size = context.wire_length;
    context.packet_address = runtime::to_address(packet.data());
    context.metadata = metadata_of(run, packet);
    std::vector<u8> bytes(sizeof context);
    std::memcpy(bytes.data(), &context, sizeof context);
    runtime::RunInput input;
    input.memory = bytes;
    input.packet = packet;
    input.network_offset = network_offset(run);
    const runtime::Outcome outcome = shared->run(input);
    if (outcome.trap != runtime::Trap::None)
      return error_at_pc(Code::Rejected, outcome.pc, std::string(to_string(outcome.trap)));
    return static_cast<u32>(outcome.r0);
  });
}

constexpr std::array kEngines = {
    Engine{"classic-switch", true, load_classic_switch},
    Engine{"classic-threaded", true, load_classic_threaded},
    Engine{"classic-ebpf-switch", true, load_translated<interp::Engine::Switch>},
    Engine{"classic-ebpf-threaded", true, load_translated<interp::Engine::Threaded>},
    Engine{"classic-ebpf-checked", true, load_translated<interp::Engine::Checked>},
    Engine{"switch", false, load_ebpf<interp::Engine::Switch>},
    Engine{"threaded", false, load_ebpf<interp::Engine::Threaded>},
    Engine{"checked", false, load_ebpf<interp::Engine::Checked>},
};

}  // namespace

std::span<const Engine> engines() {
  return kEngines;
}

}  // namespace skep::kernel
