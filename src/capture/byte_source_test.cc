// SPDX-License-Identifier: Apache-2.0
#include "capture/byte_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <vector>

namespace skep::capture {
namespace {

std::vector<u8> gzip(const std::vector<u8>& plain) {
  z_stream stream = {};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::vector<u8> out(plain.size() + 1000);
  std::vector<u8> in = plain;
  stream.next_in = in.data();
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

std::vector<u8> zstd(const std::vector<u8>& plain, int window_log = 0) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  if (window_log != 0) {
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  }
  std::vector<u8> out(ZSTD_compressBound(plain.size()) + 100);
  ZSTD_outBuffer output = {out.data(), out.size(), 0};
  ZSTD_inBuffer input = {plain.data(), plain.size(), 0};
  // Two steps, so that the frame is a streamed one and names its window.
  ZSTD_compressStream2(context, &output, &input, ZSTD_e_continue);
  while (ZSTD_compressStream2(context, &output, &input, ZSTD_e_end) != 0) {
  }
  ZSTD_freeCCtx(context);
  out.resize(output.pos);
  return out;
}

std::vector<u8> sample(std::size_t size) {
  std::vector<u8> bytes(size);
  u32 state = 1;
  for (u8& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<u8>(state >> 28);
  }
  return bytes;
}

Result<std::vector<u8>> read_to_end(std::unique_ptr<ByteSource> inner) {
  SKEP_TRY(auto source, decompressed(std::move(inner)));
  std::vector<u8> all;
  std::vector<u8> piece(7777);
  for (;;) {
    SKEP_TRY(const std::size_t got, source->read(piece.data(), piece.size()));
    if (got == 0) return all;
    all.insert(all.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(got));
  }
}

std::vector<u8> joined(std::vector<u8> a, const std::vector<u8>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(ByteSource, PlainBytesOfAnyLengthComeBack) {
  for (const std::size_t size : {0u, 1u, 3u, 4u, 5u, 100000u}) {
    const std::vector<u8> plain = sample(size);
    EXPECT_EQ(read_to_end(memory_source(plain)).value(), plain) << size;
  }
}

TEST(ByteSource, GzipMembersFollowEachOtherAndPaddingIsIgnored) {
  const std::vector<u8> a = sample(300000);
  const std::vector<u8> b = sample(10);
  std::vector<u8> file = joined(gzip(a), gzip(b));
  EXPECT_EQ(read_to_end(memory_source(file)).value(), joined(a, b));
  file.insert(file.end(), 512, u8{0});
  EXPECT_EQ(read_to_end(memory_source(file)).value(), joined(a, b));
}

TEST(ByteSource, ZstdFramesFollowEachOther) {
  const std::vector<u8> a = sample(300000);
  const std::vector<u8> b = sample(10);
  const std::vector<u8> file = joined(zstd(a), zstd(b));
  EXPECT_EQ(read_to_end(memory_source(file)).value(), joined(a, b));
}

TEST(ByteSource, ZstdWindowsUpToTheLimitAreReadAndNamed) {
  const std::vector<u8> plain = sample(100000);
  for (const int log : {20, 23, 24, 27}) {
    const std::vector<u8> file = zstd(plain, log);
    auto source = decompressed(memory_source(file));
    u8 byte = 0;
    ASSERT_EQ((*source)->read(&byte, 1).value(), 1u);
    EXPECT_EQ((*source)->large_window(), log > 23 ? u64{1} << log : 0) << log;
    EXPECT_EQ(read_to_end(memory_source(file)).value(), plain);
  }
}

TEST(ByteSource, WindowsOfLaterZstdFramesAreNamed) {
  const std::vector<u8> plain = sample(100000);
  const std::vector<u8> file = joined(zstd(plain), zstd(plain, 24));
  const auto source = decompressed(memory_source(file));
  std::vector<u8> bytes(1000000);
  while ((*source)->read(bytes.data(), bytes.size()).value() != 0) {
  }
  EXPECT_EQ((*source)->large_window(), u64{1} << 24);
}

TEST(ByteSource, GzipDataBeforeTheDamageAreRead) {
  const std::vector<u8> plain = sample(5000);
  std::vector<u8> file = gzip(plain);
  file[file.size() - 8] ^= 1;  // the checksum
  const auto source = decompressed(memory_source(file));
  std::vector<u8> bytes(10000);
  EXPECT_EQ((*source)->read(bytes.data(), bytes.size()).value(), plain.size());
  EXPECT_FALSE((*source)->read(bytes.data(), bytes.size()).has_value());
  EXPECT_FALSE((*source)->read(bytes.data(), bytes.size()).has_value());
}

TEST(ByteSource, CutCompressedDataAreTruncated) {
  for (std::vector<u8> file : {gzip(sample(5000)), zstd(sample(5000))}) {
    file.resize(file.size() - 6);
    const auto result = read_to_end(memory_source(file));
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, Code::Truncated);
  }
}

TEST(ByteSource, DamagedCompressedDataAreRefused) {
  for (std::vector<u8> file : {gzip(sample(5000)), zstd(sample(5000))}) {
    for (std::size_t i = file.size() / 2; i < file.size() / 2 + 40; ++i) file[i] ^= 0x5a;
    EXPECT_FALSE(read_to_end(memory_source(file)).has_value());
  }
}

TEST(ByteSource, OversizedZstdWindowIsRefusedByName) {
  // Magic, no single segment, window descriptor of 2^31 bytes.
  const std::vector<u8> file = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0x00, 0x00};
  const auto result = read_to_end(memory_source(file));
  ASSERT_FALSE(result.has_value());
  EXPECT_THAT(result.error().message, ::testing::HasSubstr("2048 MiB is above the limit"));
}

}  // namespace
}  // namespace skep::capture
