// SPDX-License-Identifier: Apache-2.0
// Zstandard (RFC 8878) through libzstd: frames one after the other, skippable ones too. A frame
// says how far back it refers (its window); that much memory is needed. Up to 8 MiB is what every
// decoder must accept, up to kMaxZstdWindow is accepted here, more is refused.
// Tested by byte_source_test.cc
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <string>

#include "capture/byte_source.h"

namespace skep::capture {

namespace {

constexpr int kMaxWindowLog = 27;
static_assert(u64{1} << kMaxWindowLog == kMaxZstdWindow);
constexpr u64 kCommonWindow = u64{8} << 20;

// The window size of the frame at `head`, 0 where it is not stored there (RFC 8878, 3.1.1.1).
u64 window_of_frame(const u8* head, std::size_t size) {
  constexpr u8 kSingleSegment = 0x20;
  if (size < 6 || load_le<u32>(head) != 0xfd2fb528 || (head[4] & kSingleSegment) != 0) return 0;
  const u64 base = u64{1} << (10 + (head[5] >> 3));
  return base + (base >> 3) * (head[5] & 7);
}

class ZstdSource : public ByteSource {
 public:
  explicit ZstdSource(std::unique_ptr<ByteSource> inner)
      : inner_(std::move(inner)), stream_(ZSTD_createDStream()) {
    if (stream_ != nullptr) ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, kMaxWindowLog);
  }
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }
  ZstdSource(const ZstdSource&) = delete;
  ZstdSource& operator=(const ZstdSource&) = delete;

  Result<std::size_t> read(u8* out, std::size_t size) override {
    if (stream_ == nullptr) return Error{Code::OutOfMemory, "no memory for zstd decompression"};
    ZSTD_outBuffer output = {out, size, 0};
    while (output.pos == 0) {
      if (input_.pos == input_.size && !drained_) SKEP_TRY_DO(refill());
      const std::size_t before = input_.pos;
      const std::size_t hint = ZSTD_decompressStream(stream_, &output, &input_);
      note_memory();
      if (ZSTD_isError(hint) != 0) return damaged(hint);
      // After a frame's end the hint speaks of the next frame, which need not exist.
      if (output.pos != 0 || input_.pos != before) inside_frame_ = hint != 0;
      if (output.pos == 0 && input_.pos == before && drained_) {
        if (!inside_frame_) return std::size_t{0};
        return error_at_offset(Code::Truncated, produced_, "the zstd data end too early");
      }
    }
    produced_ += output.pos;
    return output.pos;
  }
  u64 consumed() const override { return inner_->consumed(); }
  Compression compression() const override { return Compression::Zstd; }
  u64 large_window() const override { return window_ > kCommonWindow ? window_ : 0; }

 private:
  Status refill() {
    std::size_t size = 0;
    // The first frame's header is wanted in one piece.
    do {
      SKEP_TRY(const std::size_t got, inner_->read(bytes_.data() + size, bytes_.size() - size));
      size += got;
      drained_ = got == 0;
    } while (size < 6 && !drained_);
    if (window_ == 0) window_ = window_of_frame(bytes_.data(), size);
    input_ = {bytes_.data(), size, 0};
    drained_ = size == 0;
    return {};
  }

  // Windows that are not stored at the start: of later frames, of frames in one segment. What the
  // decoder takes besides is below 1 MiB.
  void note_memory() {
    constexpr u64 kMebibyte = u64{1} << 20;
    const u64 window = ZSTD_sizeof_DStream(stream_) / kMebibyte * kMebibyte;
    if (window > kCommonWindow) window_ = std::max(window_, window);
  }

  Error damaged(std::size_t result) const {
    const std::string reason = ZSTD_getErrorName(result);
    if (ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge &&
        window_ <= kMaxZstdWindow) {
      return Error{Code::Unsupported, "a zstd window is above the limit of 128 MiB"};
    }
    if (window_ > kMaxZstdWindow) {
      return Error{Code::Unsupported, "the zstd window of " + std::to_string(window_ >> 20) +
                                          " MiB is above the limit of 128 MiB"};
    }
    return error_at_offset(Code::BadFormat, produced_, "the zstd data are damaged: " + reason);
  }

  std::unique_ptr<ByteSource> inner_;
  ZSTD_DStream* stream_;
  std::array<u8, std::size_t{64}* 1024> bytes_ = {};
  ZSTD_inBuffer input_ = {nullptr, 0, 0};
  u64 produced_ = 0;
  u64 window_ = 0;
  bool drained_ = false;
  bool inside_frame_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> zstd_source(std::unique_ptr<ByteSource> inner) {
  return std::make_unique<ZstdSource>(std::move(inner));
}

}  // namespace skep::capture
