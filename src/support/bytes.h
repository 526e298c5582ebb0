// SPDX-License-Identifier: Apache-2.0
// Reading and writing numbers in byte order, at any alignment, on any host. Bytes from outside
// (captures, objects, packets, attributes) are read through this file only: load_* for memory
// whose bounds the caller has checked, Reader for everything else.
// Tested by bytes_test.cc
#pragma once

#include <bit>
#include <concepts>
#include <cstring>
#include <optional>
#include <span>

#include "support/ints.h"

namespace skep {

using Bytes = std::span<const u8>;

enum class ByteOrder : u8 { Little, Big };

constexpr ByteOrder kHostOrder =
    std::endian::native == std::endian::little ? ByteOrder::Little : ByteOrder::Big;

constexpr u8 byteswap(u8 x) {
  return x;
}
constexpr u16 byteswap(u16 x) {
  return __builtin_bswap16(x);
}
constexpr u32 byteswap(u32 x) {
  return __builtin_bswap32(x);
}
constexpr u64 byteswap(u64 x) {
  return __builtin_bswap64(x);
}

/// The T at p in host order; p may be unaligned and must have sizeof(T) readable bytes.
template <std::integral T>
T load_host(const void* p) noexcept {
  T x;
  std::memcpy(&x, p, sizeof x);
  return x;
}

/// The T at p, stored there in the given order.
template <std::unsigned_integral T>
T load(const void* p, ByteOrder order) noexcept {
  const T x = load_host<T>(p);
  return order == kHostOrder ? x : byteswap(x);
}
template <std::unsigned_integral T>
T load_be(const void* p) noexcept {
  return load<T>(p, ByteOrder::Big);
}
template <std::unsigned_integral T>
T load_le(const void* p) noexcept {
  return load<T>(p, ByteOrder::Little);
}

/// Writes x to p in host order; p may be unaligned and must have sizeof(T) writable bytes.
template <std::integral T>
void store_host(void* p, T x) noexcept {
  std::memcpy(p, &x, sizeof x);
}
template <std::unsigned_integral T>
void store(void* p, T x, ByteOrder order) noexcept {
  store_host<T>(p, order == kHostOrder ? x : byteswap(x));
}
template <std::unsigned_integral T>
void store_be(void* p, T x) noexcept {
  store<T>(p, x, ByteOrder::Big);
}
template <std::unsigned_integral T>
void store_le(void* p, T x) noexcept {
  store<T>(p, x, ByteOrder::Little);
}

/// A cursor over untrusted bytes: every read is checked and empty when the bytes run out.
class Reader {
 public:
  explicit Reader(Bytes bytes, ByteOrder order = kHostOrder) : bytes_(bytes), order_(order) {}

  std::size_t position() const { return position_; }
  std::size_t remaining() const { return bytes_.size() - position_; }
  ByteOrder order() const { return order_; }
  void set_order(ByteOrder order) { order_ = order; }

  /// The next T in the reader's byte order, or nothing (and no move) when fewer bytes are left.
  template <std::unsigned_integral T>
  std::optional<T> read() {
    if (remaining() < sizeof(T)) return std::nullopt;
    const T x = load<T>(bytes_.data() + position_, order_);
    position_ += sizeof(T);
    return x;
  }
  /// The next n bytes as a view, or nothing (and no move) when fewer are left.
  std::optional<Bytes> take(std::size_t n) {
    if (remaining() < n) return std::nullopt;
    const Bytes view = bytes_.subspan(position_, n);
    position_ += n;
    return view;
  }
  /// Moves n bytes on; false (and no move) when fewer are left.
  bool skip(std::size_t n) { return take(n).has_value(); }

 private:
  Bytes bytes_;
  std::size_t position_ = 0;
  ByteOrder order_;
};

}  // namespace skep
