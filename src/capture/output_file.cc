// SPDX-License-Identifier: Apache-2.0
// Gather writes with one buffer of kBufferBytes.
// Tested by output_file_test.cc
#include "capture/output_file.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace skep::capture {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{256} * 1024;
// Below this a copy is cheaper than a longer list of pieces for the system.
constexpr std::size_t kDirectBytes = std::size_t{16} * 1024;

}  // namespace

Result<std::unique_ptr<OutputFile>> OutputFile::create(const std::string& path) {
  std::unique_ptr<u8[]> buffer(new (std::nothrow) u8[kBufferBytes]);
  if (buffer == nullptr) return Error{Code::OutOfMemory, "no memory for an output buffer"};
  int fd = STDOUT_FILENO;
  if (path != "-") {
    fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) return Error{Code::Io, std::strerror(errno)};
  }
  return std::unique_ptr<OutputFile>(new OutputFile(fd, std::move(buffer)));
}

OutputFile::~OutputFile() {
  if (fd_ > STDERR_FILENO) ::close(fd_);
}

void OutputFile::start_run(const u8* data, std::size_t size) {
  take_run();
  run_ = data;
  run_size_ = size;
}

void OutputFile::take_run() {
  if (run_size_ == 0) return;
  settled_ += run_size_;
  if (run_size_ >= kDirectBytes) {
    write_out(run_, run_size_);
  } else {
    if (used_ + run_size_ > kBufferBytes) write_out(nullptr, 0);
    std::memcpy(buffer_.get() + used_, run_, run_size_);
    used_ += run_size_;
  }
  run_ = nullptr;
  run_size_ = 0;
}

void OutputFile::add_copy(const u8* data, std::size_t size) {
  take_run();
  while (size != 0) {
    if (used_ == kBufferBytes) write_out(nullptr, 0);
    const std::size_t step = std::min(size, kBufferBytes - used_);
    std::memcpy(buffer_.get() + used_, data, step);
    used_ += step;
    settled_ += step;
    data += step;
    size -= step;
  }
}

// Writes the buffer and then the extra bytes, in one call where the system takes them all.
void OutputFile::write_out(const u8* extra, std::size_t extra_size) {
  const u8* first = buffer_.get();
  std::size_t first_size = used_;
  used_ = 0;
  while (system_error_ == 0 && first_size + extra_size != 0) {
    // writev only reads through the pointers, whose type is not const.
    iovec pieces[2] = {{const_cast<u8*>(first), first_size}, {const_cast<u8*>(extra), extra_size}};
    const bool skip_first = first_size == 0;
    const ssize_t put = ::writev(fd_, pieces + (skip_first ? 1 : 0), skip_first ? 1 : 2);
    if (put < 0) {
      if (errno != EINTR) system_error_ = errno;
      continue;
    }
    const auto done = static_cast<std::size_t>(put);
    written_ += done;
    const std::size_t from_first = std::min(done, first_size);
    first += from_first;
    first_size -= from_first;
    extra += done - from_first;
    extra_size -= done - from_first;
  }
}

Status OutputFile::status() const {
  if (system_error_ == 0) return {};
  return error_at_offset(
      Code::Io, written_,
      std::string("writing failed: ") + std::strerror(system_error_) + "; the file is incomplete");
}

Status OutputFile::settle() {
  take_run();
  return status();
}

Status OutputFile::flush() {
  take_run();
  write_out(nullptr, 0);
  return status();
}

Status OutputFile::finish() {
  Status flushed = flush();
  if (fd_ > STDERR_FILENO && ::close(fd_) != 0 && system_error_ == 0) {
    system_error_ = errno;
    flushed = status();
  }
  fd_ = -1;
  return flushed;
}

}  // namespace skep::capture
