// SPDX-License-Identifier: Apache-2.0
#include "engine/filter.h"

#include <gtest/gtest.h>

#include <vector>

namespace skep::engine {
namespace {

using isa::cbpf::RawInsn;
using isa::cbpf::Rules;

// ldh [12]; jeq #0x800; ret #96; ret #0
const std::vector<RawInsn> kIsIp = {
    {0x28, 0, 0, 12}, {0x15, 0, 1, 0x800}, {0x06, 0, 0, 96}, {0x06, 0, 0, 0}};

TEST(Filter, EveryEngineGivesTheProgramsAnswer) {
  std::vector<u8> packet(60);
  for (const FilterEngine& engine : filter_engines()) {
    const Filter filter = engine.make(kIsIp, Rules::Libpcap).value();
    store_be<u16>(packet.data() + 12, 0x800);
    EXPECT_EQ(filter.run(packet.data(), 60, 60), 96u) << engine.name;
    EXPECT_EQ(filter.run(packet.data(), 13, 60), 0u) << engine.name;
    store_be<u16>(packet.data() + 12, 0x86dd);
    EXPECT_EQ(filter.run(packet.data(), 60, 60), 0u) << engine.name;
    const Filter copy = filter;
    EXPECT_EQ(copy.run(nullptr, 0, 60), 0u) << engine.name;
  }
}

TEST(Filter, WireLengthIsNotTheCapturedOne) {
  const std::vector<RawInsn> program = {{0x80, 0, 0, 0}, {0x16, 0, 0, 0}};  // ld len; ret a
  for (const FilterEngine& engine : filter_engines()) {
    const u8 byte = 0;
    EXPECT_EQ(engine.make(program, Rules::Libpcap).value().run(&byte, 1, 1514), 1514u);
  }
}

TEST(Filter, EveryEngineChecksFirst) {
  const std::vector<RawInsn> program = {{0x15, 7, 7, 0}, {0x06, 0, 0, 0}};
  for (const FilterEngine& engine : filter_engines()) {
    EXPECT_EQ(engine.make(program, Rules::Libpcap).error().code, Code::BadJump) << engine.name;
  }
}

}  // namespace
}  // namespace skep::engine
