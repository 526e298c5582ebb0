// SPDX-License-Identifier: Apache-2.0
// A file written in large pieces. Bytes may be given as views: neighbouring ones grow into one
// run that goes to the system straight from where it lies; short runs are gathered in a buffer.
//
//   add_view(a) add_view(b)     with b right behind a        one run
//   run >= kDirectBytes         writev(buffer, run)          no copy
//   run <  kDirectBytes         copied behind the buffer
//
// The first failure sticks: later bytes are dropped and every Status repeats it.
// Tested by output_file_test.cc
#pragma once

#include <memory>
#include <string>

#include "support/bytes.h"
#include "support/result.h"

namespace skep::capture {

class OutputFile {
 public:
  /// Creates or overwrites `path`; "-" is standard output. Errors: Io with the system's reason.
  static Result<std::unique_ptr<OutputFile>> create(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Appends bytes that stay as they are until the next settle().
  void add_view(const u8* data, std::size_t size) {
    if (data == run_ + run_size_) {
      run_size_ += size;
    } else {
      start_run(data, size);
    }
  }
  /// Appends a copy of the bytes.
  void add_copy(const u8* data, std::size_t size);
  /// Takes over all views given so far; their bytes may change afterwards.
  Status settle();
  /// Hands everything to the system.
  Status flush();
  /// Flushes and closes; the file is complete where this succeeds.
  Status finish();

  /// Bytes appended so far.
  u64 size() const { return settled_ + run_size_; }
  /// The errno of the failure, or 0.
  int system_error() const { return system_error_; }

 private:
  OutputFile(int fd, std::unique_ptr<u8[]> buffer) : fd_(fd), buffer_(std::move(buffer)) {}
  void start_run(const u8* data, std::size_t size);
  void take_run();
  void write_out(const u8* extra, std::size_t extra_size);
  Status status() const;

  int fd_;
  std::unique_ptr<u8[]> buffer_;
  std::size_t used_ = 0;
  const u8* run_ = nullptr;
  std::size_t run_size_ = 0;
  u64 settled_ = 0;  // bytes appended before the run
  u64 written_ = 0;  // bytes that the system has taken
  int system_error_ = 0;
};

}  // namespace skep::capture
