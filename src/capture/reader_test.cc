// SPDX-License-Identifier: Apache-2.0
#include "capture/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capture/test_files.h"

namespace skep::capture {
namespace {

using testing::FileBuilder;
using ::testing::HasSubstr;
using testing::read_all;

TEST(Reader, UnknownMagicNamesTheNumber) {
  const FileBuilder file = FileBuilder().text("root:x:0:0");
  EXPECT_EQ(read_all(open_capture(file.source())).error,
            "offset 0: unknown magic number 0x746f6f72: neither pcap nor pcapng");
}

TEST(Reader, EmptyAndTinyFilesAreTruncated) {
  EXPECT_EQ(read_all(open_capture(FileBuilder().source())).error, "offset 0: the file is empty");
  const FileBuilder file = FileBuilder().text("abc");
  EXPECT_THAT(read_all(open_capture(file.source())).error, HasSubstr("3 bytes"));
}

TEST(Reader, MissingFileGivesTheSystemsReason) {
  const auto opened = open_capture_file("/nonexistent/x.pcap");
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, Code::NotFound);
  EXPECT_EQ(opened.error().message, "No such file or directory");
}

TEST(Reader, DirectoryCannotBeRead) {
  EXPECT_THAT(read_all(open_capture_file("/")).error, HasSubstr("Is a directory"));
}

}  // namespace
}  // namespace skep::capture
