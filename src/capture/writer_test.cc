// SPDX-License-Identifier: Apache-2.0
#include "capture/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "capture/test_files.h"

namespace skep::capture {
namespace {

using testing::FileBuilder;

constexpr ByteOrder kOtherOrder =
    kHostOrder == ByteOrder::Little ? ByteOrder::Big : ByteOrder::Little;

// Reads a file made in memory, writes all its packets and gives back what was written.
std::vector<u8> rewritten(const FileBuilder& input, const WriterOptions& options,
                          std::optional<Error>* error = nullptr) {
  const std::string path = ::testing::TempDir() + "writer_" + std::to_string(::getpid());
  auto file = OutputFile::create(path).value();
  auto reader = open_capture(input.source()).value();
  EXPECT_TRUE(reader->peek().has_value());
  CaptureWriter writer(options);
  writer.start(*file, reader->section());
  for (;;) {
    const Batch batch = reader->next().value();
    if (batch.packets.empty()) break;
    for (const Packet& packet : batch.packets) writer.add(packet, *batch.section);
    EXPECT_TRUE(file->settle().has_value());
  }
  EXPECT_TRUE(file->finish().has_value());
  if (error != nullptr) *error = writer.error();
  std::ifstream in(path, std::ios::binary);
  std::vector<u8> bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  ::unlink(path.c_str());
  return bytes;
}

TEST(CaptureWriter, PcapComesOutInHostOrderWhateverItWas) {
  FileBuilder expected;
  expected.pcap().record(1, 2, "one", 60).record(3, 999999, "two", 3);
  for (const ByteOrder order : {kHostOrder, kOtherOrder}) {
    FileBuilder input(order);
    input.pcap().record(1, 2, "one", 60).record(3, 999999, "two", 3);
    EXPECT_EQ(rewritten(input, {.snaplen = 65535}), expected.bytes());
  }
}

TEST(CaptureWriter, PrecisionIsConvertedBothWays) {
  FileBuilder nano;
  nano.pcap(kPcapMagicNano).record(1, 2000, "one", 60);
  FileBuilder micro;
  micro.pcap().record(1, 2, "one", 60);
  EXPECT_EQ(rewritten(micro, {.precision = Precision::Nano, .snaplen = 65535}), nano.bytes());
  EXPECT_EQ(rewritten(nano, {.precision = Precision::Micro, .snaplen = 65535}), micro.bytes());
  EXPECT_EQ(rewritten(nano, {.precision = Precision::Nano, .snaplen = 65535}), nano.bytes());
}

TEST(CaptureWriter, PcapngBecomesPcap) {
  FileBuilder input(kOtherOrder);
  input.section().interface(1, 65535).enhanced(0, 1000002, "one", 60);
  FileBuilder expected;
  expected.pcap().record(1, 2, "one", 60);
  EXPECT_EQ(rewritten(input, {.snaplen = 65535}), expected.bytes());
}

TEST(CaptureWriter, PcapngStaysWhatItWas) {
  for (const ByteOrder order : {kHostOrder, kOtherOrder}) {
    FileBuilder input(order);
    const std::vector<u8> comment =
        FileBuilder(order).put<u16>(1).put<u16>(2).text("hi").put<u16>(0).bytes();
    input.section().interface(1, 65535).interface(101, 0, comment);
    input.enhanced(1, 1000002, "one", 60).enhanced(0, 1000003, "fours", 60);
    FileBuilder later = FileBuilder(input).interface(113, 0).enhanced(2, 0, "late", 4);
    EXPECT_EQ(rewritten(later, {.format = FileFormat::Pcapng}), later.bytes());
  }
}

TEST(CaptureWriter, PcapBecomesPcapng) {
  for (const u32 magic : {kPcapMagicMicro, kPcapMagicNano}) {
    FileBuilder input(kOtherOrder);
    input.pcap(magic, 4000).record(1, 2, "one", 60).record(3, 4, "fours", 5);
    FileBuilder output;
    const std::vector<u8> bytes = rewritten(input, {.format = FileFormat::Pcapng});
    EXPECT_EQ(testing::read_all(open_capture(memory_source(bytes))).packets,
              testing::read_all(open_capture(input.source())).packets);
    EXPECT_EQ(bytes.size() % 4, 0u);
  }
}

TEST(CaptureWriter, LinkTypesThatDifferDoNotFitIntoPcap) {
  FileBuilder input;
  input.section().interface(1, 65535).interface(101, 65535);
  input.enhanced(0, 1000002, "one", 60).enhanced(1, 0, "raw", 60);
  FileBuilder expected;
  expected.pcap().record(1, 2, "one", 60);
  std::optional<Error> error;
  EXPECT_EQ(rewritten(input, {.snaplen = 65535}, &error), expected.bytes());
  ASSERT_TRUE(error.has_value());
  EXPECT_THAT(error->message, ::testing::HasSubstr("link type 101"));
}

TEST(CaptureWriter, LinkTypesComeOutAsLibpcapWritesThem) {
  EXPECT_EQ(canonical_linktype(1), 1u);
  EXPECT_EQ(canonical_linktype(12), 101u);
  EXPECT_EQ(canonical_linktype(0x44000001), 0x44000001u);
  EXPECT_EQ(canonical_linktype(0x4400000c), 0x44000065u);
}

}  // namespace
}  // namespace skep::capture
