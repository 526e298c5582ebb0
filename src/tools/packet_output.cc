// SPDX-License-Identifier: Apache-2.0
// Creating, rotating and finishing output files.
// Tested by tests/e2e/filter_rotate.sh, filter_bad_output.sh
#include "tools/packet_output.h"

#include <cerrno>
#include <ctime>
#include <utility>

namespace skep::tools {

Error in_file(Error error, const std::string& name) {
  if (!error.where) error.where = Where{};
  error.where->section = name == "-" ? "standard output" : name;
  return error;
}

PacketOutput::PacketOutput(std::string path, const OutputOptions& options)
    : path_(std::move(path)),
      rotation_(path_, options.rotation, std::time(nullptr)),
      writer_(options.writer),
      claims_(options.claims),
      packet_buffered_(options.packet_buffered),
      careful_(rotation_.is_on() || options.packet_buffered) {}

Status PacketOutput::open(const capture::Section& section) {
  return next_file(section);
}

Status PacketOutput::next_file(const capture::Section& section) {
  file_name_ = rotation_.file_name();
  SKEP_TRY_DO(claims_->check_output(file_name_, this));
  auto file = capture::OutputFile::create(file_name_);
  if (!file) return in_file(file.error(), file_name_);
  claims_->add_output(file_name_, this);
  file_ = std::move(*file);
  writer_.start(*file_, section);
  return {};
}

Status PacketOutput::close_file() {
  if (file_ == nullptr) return {};
  const Status finished = file_->finish();
  if (!finished) return in_file(finished.error(), file_name_);
  earlier_bytes_ += file_->size();
  file_ = nullptr;
  return {};
}

void PacketOutput::add_carefully(const capture::Packet& packet, const capture::Section& section) {
  if (!failed_ || limit_reached_) return;
  using Step = capture::Rotation::Step;
  const Step step = rotation_.before_packet(file_->size(), std::time(nullptr));
  if (step != Step::Stay) {
    failed_ = close_file();
    limit_reached_ = step == Step::LimitReached;
    if (limit_reached_) --packets_;
    if (!failed_ || limit_reached_) return;
    failed_ = next_file(section);
    if (!failed_) return;
  }
  writer_.add(packet, section);
  if (packet_buffered_) {
    const Status flushed = file_->flush();
    if (!flushed) failed_ = in_file(flushed.error(), file_name_);
  }
}

Status PacketOutput::settle() {
  if (!failed_) return failed_;
  if (file_ == nullptr) return {};
  const Status settled = file_->settle();
  if (!settled) return in_file(settled.error(), file_name_);
  if (writer_.error()) return in_file(*writer_.error(), file_name_);
  return {};
}

Status PacketOutput::finish() {
  if (!failed_) return failed_;
  SKEP_TRY_DO(close_file());
  if (writer_.error()) return in_file(*writer_.error(), file_name_);
  return {};
}

bool PacketOutput::pipe_closed() const {
  return file_ != nullptr && file_->system_error() == EPIPE;
}

}  // namespace skep::tools
