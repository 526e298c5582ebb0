// SPDX-License-Identifier: Apache-2.0
#include "capture/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <vector>

namespace skep::capture {
namespace {

class OutputFileTest : public ::testing::Test {
 protected:
  OutputFileTest() : path_(::testing::TempDir() + "output_file_" + std::to_string(::getpid())) {}
  ~OutputFileTest() override { ::unlink(path_.c_str()); }

  std::vector<u8> contents() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }

  std::string path_;
};

TEST_F(OutputFileTest, ViewsAndCopiesKeepTheirOrder) {
  std::vector<u8> source(1 << 20);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<u8>(i * 31 + (i >> 9));
  std::vector<u8> expected;
  auto file = OutputFile::create(path_).value();
  u32 state = 7;
  for (int i = 0; i < 3000; ++i) {
    state = state * 1664525 + 1013904223;
    const std::size_t size = (state >> 8) % (i % 50 == 0 ? 200000 : 700);
    const u8* data = source.data() + (state >> 4) % (source.size() - size);
    if (i % 3 == 0) {
      file->add_copy(data, size);
    } else {
      file->add_view(data, size / 2);
      file->add_view(data + size / 2, size - size / 2);
    }
    expected.insert(expected.end(), data, data + size);
    ASSERT_EQ(file->size(), expected.size());
    if (i % 17 == 0) {
      ASSERT_TRUE(file->settle().has_value());
    }
  }
  ASSERT_TRUE(file->finish().has_value());
  EXPECT_EQ(contents(), expected);
}

TEST_F(OutputFileTest, SettledViewsMayChange) {
  std::vector<u8> bytes(40000, 1);
  auto file = OutputFile::create(path_).value();
  file->add_view(bytes.data(), 100);
  ASSERT_TRUE(file->settle().has_value());
  bytes.assign(bytes.size(), 2);
  file->add_view(bytes.data() + 100, 20000);
  ASSERT_TRUE(file->settle().has_value());
  bytes.assign(bytes.size(), 3);
  ASSERT_TRUE(file->finish().has_value());
  std::vector<u8> expected(100, 1);
  expected.insert(expected.end(), 20000, u8{2});
  EXPECT_EQ(contents(), expected);
}

TEST_F(OutputFileTest, FullDiskIsSaidOnceAndSticks) {
  struct stat info = {};
  if (::stat("/dev/full", &info) != 0) GTEST_SKIP() << "no /dev/full here";
  auto file = OutputFile::create("/dev/full").value();
  file->add_copy(reinterpret_cast<const u8*>("abc"), 3);
  const Status status = file->flush();
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(file->system_error(), ENOSPC);
  EXPECT_THAT(status.error().message, ::testing::HasSubstr("the file is incomplete"));
  EXPECT_FALSE(file->finish().has_value());
}

TEST_F(OutputFileTest, MissingFolderGivesTheSystemsReason) {
  const auto file = OutputFile::create("/nonexistent/x");
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().message, "No such file or directory");
}

}  // namespace
}  // namespace skep::capture
