// SPDX-License-Identifier: Apache-2.0
// One output of `skep filter`: a file, or a row of files that are rotated.
#pragma once

#include <memory>
#include <string>

#include "capture/output_file.h"
#include "capture/rotation.h"
#include "capture/writer.h"
#include "tools/file_claims.h"

namespace skep::tools {

struct OutputOptions {
  capture::WriterOptions writer;
  capture::RotationOptions rotation;
  bool packet_buffered = false;
  FileClaims* claims = nullptr;  ///< of the run; must outlive the outputs
};

class PacketOutput {
 public:
  PacketOutput(std::string path, const OutputOptions& options);

  /// Creates the first file. Errors name the file.
  Status open(const capture::Section& section);
  /// Appends a packet, perhaps to a new file. Its bytes must stay until settle().
  void add(const capture::Packet& packet, const capture::Section& section) {
    ++packets_;
    if (careful_) [[unlikely]]
      return add_carefully(packet, section);
    writer_.add(packet, section);
  }
  /// To be called before a packet's bytes change; says what went wrong since the last time.
  Status settle();
  /// Writes what is left and closes. Errors name the file.
  Status finish();

  u64 packets() const { return packets_; }
  /// Bytes written to all files.
  u64 bytes() const { return earlier_bytes_ + (file_ != nullptr ? file_->size() : 0); }
  const std::string& path() const { return path_; }
  /// True where -W ended the output.
  bool limit_reached() const { return limit_reached_; }
  /// True where a packet's link type was not that of the pcap file.
  bool linktypes_clash() const { return writer_.error().has_value(); }
  /// True where the reader of a pipe has gone.
  bool pipe_closed() const;

 private:
  void add_carefully(const capture::Packet& packet, const capture::Section& section);
  Status next_file(const capture::Section& section);
  Status close_file();

  std::string path_;
  std::string file_name_;
  capture::Rotation rotation_;
  capture::CaptureWriter writer_;
  std::unique_ptr<capture::OutputFile> file_;
  FileClaims* claims_;
  bool packet_buffered_;
  bool careful_;  // every packet needs a look at the clock, the size or a flush
  bool limit_reached_ = false;
  u64 packets_ = 0;
  u64 earlier_bytes_ = 0;
  Status failed_;
};

/// The error with a file's name as its place; - is standard output.
Error in_file(Error error, const std::string& name);

}  // namespace skep::tools
