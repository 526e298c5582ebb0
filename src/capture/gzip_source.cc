// SPDX-License-Identifier: Apache-2.0
// gzip (RFC 1952) through zlib: any number of members one after the other, zero padding after the
// last one as tape and block devices leave it.
// Tested by byte_source_test.cc
#include <zlib.h>

#include <algorithm>
#include <array>
#include <string>

#include "capture/byte_source.h"

namespace skep::capture {

namespace {

class GzipSource : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> inner) : inner_(std::move(inner)) {
    ready_ = inflateInit2(&stream_, 15 + 16) == Z_OK;
  }
  ~GzipSource() override {
    if (ready_) inflateEnd(&stream_);
  }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  Result<std::size_t> read(u8* out, std::size_t size) override {
    if (!ready_) return Error{Code::OutOfMemory, "no memory for gzip decompression"};
    if (!damage_) return damage_.error();
    const auto want = static_cast<uInt>(std::min<std::size_t>(size, kBlockBytes));
    stream_.next_out = out;
    stream_.avail_out = want;
    while (stream_.avail_out == want) {
      if (between_members_) {
        SKEP_TRY(const bool more, next_member());
        if (!more) return std::size_t{0};
      }
      SKEP_TRY_DO(refill());
      if (stream_.avail_in == 0) {
        return error_at_offset(Code::Truncated, produced_, "the gzip data end too early");
      }
      damage_ = inflate_some();
      // What came out before the damage is good.
      if (!damage_ && stream_.avail_out == want) return damage_.error();
      if (!damage_) break;
    }
    const std::size_t got = want - stream_.avail_out;
    produced_ += got;
    return got;
  }
  u64 consumed() const override { return inner_->consumed(); }
  Compression compression() const override { return Compression::Gzip; }

 private:
  Status refill() {
    if (stream_.avail_in != 0) return {};
    SKEP_TRY(const std::size_t got, inner_->read(input_.data(), input_.size()));
    stream_.next_in = input_.data();
    stream_.avail_in = static_cast<uInt>(got);
    return {};
  }

  // True where another member follows; zero padding up to the end of the file is passed over.
  Result<bool> next_member() {
    for (;;) {
      SKEP_TRY_DO(refill());
      if (stream_.avail_in == 0) return false;
      if (*stream_.next_in != 0) break;
      ++stream_.next_in;
      --stream_.avail_in;
    }
    between_members_ = false;
    inflateReset(&stream_);
    return true;
  }

  Status inflate_some() {
    const int result = inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_STREAM_END) {
      between_members_ = true;
      return {};
    }
    if (result == Z_OK || result == Z_BUF_ERROR) return {};
    const std::string reason = stream_.msg != nullptr ? stream_.msg : "not gzip data";
    return error_at_offset(Code::BadFormat, produced_, "the gzip data are damaged: " + reason);
  }

  std::unique_ptr<ByteSource> inner_;
  z_stream stream_ = {};
  std::array<u8, std::size_t{64}* 1024> input_ = {};
  u64 produced_ = 0;
  Status damage_;
  bool ready_ = false;
  bool between_members_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> gzip_source(std::unique_ptr<ByteSource> inner) {
  return std::make_unique<GzipSource>(std::move(inner));
}

}  // namespace skep::capture
