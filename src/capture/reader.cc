// SPDX-License-Identifier: Apache-2.0
// Which reader a file needs, by its first four bytes.
// Tested by reader_test.cc
#include "capture/reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "capture/pcap_reader.h"
#include "capture/pcapng_reader.h"

namespace skep::capture {

namespace {

std::string hex(u32 number) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) text += kDigits[(number >> shift) & 15];
  return text;
}

bool is_pcap(u32 magic) {
  constexpr u32 kModified = 0xa1b2cd34;  // recognised so that the reader can name it
  return magic == kPcapMagicMicro || magic == kPcapMagicNano || magic == kModified;
}

}  // namespace

Result<std::unique_ptr<CaptureReader>> open_capture(std::unique_ptr<ByteSource> source,
                                                    u64 first_section) {
  SKEP_TRY(auto plain, decompressed(std::move(source)));
  Window window(std::move(plain));
  SKEP_TRY(const std::size_t have, window.want(4));
  if (have == 0) return error_at_offset(Code::Truncated, 0, "the file is empty");
  if (have < 4) {
    return error_at_offset(Code::Truncated, 0,
                           "the file has " + std::to_string(have) + " bytes: no capture file");
  }
  const u32 magic = load_le<u32>(window.bytes().data());
  if (magic == kBlockSection) {
    SKEP_TRY(auto reader, PcapngReader::open(std::move(window), first_section));
    return std::unique_ptr<CaptureReader>(std::move(reader));
  }
  if (is_pcap(magic) || is_pcap(byteswap(magic))) {
    SKEP_TRY(auto reader, PcapReader::open(std::move(window), first_section));
    return std::unique_ptr<CaptureReader>(std::move(reader));
  }
  return error_at_offset(Code::BadFormat, 0,
                         "unknown magic number " + hex(magic) + ": neither pcap nor pcapng");
}

Result<std::unique_ptr<CaptureReader>> open_capture_file(const std::string& path,
                                                         u64 first_section) {
  int fd = STDIN_FILENO;
  if (path != "-") {
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
      return Error{errno == ENOENT ? Code::NotFound : Code::Io, std::strerror(errno)};
    }
  }
  return open_capture(descriptor_source(fd), first_section);
}

}  // namespace skep::capture
