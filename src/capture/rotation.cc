// SPDX-License-Identifier: Apache-2.0
// The rules of tcpdump(8) for -C, -G and -W. Time is the clock's, also when a file is read.
// Tested by rotation_test.cc
#include "capture/rotation.h"

#include <utility>

namespace skep::capture {

namespace {

// Digits for the highest number of `count` files: 1 for 10, 2 for 11.
std::size_t digits_for(u32 count) {
  std::size_t digits = 0;
  for (u32 highest = count == 0 ? 0 : count - 1; highest != 0; highest /= 10) ++digits;
  return digits;
}

}  // namespace

Rotation::Rotation(std::string path, const RotationOptions& options, std::time_t now)
    : path_(std::move(path)), options_(options), started_(now) {}

Rotation::Step Rotation::before_packet(u64 size, std::time_t now) {
  if (options_.seconds != 0 && now - started_ >= static_cast<std::time_t>(options_.seconds)) {
    started_ = now;
    ++timed_files_;
    // With -C as well, -W only shapes the names.
    const bool bounded = options_.max_bytes == 0 && options_.file_count != 0;
    if (bounded && timed_files_ >= options_.file_count) return Step::LimitReached;
    sized_files_ = 0;
    return Step::NextFile;
  }
  if (options_.max_bytes != 0 && size > options_.max_bytes) {
    ++sized_files_;
    if (options_.file_count != 0 && sized_files_ >= options_.file_count) sized_files_ = 0;
    return Step::NextFile;
  }
  return Step::Stay;
}

std::string Rotation::file_name() const {
  std::string name = path_;
  if (options_.seconds != 0) {
    std::tm local = {};
    ::localtime_r(&started_, &local);
    char text[4096];
    const std::size_t length = std::strftime(text, sizeof text, path_.c_str(), &local);
    if (length != 0) name.assign(text, length);
  }
  const std::size_t digits = options_.max_bytes != 0 ? digits_for(options_.file_count) : 0;
  if (sized_files_ == 0 && digits == 0) return name;
  std::string number = std::to_string(sized_files_);
  if (number.size() < digits) number.insert(0, digits - number.size(), '0');
  return name + number;
}

}  // namespace skep::capture
