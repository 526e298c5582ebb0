// SPDX-License-Identifier: Apache-2.0
#include "cbpf/switch_vm.h"

#include <gtest/gtest.h>

#include <cstring>

#include "cbpf/vm_cases.h"

namespace skep::cbpf {
namespace {

TEST(SwitchVm, LiteralResults) {
  const std::vector<u8> packet = vm_packet();
  for (VmCase& c : vm_cases()) {
    const Result<Program> program = check(c.raw, c.rules);
    ASSERT_TRUE(program) << c.name << ": " << to_string(program.error());
    if (c.name == "seccomp word") c.expected = load_host<u32>(packet.data() + 4);
    EXPECT_EQ(run_switch(*program, packet, kVmWireLength, vm_metadata()), c.expected)
        << c.name << ", rules " << static_cast<int>(c.rules);
  }
}

TEST(SwitchVm, WithoutADeviceTheProgramEndsWithTheAccumulator) {
  Metadata metadata = vm_metadata();
  metadata.has_device = 0;
  for (u32 k : {0xfffff008, 0xfffff01c}) {
    const std::vector<RawInsn> raw{{0x00, 0, 0, 7}, {0x20, 0, 0, k}, kRet99};
    EXPECT_EQ(run_switch(*check(raw, Rules::Linux), vm_packet(), 60, metadata), 7u);
  }
}

TEST(SwitchVm, BudgetIsChargedByBackwardJumps) {
  // Ten rounds of three instructions, then the accumulator.
  const std::vector<RawInsn> raw{
      {0x04, 0, 0, 1}, {0x35, 1, 0, 10}, {0x05, 0, 0, 0xfffffffd}, kRetA};
  EXPECT_EQ(run_switch(*check(raw, Rules::Libpcap, 27), {}, 0), 10u);
  EXPECT_EQ(run_switch(*check(raw, Rules::Libpcap, 26), {}, 0), 0u);
}

TEST(SwitchVm, AnEmptyPacketHasNoBytes) {
  const std::vector<RawInsn> raw{{0x30, 0, 0, 0}, kRet99};
  EXPECT_EQ(run_switch(*check(raw, Rules::Linux), {}, 0), 0u);
}

}  // namespace
}  // namespace skep::cbpf
