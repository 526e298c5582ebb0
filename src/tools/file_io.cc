// SPDX-License-Identifier: Apache-2.0
// Files through stdio; what the system refuses is said in its own words.
// Tested by tests/e2e/asm.sh
#include "tools/file_io.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace skep::tools {

namespace {

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
  while (const std::size_t count = std::fread(part, 1, sizeof part, in)) bytes.append(part, count);
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

}  // namespace skep::tools
