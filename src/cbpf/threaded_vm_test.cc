// SPDX-License-Identifier: Apache-2.0
#include "cbpf/threaded_vm.h"

#include <gtest/gtest.h>

#include "cbpf/vm_cases.h"

namespace skep::cbpf {
namespace {

u32 run(const Program& program, Bytes packet, u32 wire_length,
        const Metadata& metadata = kNoMetadata) {
  return Threaded::decode(program)->run(packet, wire_length, metadata);
}

TEST(ThreadedVm, LiteralResults) {
  const std::vector<u8> packet = vm_packet();
  for (VmCase& c : vm_cases()) {
    const Result<Program> program = check(c.raw, c.rules);
    ASSERT_TRUE(program) << c.name << ": " << to_string(program.error());
    if (c.name == "seccomp word") c.expected = load_host<u32>(packet.data() + 4);
    EXPECT_EQ(run(*program, packet, kVmWireLength, vm_metadata()), c.expected)
        << c.name << ", rules " << static_cast<int>(c.rules);
  }
}

TEST(ThreadedVm, WithoutADeviceTheProgramEndsWithTheAccumulator) {
  Metadata metadata = vm_metadata();
  metadata.has_device = 0;
  for (u32 k : {0xfffff008, 0xfffff01c}) {
    const std::vector<RawInsn> raw{{0x00, 0, 0, 7}, {0x20, 0, 0, k}, kRet99};
    EXPECT_EQ(run(*check(raw, Rules::Linux), vm_packet(), 60, metadata), 7u);
  }
}

TEST(ThreadedVm, BudgetIsChargedByBackwardJumps) {
  // Ten rounds of three instructions, then the accumulator.
  const std::vector<RawInsn> raw{
      {0x04, 0, 0, 1}, {0x35, 1, 0, 10}, {0x05, 0, 0, 0xfffffffd}, kRetA};
  EXPECT_EQ(run(*check(raw, Rules::Libpcap, 27), {}, 0), 10u);
  EXPECT_EQ(run(*check(raw, Rules::Libpcap, 26), {}, 0), 0u);
}

TEST(ThreadedVm, AnEmptyPacketHasNoBytes) {
  const std::vector<RawInsn> raw{{0x30, 0, 0, 0}, kRet99};
  EXPECT_EQ(run(*check(raw, Rules::Linux), {}, 0), 0u);
}

TEST(ThreadedVm, CommonGroupsAreFused) {
  // ldh [12]; jeq #0x800; ld [26]; and #0xffffff00; jeq #0xc0a80200
  const std::vector<RawInsn> raw{{0x28, 0, 0, 12},         {0x15, 0, 3, 0x800},
                                 {0x20, 0, 0, 26},         {0x54, 0, 0, 0xffffff00},
                                 {0x15, 0, 0, 0xc0a80200}, kRet99};
  EXPECT_EQ(Threaded::decode(*check(raw, Rules::Linux))->fused(), 2u);
}

}  // namespace
}  // namespace skep::cbpf
