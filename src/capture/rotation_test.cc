// SPDX-License-Identifier: Apache-2.0
#include "capture/rotation.h"

#include <gtest/gtest.h>

namespace skep::capture {
namespace {

using Step = Rotation::Step;

TEST(Rotation, BySizeNumbersTheFilesAfterTheFirst) {
  Rotation rotation("out", {.max_bytes = 100}, 0);
  EXPECT_EQ(rotation.file_name(), "out");
  EXPECT_EQ(rotation.before_packet(100, 0), Step::Stay);
  EXPECT_EQ(rotation.before_packet(101, 0), Step::NextFile);
  EXPECT_EQ(rotation.file_name(), "out1");
  EXPECT_EQ(rotation.before_packet(101, 0), Step::NextFile);
  EXPECT_EQ(rotation.file_name(), "out2");
}

TEST(Rotation, BoundedBySizeStartsAgainWithLeadingZeros) {
  Rotation rotation("out", {.max_bytes = 100, .file_count = 11}, 0);
  EXPECT_EQ(rotation.file_name(), "out00");
  for (int i = 1; i < 11; ++i) rotation.before_packet(101, 0);
  EXPECT_EQ(rotation.file_name(), "out10");
  rotation.before_packet(101, 0);
  EXPECT_EQ(rotation.file_name(), "out00");
}

TEST(Rotation, ByTimeNamesFilesByTheClockAndStops) {
  setenv("TZ", "UTC", 1);
  tzset();
  Rotation rotation("out-%H%M%S", {.seconds = 10, .file_count = 2}, 0);
  EXPECT_EQ(rotation.file_name(), "out-000000");
  EXPECT_EQ(rotation.before_packet(1, 9), Step::Stay);
  EXPECT_EQ(rotation.before_packet(1, 12), Step::NextFile);
  EXPECT_EQ(rotation.file_name(), "out-000012");
  EXPECT_EQ(rotation.before_packet(1, 21), Step::Stay);
  EXPECT_EQ(rotation.before_packet(1, 22), Step::LimitReached);
}

TEST(Rotation, TimeStartsTheNumbersAgain) {
  setenv("TZ", "UTC", 1);
  tzset();
  Rotation rotation("out-%S", {.max_bytes = 100, .seconds = 10}, 0);
  rotation.before_packet(101, 1);
  EXPECT_EQ(rotation.file_name(), "out-001");
  rotation.before_packet(101, 11);
  EXPECT_EQ(rotation.file_name(), "out-11");
}

}  // namespace
}  // namespace skep::capture
