// SPDX-License-Identifier: Apache-2.0
#include "capture/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include "capture/libpcap_engine.h"

namespace skep::capture {
namespace {

using isa::cbpf::RawInsn;
using isa::cbpf::Rules;
using ::testing::HasSubstr;

std::vector<engine::FilterEngine> all_engines() {
  const auto own = engine::filter_engines();
  std::vector<engine::FilterEngine> engines(own.begin(), own.end());
  engines.push_back(libpcap_engine());
  return engines;
}

TEST(Expression, CompilesForTheLinkTypeAndSnapLength) {
  const Program program = compile_expression("ip", {.linktype = 1, .snaplen = 96}).value();
  const Program expected = {
      {0x28, 0, 0, 12}, {0x15, 0, 1, 0x800}, {0x06, 0, 0, 96}, {0x06, 0, 0, 0}};
  EXPECT_EQ(program, expected);
  EXPECT_NE(compile_expression("ip", {.linktype = 101}).value(), program);
}

TEST(Expression, EmptyOneAcceptsEverything) {
  const Program program = compile_expression("", {}).value();
  EXPECT_EQ(program, (Program{RawInsn{.code = 6, .jt = 0, .jf = 0, .k = kMaxSnaplen}}));
}

TEST(Expression, LongOnesNeedNoStackOfTheCallers) {
  std::string text = "ip";
  for (int i = 0; i < 2000; ++i) text += " or ip";
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, std::size_t{256} << 10), 0);
  const auto compile = [](void* user) -> void* {
    const auto program = compile_expression(*static_cast<std::string*>(user), {.optimize = false});
    return program && program->size() > 2000 ? user : nullptr;
  };
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, compile, &text), 0);
  pthread_attr_destroy(&attributes);
  void* result = nullptr;
  pthread_join(thread, &result);
  EXPECT_EQ(result, &text);
}

TEST(Expression, NulBytesDoNotEndThem) {
  EXPECT_EQ(compile_expression(std::string("ip\0 or", 6), {}).error().message,
            "a NUL byte at offset 2");
}

TEST(Expression, ErrorsAreLibpcapsWords) {
  EXPECT_THAT(compile_expression("foo bar", {}).error().message, HasSubstr("syntax error"));
  EXPECT_THAT(compile_expression("vlan", {.linktype = 101}).error().message,
              HasSubstr("no VLAN support for Raw IP"));
  EXPECT_THAT(compile_expression("inbound", {}).error().message, HasSubstr("reading savefiles"));
}

TEST(Expression, OptimiserCanBeTurnedOff) {
  const std::string text = "tcp port 80 and host 10.0.0.1";
  EXPECT_GT(compile_expression(text, {.optimize = false}).value().size(),
            compile_expression(text, {}).value().size());
}

TEST(Expression, LinkTypesHaveNames) {
  EXPECT_EQ(linktype_text(1), "EN10MB (Ethernet)");
  EXPECT_EQ(linktype_text(0x44000001), "EN10MB (Ethernet)");
  EXPECT_EQ(linktype_text(999), "link type 999");
  EXPECT_EQ(linktype_by_name("EN10MB").value(), 1u);
  EXPECT_EQ(linktype_by_name("RAW").value(), 101u);
  EXPECT_EQ(linktype_by_name("LINUX_SLL2").value(), 276u);
  EXPECT_FALSE(linktype_by_name("FOO").has_value());
}

TEST(Expression, EveryEngineRunsIt) {
  std::vector<u8> packet(60);
  store_be<u16>(packet.data() + 12, 0x800);
  store_be<u32>(packet.data() + 26, 0xc0a80205);
  const Program program = compile_expression("src net 192.168.2.0/24", {}).value();
  for (const engine::FilterEngine& engine : all_engines()) {
    const engine::Filter filter = engine.make(program, Rules::Libpcap).value();
    EXPECT_EQ(filter.run(packet.data(), 60, 60), kMaxSnaplen) << engine.name;
    EXPECT_EQ(filter.run(packet.data(), 29, 60), 0u) << engine.name;
  }
}

TEST(LibpcapEngine, RefusesWhatLibpcapRefuses) {
  const Program program = {{0x15, 7, 7, 0}, {0x06, 0, 0, 0}};
  EXPECT_EQ(libpcap_engine().make(program, Rules::Libpcap).error().code, Code::Rejected);
}

}  // namespace
}  // namespace skep::capture
