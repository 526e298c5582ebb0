// SPDX-License-Identifier: Apache-2.0
#include "capture/pcap_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capture/test_files.h"

namespace skep::capture {
namespace {

using ::testing::ElementsAre;
using testing::FileBuilder;
using ::testing::HasSubstr;
using testing::read_all;

TEST(PcapReader, ReadsBothOrdersAndPrecisions) {
  for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
    for (const u32 magic : {kPcapMagicMicro, kPcapMagicNano}) {
      FileBuilder file(order);
      file.pcap(magic).record(7, 9, "first", 60).record(8, 1, "", 0).record(9, 2, "third", 5);
      const auto result = read_all(open_capture(file.source()));
      const bool nano = magic == kPcapMagicNano;
      EXPECT_THAT(result.packets, ElementsAre(nano ? "7.9 if0 60 first" : "7.9000 if0 60 first",
                                              nano ? "8.1 if0 0 " : "8.1000 if0 0 ",
                                              nano ? "9.2 if0 5 third" : "9.2000 if0 5 third"));
      EXPECT_EQ(result.error, "");
    }
  }
}

TEST(PcapReader, RecordsAreRawWhereTheyAreInHostOrder) {
  for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
    FileBuilder file(order);
    file.pcap().record(7, 9, "first", 60);
    auto reader = open_capture(file.source()).value();
    const Batch batch = reader->next().value();
    ASSERT_EQ(batch.packets.size(), 1u);
    const Packet& packet = batch.packets[0];
    EXPECT_EQ(packet.raw != nullptr, order == kHostOrder);
    EXPECT_TRUE(packet.raw == nullptr || packet.raw + 16 == packet.data);
    EXPECT_EQ(packet.raw_size, 21u);
  }
}

TEST(PcapReader, PacketsAreCutToTheSnapLength) {
  FileBuilder file;
  file.pcap(kPcapMagicMicro, 3).record(1, 2, "abcdef", 6).record(3, 4, "xy", 2);
  EXPECT_THAT(read_all(open_capture(file.source())).packets,
              ElementsAre("1.2000 if0 6 abc", "3.4000 if0 2 xy"));
}

TEST(PcapReader, StrangeSnapLengthsMeanTheMaximum) {
  for (const u32 snaplen : {0u, 0xffffffffu, 0x80000000u}) {
    FileBuilder file;
    file.pcap(kPcapMagicMicro, snaplen);
    const auto reader = open_capture(file.source()).value();
    EXPECT_EQ(reader->section().interfaces[0].snaplen, 262144u);
  }
}

TEST(PcapReader, OldVersionsSwapTheLengths) {
  FileBuilder file;
  file.pcap(kPcapMagicMicro, 65535, 1, 2, 2);
  file.put<u32>(1).put<u32>(2).put<u32>(60).put<u32>(3).text("abc");
  EXPECT_THAT(read_all(open_capture(file.source())).packets, ElementsAre("1.2000 if0 60 abc"));
}

TEST(PcapReader, UnknownVersionsAndModifiedFilesAreRefused) {
  FileBuilder version;
  version.pcap(kPcapMagicMicro, 65535, 1, 2, 9);
  EXPECT_EQ(read_all(open_capture(version.source())).error,
            "offset 4: unsupported pcap file version 2.9");
  FileBuilder modified;
  modified.pcap(0xa1b2cd34);
  EXPECT_THAT(read_all(open_capture(modified.source())).error, HasSubstr("modified pcap"));
}

TEST(PcapReader, CutFilesGiveEverythingBeforeTheCut) {
  const FileBuilder whole = FileBuilder().pcap().record(1, 2, "one", 3).record(3, 4, "two", 3);
  for (std::size_t cut = 1; cut <= 18; ++cut) {
    const FileBuilder file = FileBuilder(whole).cut(cut);
    const auto result = read_all(open_capture(file.source()));
    EXPECT_THAT(result.packets, ElementsAre("1.2000 if0 3 one"));
    EXPECT_THAT(result.error, HasSubstr("offset 43: the file ends inside a "));
  }
  EXPECT_EQ(read_all(open_capture(FileBuilder(whole).cut(19).source())).error, "");
  const FileBuilder head = FileBuilder().pcap().cut(1);
  EXPECT_EQ(read_all(open_capture(head.source())).error,
            "offset 23: the file ends inside the pcap file header");
}

TEST(PcapReader, LyingLengthsAreNamedWithTheirOffset) {
  FileBuilder file;
  file.pcap().record(1, 2, "one", 3);
  file.put<u32>(1).put<u32>(2).put<u32>(0xfffffff0).put<u32>(60).text("abc");
  const auto result = read_all(open_capture(file.source()));
  EXPECT_THAT(result.packets, ElementsAre("1.2000 if0 3 one"));
  EXPECT_EQ(result.error,
            "offset 43: a packet's captured length of 4294967280 bytes is above the file's snap "
            "length of 65535");
}

TEST(PcapReader, ReadsPacketsAcrossBlocks) {
  FileBuilder file;
  file.pcap(kPcapMagicMicro, 262144);
  const std::string data(100000, 'd');
  for (u32 i = 0; i < 40; ++i) file.record(i, 0, data.substr(0, i * 2500), 100000);
  const auto result = read_all(open_capture(file.source()));
  ASSERT_EQ(result.packets.size(), 40u);
  EXPECT_EQ(result.packets[39].size(), std::string("39.0 if0 100000 ").size() + 97500);
  EXPECT_EQ(result.error, "");
}

}  // namespace
}  // namespace skep::capture
