// SPDX-License-Identifier: Apache-2.0
#include "cbpf/check.h"

#include <gtest/gtest.h>
#include <linux/seccomp.h>

#include <cstddef>
#include <vector>

#include "cbpf/metadata.h"
#include "cbpf/packet.h"

namespace skep::cbpf {
namespace {

static_assert(kSeccompDataSize == sizeof(seccomp_data));
static_assert(offsetof(Metadata, mark) == 12 && offsetof(Metadata, has_device) == 60);

using Raw = std::vector<RawInsn>;
constexpr RawInsn kRet0{0x06, 0, 0, 0};

std::string verdict(const Raw& raw, Rules rules) {
  const Result<Program> program = check(raw, rules);
  return program ? "ok" : to_string(program.error());
}

struct Case {
  Raw raw;
  const char* linux_says;
  const char* libpcap_says;
};
const Case kCases[] = {
    {{kRet0}, "ok", "ok"},
    {{{0x16, 0, 0, 0}}, "ok", "ok"},
    {{}, "the program is empty", "the program is empty"},
    {{{0x0e, 0, 0, 0}}, "insn 0: unknown opcode 0xe", "insn 0: unknown opcode 0xe"},
    {{{0x120, 0, 0, 0}, kRet0}, "insn 0: unknown opcode 0x120", "insn 0: unknown opcode 0x120"},
    {{{0x20, 0, 0, 0}},
     "insn 0: the last instruction is not a return",
     "insn 0: the last instruction is not a return"},
    {{{0x34, 0, 0, 0}, kRet0},
     "insn 0: division by constant zero",
     "insn 0: division by constant zero"},
    {{{0x94, 0, 0, 0}, kRet0},
     "insn 0: division by constant zero",
     "insn 0: division by constant zero"},
    {{{0x64, 0, 0, 32}, kRet0}, "insn 0: shift by 32, more than 31", "ok"},
    {{{0x74, 0, 0, 31}, kRet0}, "ok", "ok"},
    {{{0x02, 0, 0, 16}, kRet0},
     "insn 0: scratch memory has words 0 to 15, not 16",
     "insn 0: scratch memory has words 0 to 15, not 16"},
    {{{0x60, 0, 0, 3}, kRet0}, "insn 0: M[3] is loaded but not stored on every path before", "ok"},
    {{{0x02, 0, 0, 3}, {0x61, 0, 0, 3}, kRet0}, "ok", "ok"},
    {{{0x15, 0, 1, 0}, {0x02, 0, 0, 3}, {0x60, 0, 0, 3}, kRet0},
     "insn 2: M[3] is loaded but not stored on every path before",
     "ok"},
    {{{0x15, 0, 2, 0}, {0x02, 0, 0, 3}, {0x05, 0, 0, 1}, {0x02, 0, 0, 3}, {0x60, 0, 0, 3}, kRet0},
     "ok",
     "ok"},
    {{{0x15, 0, 1, 0}, kRet0},
     "insn 0: jump to insn 2, the program has 2",
     "insn 0: jump to insn 2, the program has 2"},
    {{{0x05, 0, 0, 1}, kRet0},
     "insn 0: jump by 1 leaves the program",
     "insn 0: jump by 1 leaves the program"},
    {{kRet0, {0x05, 0, 0, 0xfffffffe}, kRet0},
     "insn 1: jump by -2 goes back, which only libpcap's rules allow",
     "ok"},
    {{kRet0, {0x05, 0, 0, 0xfffffffd}, kRet0},
     "insn 1: jump by -3 leaves the program",
     "insn 1: jump by -3 leaves the program"},
    {{{0x20, 0, 0, 0xfffff000}, kRet0}, "ok", "ok"},
    {{{0x20, 0, 0, 0xfffff001}, kRet0},
     "insn 0: unknown ancillary load at offset 0xfffff001",
     "ok"},
    {{{0x20, 0, 0, 0xfffff040}, kRet0},
     "insn 0: unknown ancillary load at offset 0xfffff040",
     "ok"},
    {{{0x20, 0, 0, 0xfff00000}, kRet0}, "ok", "ok"},
};

TEST(ClassicCheck, LinuxAndLibpcapVerdicts) {
  for (std::size_t i = 0; i < std::size(kCases); ++i) {
    EXPECT_EQ(verdict(kCases[i].raw, Rules::Linux), kCases[i].linux_says) << "case " << i;
    EXPECT_EQ(verdict(kCases[i].raw, Rules::Libpcap), kCases[i].libpcap_says) << "case " << i;
  }
}

TEST(ClassicCheck, LengthIsLimitedByLinuxOnly) {
  EXPECT_EQ(verdict(Raw(4096, kRet0), Rules::Linux), "ok");
  EXPECT_EQ(verdict(Raw(4097, kRet0), Rules::Linux),
            "the program has 4097 instructions, more than 4096");
  EXPECT_EQ(verdict(Raw(100'000, kRet0), Rules::Libpcap), "ok");
}

TEST(ClassicCheck, SeccompAllowsAlignedWordsOfItsDataOnly) {
  const auto seccomp = [](RawInsn insn) { return verdict({insn, kRet0}, Rules::Seccomp); };
  EXPECT_EQ(seccomp({0x20, 0, 0, 60}), "ok");
  EXPECT_EQ(seccomp({0x20, 0, 0, 64}),
            "insn 0: load at 64 is outside of struct seccomp_data (64 bytes)");
  EXPECT_EQ(seccomp({0x20, 0, 0, 2}), "insn 0: load at 2 is not aligned to 4 bytes");
  const char* kLoads = ", only 32-bit loads at constant offsets";
  EXPECT_EQ(seccomp({0x28, 0, 0, 0}),
            std::string("insn 0: seccomp does not allow ldh [k]") + kLoads);
  EXPECT_EQ(seccomp({0x40, 0, 0, 0}),
            std::string("insn 0: seccomp does not allow ld [x + k]") + kLoads);
  EXPECT_EQ(seccomp({0xb1, 0, 0, 0}),
            std::string("insn 0: seccomp does not allow ldxb 4*([k]&0xf)") + kLoads);
  EXPECT_EQ(seccomp({0x20, 0, 0, 0xfffff024}),
            std::string("insn 0: seccomp does not allow ld cpu") + kLoads);
  EXPECT_EQ(seccomp({0x94, 0, 0, 3}), "insn 0: seccomp does not allow mod");
  EXPECT_EQ(seccomp({0x9c, 0, 0, 0}), "insn 0: seccomp does not allow mod x");
  for (const int allowed : {0xa4, 0xac, 0x84, 0x80, 0x81})
    EXPECT_EQ(seccomp({static_cast<u16>(allowed), 0, 0, 1}), "ok");
}

TEST(ClassicCheck, FactsSayWhatTheProgramDoes) {
  const Facts forward = check(Raw{{0x28, 0, 0, 12}, kRet0}, Rules::Linux)->facts();
  EXPECT_TRUE(forward.packet_loads);
  EXPECT_FALSE(forward.backward_jumps || forward.ancillary || forward.scratch_loads);
  const Raw loop{{0x80, 0, 0, 0}, {0x05, 0, 0, 0xfffffffe}, kRet0};
  EXPECT_TRUE(check(loop, Rules::Libpcap)->facts().backward_jumps);
  EXPECT_TRUE(check(Raw{{0x20, 0, 0, 0xfffff024}, kRet0}, Rules::Linux)->facts().ancillary);
}

TEST(ClassicCheck, ErrorsCarryTheInstruction) {
  const Result<Program> bad = check(Raw{kRet0, {0x34, 0, 0, 0}, kRet0}, Rules::Linux);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, Code::Rejected);
  EXPECT_EQ(bad.error().where->pc, 1u);
}

}  // namespace
}  // namespace skep::cbpf
