// SPDX-License-Identifier: Apache-2.0
#include "capture/pcapng_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capture/test_files.h"

namespace skep::capture {
namespace {

using ::testing::ElementsAre;
using testing::FileBuilder;
using ::testing::HasSubstr;
using testing::read_all;

std::vector<u8> option(ByteOrder order, u16 code, const std::vector<u8>& value) {
  FileBuilder out(order);
  out.put<u16>(code).put<u16>(static_cast<u16>(value.size()));
  std::vector<u8> bytes = out.bytes();
  bytes.insert(bytes.end(), value.begin(), value.end());
  bytes.resize((bytes.size() + 3) / 4 * 4);
  return bytes;
}

TEST(PcapngReader, ReadsAllKindsOfPacketsInBothOrders) {
  for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
    FileBuilder file(order);
    file.section().interface(1, 65535).interface(101, 0);
    file.enhanced(1, 5000001, "enhanced", 100);
    FileBuilder simple(order);
    simple.put<u32>(6).text("simple");
    file.block(kBlockSimplePacket, simple.bytes());
    FileBuilder old(order);
    old.put<u16>(1).put<u16>(3).put<u32>(0).put<u32>(7000002).put<u32>(3).put<u32>(9).text("old");
    file.block(kBlockOldPacket, old.bytes());
    const auto result = read_all(open_capture(file.source()));
    EXPECT_THAT(result.packets,
                ElementsAre("5.1000 if1 100 enhanced", "0.0 if0 6 simple", "7.2000 if1 9 old"));
    EXPECT_EQ(result.error, "");
  }
}

TEST(PcapngReader, SimplePacketsAreCutToTheSnapLength) {
  FileBuilder file;
  file.section().interface(1, 4);
  FileBuilder simple;
  simple.put<u32>(100).text("abcd");
  file.block(kBlockSimplePacket, simple.bytes());
  EXPECT_THAT(read_all(open_capture(file.source())).packets, ElementsAre("0.0 if0 100 abcd"));
}

TEST(PcapngReader, DescriptionsAreKeptUpToALimit) {
  const std::vector<u8> comments(std::size_t{3} << 20);
  FileBuilder file;
  file.section().interface(1, 0, comments).enhanced(0, 0, "a", 1);
  file.interface(1, 0, comments).enhanced(1, 0, "b", 1);
  const auto result = read_all(open_capture(file.source()));
  EXPECT_THAT(result.packets, ElementsAre("0.0 if0 1 a"));
  EXPECT_THAT(result.error, HasSubstr("above the limit of 4 MiB"));
}

TEST(PcapngReader, SectionsChangeOrderAndInterfaces) {
  FileBuilder second(ByteOrder::Big);
  second.section().interface(113, 0).enhanced(0, 2000000, "second", 6);
  FileBuilder file(ByteOrder::Little);
  file.section().interface(1, 0).enhanced(0, 1000000, "first", 5);
  std::vector<u8> bytes = file.bytes();
  bytes.insert(bytes.end(), second.bytes().begin(), second.bytes().end());

  auto reader = open_capture(memory_source(bytes), 5).value();
  Batch batch = reader->next().value();
  ASSERT_EQ(batch.packets.size(), 1u);
  EXPECT_EQ(batch.section->number, 5u);
  EXPECT_EQ(batch.section->interfaces[0].linktype, 1u);
  batch = reader->next().value();
  ASSERT_EQ(batch.packets.size(), 1u);
  EXPECT_EQ(batch.section->number, 6u);
  EXPECT_EQ(batch.section->order, ByteOrder::Big);
  EXPECT_EQ(batch.section->interfaces[0].linktype, 113u);
  EXPECT_TRUE(reader->next().value().packets.empty());
}

TEST(PcapngReader, TimeUnitsAndOffsets) {
  struct Case {
    u8 resolution;
    s64 offset;
    u64 ticks;
    const char* expected;
  };
  for (const Case& c :
       {Case{6, 0, 1500000, "1.500000000 if0 1 x"}, Case{9, 0, 1000000007, "1.7 if0 1 x"},
        Case{3, 10, 1500, "11.500000000 if0 1 x"}, Case{0, -5, 7, "2.0 if0 1 x"},
        Case{12, 0, 3000000001999, "3.1 if0 1 x"}, Case{0x80 | 10, 0, 1536, "1.500000000 if0 1 x"},
        Case{0x80 | 32, 0, 0x180000000, "1.500000000 if0 1 x"},
        Case{0x80 | 60, 0, 0x1800000000000000, "1.500000000 if0 1 x"}}) {
    std::vector<u8> options = option(kHostOrder, 9, {c.resolution});
    FileBuilder offset;
    offset.put<u64>(static_cast<u64>(c.offset));
    const std::vector<u8> more = option(kHostOrder, 14, offset.bytes());
    options.insert(options.end(), more.begin(), more.end());
    FileBuilder file;
    file.section().interface(1, 0, options).enhanced(0, c.ticks, "x", 1);
    EXPECT_THAT(read_all(open_capture(file.source())).packets, ElementsAre(c.expected));
  }
}

TEST(PcapngReader, UnknownBlocksArePassedOver) {
  FileBuilder file;
  file.section().block(0x80001234, std::vector<u8>(600000, 7)).interface(1, 0);
  file.block(5, {1, 2, 3, 4}).enhanced(0, 0, "x", 1).block(0xbad, {}).enhanced(0, 0, "y", 1);
  const auto result = read_all(open_capture(file.source()));
  EXPECT_THAT(result.packets, ElementsAre("0.0 if0 1 x", "0.0 if0 1 y"));
  EXPECT_EQ(result.error, "");
}

TEST(PcapngReader, PeekListsTheInterfacesBeforeTheFirstPacket) {
  FileBuilder file;
  file.section().interface(1, 0).interface(101, 0).enhanced(0, 0, "x", 1).interface(113, 0);
  auto reader = open_capture(file.source()).value();
  ASSERT_TRUE(reader->peek().has_value());
  EXPECT_EQ(reader->section().interfaces.size(), 2u);
  EXPECT_EQ(reader->next().value().packets.size(), 1u);
}

TEST(PcapngReader, DamageIsNamedAfterTheSoundPackets) {
  FileBuilder start;
  start.section().interface(1, 0).enhanced(0, 0, "x", 1);
  const std::string place = "offset " + std::to_string(start.bytes().size()) + ": ";
  const auto error_of = [&place](const FileBuilder& file) {
    const auto result = read_all(open_capture(file.source()));
    EXPECT_THAT(result.packets, ElementsAre("0.0 if0 1 x"));
    EXPECT_THAT(result.error, ::testing::StartsWith(place));
    return result.error;
  };
  EXPECT_THAT(error_of(FileBuilder(start).enhanced(7, 0, "y", 1)), HasSubstr("not described"));
  EXPECT_THAT(error_of(FileBuilder(start).put<u32>(6).put<u32>(13)), HasSubstr("multiple of 4"));
  EXPECT_THAT(error_of(FileBuilder(start).put<u32>(6).put<u32>(0)), HasSubstr("multiple of 4"));
  EXPECT_THAT(error_of(FileBuilder(start).put<u32>(6).put<u32>(0x7ffffff0)), HasSubstr("16 MiB"));
  EXPECT_THAT(error_of(FileBuilder(start).put<u32>(0xbad).put<u32>(0xfffffffc)),
              HasSubstr("ends inside a block"));
  EXPECT_THAT(error_of(FileBuilder(start).put<u32>(6)), HasSubstr("ends inside a block header"));
  EXPECT_THAT(error_of(FileBuilder(start).enhanced(0, 0, "y", 1).cut(3)), HasSubstr("33 of 36"));
  EXPECT_THAT(error_of(FileBuilder(start).enhanced(0, 0, "y", 1).cut(4).put<u32>(40)),
              HasSubstr("lengths differ"));
  EXPECT_THAT(error_of(FileBuilder(start).block(kBlockEnhancedPacket, {1, 2, 3, 4})),
              HasSubstr("too short"));
  FileBuilder lying;
  lying.put<u32>(0).put<u64>(0).put<u32>(100).put<u32>(100);
  EXPECT_THAT(error_of(FileBuilder(start).block(kBlockEnhancedPacket, lying.bytes())),
              HasSubstr("above its block's"));
  EXPECT_THAT(error_of(FileBuilder(start).interface(1, 0, {9, 0, 1, 0, 99, 0, 0, 0})),
              HasSubstr("time unit"));
}

TEST(PcapngReader, BadSectionHeadersAreRefused) {
  FileBuilder no_magic;
  no_magic.block(kBlockSection, std::vector<u8>(16, 1));
  EXPECT_THAT(read_all(open_capture(no_magic.source())).error, HasSubstr("byte-order magic"));
  FileBuilder version;
  version.put<u32>(kBlockSection).put<u32>(28).put<u32>(kByteOrderMagic).put<u16>(9).put<u16>(0);
  version.put<u64>(0).put<u32>(28);
  EXPECT_THAT(read_all(open_capture(version.source())).error, HasSubstr("pcapng version 9.0"));
}

}  // namespace
}  // namespace skep::capture
