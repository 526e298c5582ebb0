// SPDX-License-Identifier: Apache-2.0
// Files through stdio; what the system refuses is said in its own words.
// Tested by tests/e2e/asm.sh
#include "tools/file_io.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>

namespace skep::tools {

namespace {

// Programs, expressions and their memory are far smaller; devices have no end.
constexpr std::size_t kMaxFileBytes = std::size_t{256} << 20;

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Closer>;

Error failed(const std::string& name, int number) {
  return Error{number == ENOENT ? Code::NotFound : Code::Io, name + ": " + std::strerror(number)};
}

}  // namespace

std::string input_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

Result<std::string> read_file(const std::string& path) {
  File opened;
  std::FILE* in = stdin;
  if (path != "-") {
    opened.reset(std::fopen(path.c_str(), "rb"));
    if (!opened) return failed(path, errno);
    in = opened.get();
  }
  std::string bytes;
  char part[1 << 16];
  while (const std::size_t count = std::fread(part, 1, sizeof part, in)) {
    if (bytes.size() + count > kMaxFileBytes) {
      return Error{Code::Io, input_name(path) + ": longer than 256 MiB"};
    }
    bytes.append(part, count);
  }
  if (std::ferror(in) != 0) return failed(input_name(path), errno);
  return bytes;
}

Status write_file(const std::string& path, std::string_view bytes) {
  const bool to_stdout = path == "-";
  const std::string name = to_stdout ? "standard output" : path;
  std::FILE* out = to_stdout ? stdout : std::fopen(path.c_str(), "wb");
  if (out == nullptr) return failed(name, errno);
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), out) == bytes.size();
  const bool flushed = written && std::fflush(out) == 0;
  const int reason = errno;
  const bool closed = to_stdout || std::fclose(out) == 0;
  if (flushed && closed) return {};
  return failed(name + " is incomplete", flushed ? errno : reason);
}

void occupy_standard_descriptors() {
  // Open the other way round, each: using it fails as if it were closed.
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    const int got = ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (got > STDERR_FILENO) ::close(got);
  }
}

Status finish_stdout() {
  const bool flushed = std::fflush(stdout) == 0;
  const int reason = flushed ? EIO : errno;
  if (flushed && std::ferror(stdout) == 0) return {};
  if (reason == EPIPE) {  // where SIGPIPE is ignored
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  return failed("standard output is incomplete", reason);
}

}  // namespace skep::tools
