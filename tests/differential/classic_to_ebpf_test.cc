// SPDX-License-Identifier: Apache-2.0
// Classic programs translated to eBPF give the same results on every eBPF interpreter as on the
// classic switch machine. 10,000 pairs a rule set; a million with SKEP_LONG=1 in the environment.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "asm/classic_printer.h"
#include "cbpf/packet.h"
#include "cbpf/switch_vm.h"
#include "cbpf/to_ebpf.h"
#include "interp/interp.h"
#include "tests/support/classic_programs.h"
#include "tests/support/packets.h"

namespace skep::cbpf {
namespace {

using testing::Random;

constexpr u32 kPacketsPerProgram = 20;

u32 program_count() {
  const char* full = std::getenv("SKEP_LONG");
  return (full != nullptr && full[0] == '1' ? 1'000'000 : 10'000) / kPacketsPerProgram;
}

runtime::HelperTable helpers() {
  using runtime::Arg;
  runtime::HelperTable table;
  for (const auto& [number, call] :
       {std::pair{kNetlinkAttributeHelper, &netlink_attribute_helper},
        std::pair{kNestedNetlinkAttributeHelper, &nested_netlink_attribute_helper}})
    EXPECT_TRUE(table.add({.number = static_cast<u32>(number),
                           .name = "nla",
                           .call = call,
                           .args = {Arg::Memory, Arg::Value, Arg::Value},
                           .arg_bytes = sizeof(EbpfContext)}));
  return table;
}

// One program on every interpreter.
struct Engines {
  std::vector<interp::Executable> executables;

  explicit Engines(const Translation& translation) {
    const runtime::HelperTable table = helpers();
    for (const interp::Engine engine : interp::kEngines) {
      Result<runtime::Program> program = runtime::Program::make(translation.insns, table);
      if (!program) {
        ADD_FAILURE() << to_string(program.error());
        return;
      }
      executables.push_back(*interp::Executable::make(std::move(*program), engine));
    }
  }
};

void compare(Rules rules, u64 seed) {
  Random random(seed);
  const std::vector<testing::TestPacket> packets = testing::mixed_packets(seed, 500, 200);
  for (u32 i = 0; i < program_count(); ++i) {
    const std::vector<RawInsn> raw = testing::random_classic_program(random, rules);
    const Program program = *check(raw, rules);
    const Result<Translation> translation = to_ebpf(program);
    if (program.facts().backward_jumps) {
      EXPECT_FALSE(translation);
      continue;
    }
    ASSERT_TRUE(translation) << to_string(translation.error());
    const Engines engines(*translation);
    for (u32 j = 0; j < kPacketsPerProgram; ++j) {
      testing::TestPacket packet = packets[random.below(500)];
      if (rules == Rules::Seccomp)
        packet.bytes.resize(kSeccompDataSize);
      else if (random.chance(30))
        packet.bytes.resize(random.below(65) % packet.bytes.size());
      EbpfContext context;
      context.metadata = testing::random_metadata(random);
      context.wire_length = packet.wire_length;
      context.packet_size = static_cast<u32>(packet.bytes.size());
      context.packet_address = reinterpret_cast<std::uintptr_t>(packet.bytes.data());
      std::vector<u8> memory = packet.bytes;
      if (rules != Rules::Seccomp) {
        memory.resize(sizeof context);
        std::memcpy(memory.data(), &context, sizeof context);
      }
      const u32 expected = run_switch(program, packet.bytes, packet.wire_length, context.metadata);
      for (const interp::Executable& executable : engines.executables) {
        const runtime::Outcome outcome =
            executable.run({.memory = memory,
                            .packet = packet.bytes,
                            .network_offset = context.metadata.network_offset});
        ASSERT_EQ(outcome.trap, runtime::Trap::None)
            << interp::to_string(executable.engine()) << ": " << runtime::to_string(outcome.trap)
            << " at " << outcome.pc << "\n"
            << assembler::classic::print_listing(raw);
        ASSERT_EQ(outcome.r0, expected) << interp::to_string(executable.engine()) << "\n"
                                        << assembler::classic::print_listing(raw);
      }
    }
  }
}

TEST(ClassicToEbpf, EqualsTheSwitchMachineUnderLinuxRules) {
  compare(Rules::Linux, 11);
}
TEST(ClassicToEbpf, EqualsTheSwitchMachineUnderLibpcapRules) {
  compare(Rules::Libpcap, 12);
}
TEST(ClassicToEbpf, EqualsTheSwitchMachineUnderSeccompRules) {
  compare(Rules::Seccomp, 13);
}

}  // namespace
}  // namespace skep::cbpf
