// SPDX-License-Identifier: Apache-2.0
// Inputs of the sample programs: pseudo-random bytes (splitmix64, so the same on every machine)
// except where a program's branches need something plausible to look at.
#include <array>
#include <cstring>

#include "programs/programs.h"
#include "support/bytes.h"

namespace skep::programs {
namespace {

/// splitmix64 (Steele, Lea and Flood, 2014).
class Random {
 public:
  explicit Random(u64 seed) : state_(seed) {}
  u64 next() {
    state_ += 0x9e3779b97f4a7c15;
    u64 x = state_;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }

 private:
  u64 state_;
};

void fill_random(std::span<u8> memory, u64 seed) {
  Random random(seed);
  for (u8& byte : memory) byte = static_cast<u8>(random.next() >> 56);
}

// The largest prime below 2^32: the loop runs to its end.
void fill_trial_division(std::span<u8> memory) {
  store_le(memory.data(), u64{4294967291});
}

// Two operations in three are arithmetic and stack; jumps are rarer than a uniform choice.
void fill_bytecode(std::span<u8> memory) {
  constexpr std::string_view kMix("\0\1\2\3\4\4\5\5\6\7\10\11\12\13\14\15\16\15\4\0\2\3\13\17", 24);
  Random random(6);
  for (std::size_t i = 0; i < memory.size(); i += 2) {
    memory[i] = static_cast<u8>(kMix[static_cast<std::size_t>(random.next() % kMix.size())]);
    memory[i + 1] = static_cast<u8>(random.next());
  }
}

// The pairs: equal after folding; different in the last letter; different early; equal and long.
void fill_casefold(std::span<u8> memory) {
  constexpr std::array<std::string_view, 8> kStrings = {
      "Content-Type: Text/HTML; Charset=UTF-8, then 0123456789 [brackets] and {braces} @ `ticks`",
      "content-type: text/html; charset=utf-8, then 0123456789 [brackets] and {braces} @ `ticks`",
      "The Quick Brown Fox Jumps Over The Lazy Dog, THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG",
      "the quick brown fox jumps over the lazy dog, the quick brown fox jumps over the lazy dot",
      "Accept-Encoding: gzip",
      "accept-language: en",
      "HOST: "
      "WWW.EXAMPLE.ORG/A/VERY/LONG/PATH/WITH/MANY/PARTS?AND=A&QUERY=STRING&THAT=GOES&ON=AND&ON",
      "host: "
      "www.example.org/a/very/long/path/with/many/parts?and=a&query=string&that=goes&on=and&on"};
  std::memset(memory.data(), 0, memory.size());
  for (std::size_t i = 0; i < kStrings.size(); ++i)
    std::memcpy(memory.data() + 128 * i, kStrings[i].data(), kStrings[i].size());
}

/// Writes one packet's headers, front to back, over the random bytes of its slot.
class PacketWriter {
 public:
  explicit PacketWriter(std::span<u8> slot) : slot_(slot) {}

  PacketWriter& bytes(std::initializer_list<u8> values) {
    for (const u8 value : values) slot_[at_++] = value;
    return *this;
  }
  PacketWriter& skip(std::size_t n) {
    at_ += n;
    return *this;
  }
  PacketWriter& type(u16 ether_type) {
    return bytes({static_cast<u8>(ether_type >> 8), static_cast<u8>(ether_type)});
  }
  PacketWriter& ipv4(u8 protocol, u8 header_words, u8 fragment = 0) {
    return bytes({static_cast<u8>(0x40 | header_words), 0})
        .skip(4)
        .bytes({0x40, fragment, 64, protocol})
        .skip(header_words * 4u - 10);
  }
  PacketWriter& ipv6(u8 next) { return bytes({0x60}).skip(5).bytes({next}).skip(33); }
  PacketWriter& tcp(u8 header_words) {
    return skip(12).bytes({static_cast<u8>(header_words << 4), 0x12}).skip(6);
  }

 private:
  std::span<u8> slot_;
  std::size_t at_ = 12;
};

void fill_packets(std::span<u8> memory) {
  fill_random(memory, 5);
  auto slot = [&](std::size_t i) { return PacketWriter(memory.subspan(128 * i, 128)); };
  slot(0)
      .type(0x0800)
      .ipv4(6, 5)
      .tcp(10)
      .bytes({2, 4, 5, 180, 4, 2, 8, 10})
      .skip(8)
      .bytes({1, 3, 3, 7});
  slot(1).type(0x0800).ipv4(17, 5);
  slot(2).type(0x8100).skip(2).type(0x0800).ipv4(6, 5).tcp(5);
  slot(3).type(0x88a8).skip(2).type(0x8100).skip(2).type(0x86dd).ipv6(17);
  slot(4).type(0x86dd).ipv6(6).tcp(8).bytes({1, 1, 3, 3, 9, 2, 4, 2, 48, 0});
  slot(5).type(0x86dd).ipv6(0).bytes({60, 0}).skip(6).bytes({6, 1}).skip(14).tcp(5);
  slot(6).type(0x0806);
  slot(7).type(0x0800).ipv4(6, 8).tcp(6).bytes({2, 4, 2, 24});
  slot(8).type(0x0800).ipv4(6, 5, 9);
  slot(9).type(0x0800).ipv4(1, 5);
  slot(10).type(0x0800).ipv4(6, 5).tcp(3);
  slot(11).type(0x0800).ipv4(6, 5).tcp(7).bytes({5, 1, 0, 0});
  slot(12).type(0x0800).ipv4(17, 15);
  slot(13).type(0x86dd).ipv6(58);
  slot(14).type(0x0800).ipv4(6, 5).tcp(15).bytes({1, 1, 8, 10}).skip(8).bytes({4, 2, 3, 3, 2, 0});
}

}  // namespace

void fill(std::string_view name, std::span<u8> memory) {
  if (name == "trial_division") return fill_trial_division(memory);
  if (name == "bytecode") return fill_bytecode(memory);
  if (name == "casefold") return fill_casefold(memory);
  if (name == "packet_parser") return fill_packets(memory);
  fill_random(memory, name.size());
}

}  // namespace skep::programs
