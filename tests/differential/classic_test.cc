// SPDX-License-Identifier: Apache-2.0
// The classic virtual machines against each other and against libpcap's bpf_filter(), on random
// programs and made-up packets. 10,000 pairs; a million with SKEP_LONG=1 in the environment.
#include <gtest/gtest.h>
#include <pcap/pcap.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "cbpf/switch_vm.h"
#include "cbpf/threaded_fuse.h"
#include "cbpf/threaded_vm.h"
#include "tests/support/classic_programs.h"
#include "tests/support/packets.h"

namespace skep::cbpf {
namespace {

using testing::mixed_packets;
using testing::Random;
using testing::random_classic_program;
using testing::random_metadata;
using testing::TestPacket;

constexpr u32 kPacketsPerProgram = 20;

u32 program_count() {
  const char* full = std::getenv("SKEP_LONG");
  return (full != nullptr && full[0] == '1' ? 1'000'000 : 10'000) / kPacketsPerProgram;
}

std::string text(const std::vector<RawInsn>& raw) {
  std::string out;
  for (const RawInsn& insn : raw) {
    char line[64];
    std::snprintf(line, sizeof line, "{ 0x%02x, %u, %u, 0x%08x },\n", insn.code, insn.jt, insn.jf,
                  insn.k);
    out += line;
  }
  return out;
}

std::vector<bpf_insn> to_libpcap(const std::vector<RawInsn>& raw) {
  static_assert(sizeof(bpf_insn) == sizeof(RawInsn));
  std::vector<bpf_insn> insns(raw.size());
  std::memcpy(insns.data(), raw.data(), raw.size() * sizeof(RawInsn));
  return insns;
}

// Calls f(program text, program, threaded, packet) for every pair, with packets of all lengths.
template <class F>
void for_each_pair(Rules rules, u64 seed, F f) {
  Random random(seed);
  const std::vector<TestPacket> packets = mixed_packets(seed, 500, 200);
  for (u32 i = 0; i < program_count(); ++i) {
    const std::vector<RawInsn> raw = random_classic_program(random, rules);
    const Result<Program> program = check(raw, rules);
    ASSERT_TRUE(program) << to_string(program.error()) << "\n" << text(raw);
    const Result<Threaded> threaded = Threaded::decode(*program);
    ASSERT_TRUE(threaded);
    for (u32 j = 0; j < kPacketsPerProgram; ++j) {
      TestPacket packet = packets[random.below(500)];
      if (random.chance(30)) packet.bytes.resize(random.below(65) % packet.bytes.size());
      f(raw, *program, *threaded, packet, random);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(ClassicDifferential, BothMachinesEqualLibpcap) {
  u32 matched = 0;
  for_each_pair(Rules::Libpcap, 1,
                [&](const auto& raw, const Program& program, const Threaded& threaded,
                    const TestPacket& p, Random&) {
                  const std::vector<bpf_insn> insns = to_libpcap(raw);
                  const u32 expected = bpf_filter(insns.data(), p.bytes.data(), p.wire_length,
                                                  static_cast<u32>(p.bytes.size()));
                  EXPECT_EQ(run_switch(program, p.bytes, p.wire_length), expected) << text(raw);
                  EXPECT_EQ(threaded.run(p.bytes, p.wire_length), expected) << text(raw);
                  matched += expected != 0;
                });
  EXPECT_GT(matched, program_count() * kPacketsPerProgram / 4);  // the pairs are not all trivial
}

TEST(ClassicDifferential, MachinesAgreeUnderLinuxRules) {
  for_each_pair(Rules::Linux, 2,
                [](const auto& raw, const Program& program, const Threaded& threaded,
                   const TestPacket& p, Random& random) {
                  const Metadata metadata = random_metadata(random);
                  EXPECT_EQ(threaded.run(p.bytes, p.wire_length, metadata),
                            run_switch(program, p.bytes, p.wire_length, metadata))
                      << text(raw);
                });
}

TEST(ClassicDifferential, MachinesAgreeUnderSeccompRules) {
  for_each_pair(
      Rules::Seccomp, 3,
      [](const auto& raw, const Program& program, const Threaded& threaded, const TestPacket& p,
         Random&) {
        EXPECT_EQ(threaded.run(p.bytes, p.wire_length), run_switch(program, p.bytes, p.wire_length))
            << text(raw);
      });
}

// The tests above mean something only if the threaded machine's groups occur in them.
TEST(ClassicDifferential, RandomProgramsHaveFusedGroups) {
  Random random(1);
  u32 singles = 0, pairs = 0, sets = 0, ranges = 0;
  for (u32 i = 0; i < 500; ++i) {
    const Program program = *check(random_classic_program(random, Rules::Libpcap), Rules::Libpcap);
    const std::optional<Fuser> fuser = Fuser::make(program);
    for (u32 pc = 0; pc < program.insns().size(); ++pc) {
      const std::optional<Group> group = fuser->group_at(pc);
      if (!group) continue;
      ++singles;
      pairs += group->second.has_value();
      sets += group->first.alternatives > 1;
      ranges += group->first.in.span > 0 && group->first.in.span < 1000;
    }
  }
  EXPECT_GT(singles, 500u);
  EXPECT_GT(pairs, 50u);
  EXPECT_GT(sets, 20u);
  EXPECT_GT(ranges, 5u);
}

// Wherever both know all opcodes, the checker's verdict is bpf_validate()'s.
TEST(ClassicDifferential, CheckerAgreesWithLibpcap) {
  Random random(4);
  u32 refused = 0;
  for (u32 i = 0; i < 10 * program_count(); ++i) {
    std::vector<RawInsn> raw = random_classic_program(random, Rules::Libpcap);
    for (u32 change = random.below(3); change-- > 0;) {
      RawInsn& insn = raw[random.below(static_cast<u32>(raw.size()))];
      switch (random.below(4)) {
        case 0: insn.code = static_cast<u16>(random.below(256)); break;
        case 1: insn.k = random.chance(50) ? random.below(40) : random.word(); break;
        case 2: insn.jt = static_cast<u8>(random.below(64)); break;
        default: insn.jf = static_cast<u8>(random.below(64)); break;
      }
    }
    const std::vector<bpf_insn> insns = to_libpcap(raw);
    const bool theirs = bpf_validate(insns.data(), static_cast<int>(insns.size())) != 0;
    const Result<Program> ours = check(raw, Rules::Libpcap);
    if (!ours && ours.error().code == Code::BadInsn) continue;
    refused += !theirs;
    ASSERT_EQ(ours.has_value(), theirs) << (ours ? "accepted" : to_string(ours.error())) << "\n"
                                        << text(raw);
  }
  EXPECT_GT(refused, program_count() / 10);
}

TEST(ClassicDifferential, CompiledExpressionsGiveLibpcapsAnswers) {
  const std::vector<TestPacket> packets = mixed_packets(5, 2000);
  pcap_t* dead = pcap_open_dead(DLT_EN10MB, 65535);
  for (const std::string& expression : testing::ten_expressions()) {
    for (const int optimize : {0, 1}) {
      bpf_program compiled{};
      ASSERT_EQ(pcap_compile(dead, &compiled, expression.c_str(), optimize, 0xffffffff), 0);
      std::vector<RawInsn> raw(compiled.bf_len);
      std::memcpy(static_cast<void*>(raw.data()), compiled.bf_insns, raw.size() * sizeof(RawInsn));
      const Result<Program> program = check(raw, Rules::Libpcap);
      ASSERT_TRUE(program) << to_string(program.error());
      const Result<Threaded> threaded = Threaded::decode(*program);
      u32 matched = 0;
      for (const TestPacket& p : packets) {
        const u32 expected = bpf_filter(compiled.bf_insns, p.bytes.data(), p.wire_length,
                                        static_cast<u32>(p.bytes.size()));
        ASSERT_EQ(run_switch(*program, p.bytes, p.wire_length), expected) << expression;
        ASSERT_EQ(threaded->run(p.bytes, p.wire_length), expected) << expression;
        matched += expected != 0;
      }
      EXPECT_GT(matched, 5u) << expression;
      EXPECT_LT(matched, packets.size() * 9 / 10) << expression;
      pcap_freecode(&compiled);
    }
  }
  pcap_close(dead);
}

}  // namespace
}  // namespace skep::cbpf
