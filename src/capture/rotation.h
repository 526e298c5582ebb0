// SPDX-License-Identifier: Apache-2.0
// Names of output files that are rotated, as tcpdump gives them: -G renames by time (the name is a
// strftime(3) format), -C by size (a number is appended), -W bounds the number of files.
// Tested by rotation_test.cc
#pragma once

#include <ctime>
#include <string>

#include "support/ints.h"

namespace skep::capture {

struct RotationOptions {
  u64 max_bytes = 0;   ///< -C in bytes; 0 = no limit
  u32 seconds = 0;     ///< -G; 0 = never
  u32 file_count = 0;  ///< -W; 0 = no limit
};

/// Decides, packet by packet, when the next file starts and what it is called.
class Rotation {
 public:
  enum class Step : u8 { Stay, NextFile, LimitReached };

  Rotation(std::string path, const RotationOptions& options, std::time_t now);

  bool is_on() const { return options_.max_bytes != 0 || options_.seconds != 0; }
  /// To be asked before a packet is written to a file that has `size` bytes.
  Step before_packet(u64 size, std::time_t now);
  /// The name of the current file.
  std::string file_name() const;

 private:
  std::string path_;
  RotationOptions options_;
  std::time_t started_;
  u32 timed_files_ = 0;
  u32 sized_files_ = 0;
};

}  // namespace skep::capture
