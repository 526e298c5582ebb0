// SPDX-License-Identifier: Apache-2.0
// The traffic generator: a frame is built layer by layer into one vector of bytes.
#include "tests/support/packets.h"

#include "support/bytes.h"

namespace skep::testing {
namespace {

constexpr u32 kMinFrame = 60;
constexpr u32 kMaxFrame = 1514;
constexpr u16 kIpv4 = 0x0800, kArp = 0x0806, kVlan = 0x8100, kIpv6 = 0x86dd;
constexpr u8 kIcmp = 1, kTcp = 6, kUdp = 17, kHopByHop = 0, kIcmp6 = 58;
constexpr u8 kFin = 1, kSyn = 2, kPush = 8, kAck = 16;

class Frame {
 public:
  void put8(u32 x) { bytes_.push_back(static_cast<u8>(x)); }
  void put16(u32 x) {
    put8(x >> 8);
    put8(x & 0xff);
  }
  void put32(u32 x) {
    put16(x >> 16);
    put16(x & 0xffff);
  }
  void put_text(const char* text) {
    for (; *text != 0; ++text) put8(static_cast<u8>(*text));
  }
  void patch16(std::size_t at, std::size_t x) {
    store_be<u16>(bytes_.data() + at, static_cast<u16>(x));
  }
  std::size_t size() const { return bytes_.size(); }
  std::vector<u8> take() { return std::move(bytes_); }

 private:
  std::vector<u8> bytes_;
};

// Mostly hosts of a few networks, so that filters on networks and hosts match some.
u32 address(Random& random) {
  switch (random.below(8)) {
    case 0:
    case 1: return 0xc0a80200 | random.below(256);  // 192.168.2.0/24
    case 2:
    case 3: return 0xc0a80000 | random.below(65536);  // 192.168.0.0/16
    case 4: return 0x0a000001;                        // 10.0.0.1
    case 5: return 0x0a000000 | random.below(128);    // 10.0.0.0/25, with the 50 hosts
    default: return random.word();
  }
}

u32 port(Random& random) {
  constexpr u32 kKnown[] = {80, 80, 80, 443, 443, 22, 53, 53, 8080, 123};
  if (random.chance(45)) return random.pick(kKnown);
  if (random.chance(15)) return random.between(5998, 6012);
  return random.between(1024, 65535);
}

u32 payload_size(Random& random) {
  if (random.chance(35)) return 0;
  return random.chance(50) ? random.below(200) : random.below(1400);
}

void put_payload(Frame& frame, Random& random, u32 size) {
  for (u32 i = 0; i < size && frame.size() < kMaxFrame; ++i) frame.put8(random.word() & 0xff);
}

void put_tcp(Frame& frame, Random& random) {
  const u32 options = random.chance(50) ? 12 : 0;
  constexpr u32 kFlags[] = {kAck,         kAck, kAck,        kAck | kPush,
                            kAck | kPush, kSyn, kSyn | kAck, kFin | kAck};
  frame.put16(port(random));
  frame.put16(port(random));
  frame.put32(random.word());
  frame.put32(random.word());
  frame.put8((20 + options) / 4 << 4);
  frame.put8(random.pick(kFlags));
  frame.put16(random.word() & 0xffff);
  frame.put32(random.word());  // checksum and urgent pointer, as made up as the rest
  for (u32 i = 0; i < options; i += 4) frame.put32(0x01010100 | i);
  const u32 size = payload_size(random);
  if (size != 0 && random.chance(25)) frame.put_text("GET / HTTP/1.1\r\nHost: example\r\n\r\n");
  put_payload(frame, random, size);
}

void put_udp(Frame& frame, Random& random) {
  const u32 size = payload_size(random);
  frame.put16(port(random));
  frame.put16(port(random));
  frame.put16(8 + size);
  frame.put16(random.word() & 0xffff);
  put_payload(frame, random, size);
}

void put_echo(Frame& frame, Random& random, u32 type) {
  frame.put8(type);
  frame.put8(0);
  frame.put16(random.word() & 0xffff);
  frame.put32(random.word());
  put_payload(frame, random, random.below(64));
}

void put_transport(Frame& frame, Random& random, u8 protocol, u32 echo_type) {
  if (protocol == kTcp)
    put_tcp(frame, random);
  else if (protocol == kUdp)
    put_udp(frame, random);
  else
    put_echo(frame, random, echo_type);
}

u8 transport(Random& random, u8 echo) {
  const u32 dice = random.below(10);
  return dice < 6 ? kTcp : dice < 9 ? kUdp : echo;
}

void put_ipv4(Frame& frame, Random& random) {
  const std::size_t start = frame.size();
  const u32 options = random.chance(5) ? 4 * random.between(1, 3) : 0;
  const u8 protocol = transport(random, kIcmp);
  const u32 fragment = random.chance(4) ? random.below(180) : random.chance(50) ? 0x4000 : 0;
  frame.put8(0x45 + options / 4);
  frame.put8(0);
  frame.put16(0);  // length, below
  frame.put16(random.word() & 0xffff);
  frame.put16(fragment);
  frame.put8(64);
  frame.put8(protocol);
  frame.put16(random.word() & 0xffff);
  frame.put32(address(random));
  frame.put32(address(random));
  for (u32 i = 0; i < options; i += 4) frame.put32(0x01010101);
  put_transport(frame, random, protocol, 8);
  frame.patch16(start + 2, frame.size() - start);
}

void put_ipv6(Frame& frame, Random& random) {
  const std::size_t start = frame.size();
  constexpr std::size_t kHeader = 40;
  const u8 protocol = transport(random, kIcmp6);
  const bool extension = random.chance(8);
  frame.put32(0x60000000 | random.below(1 << 20));
  frame.put16(0);  // length, below
  frame.put8(extension ? kHopByHop : protocol);
  frame.put8(64);
  for (int side = 0; side < 2; ++side) {
    frame.put32(0x20010db8);
    frame.put32(random.below(4));
    frame.put32(0);
    frame.put32(random.below(1000));
  }
  if (extension) {
    frame.put8(protocol);
    frame.put8(0);
    frame.put16(0x0502);
    frame.put32(0x01020000);
  }
  put_transport(frame, random, protocol, 128);
  frame.patch16(start + 4, frame.size() - start - kHeader);
}

void put_arp(Frame& frame, Random& random) {
  frame.put32(0x00010800);
  frame.put16(0x0604);
  frame.put16(random.between(1, 2));
  for (int side = 0; side < 2; ++side) {
    frame.put16(0x0200);
    frame.put32(random.word());
    frame.put32(address(random));
  }
}

}  // namespace

TestPacket mixed_packet(Random& random, u32 snap_length) {
  Frame frame;
  for (int side = 0; side < 2; ++side) {
    frame.put16(0x0200);  // locally administered
    frame.put32(random.below(200));
  }
  if (random.chance(8)) {
    frame.put16(kVlan);
    frame.put16(random.between(1, 4094));
  }
  const u32 dice = random.below(100);
  if (dice < 5) {
    frame.put16(kArp);
    put_arp(frame, random);
  } else if (dice < 22) {
    frame.put16(kIpv6);
    put_ipv6(frame, random);
  } else if (dice < 98) {
    frame.put16(kIpv4);
    put_ipv4(frame, random);
  } else {
    frame.put16(random.between(0x600, 0xffff));
    put_payload(frame, random, random.below(100));
  }
  while (frame.size() < kMinFrame) frame.put8(0);
  TestPacket packet;
  packet.wire_length = static_cast<u32>(frame.size());
  packet.bytes = frame.take();
  if (packet.bytes.size() > snap_length) packet.bytes.resize(snap_length);
  return packet;
}

std::vector<TestPacket> mixed_packets(u64 seed, std::size_t count, u32 snap_length) {
  Random random(seed);
  std::vector<TestPacket> packets;
  packets.reserve(count);
  while (packets.size() < count) packets.push_back(mixed_packet(random, snap_length));
  return packets;
}

std::vector<std::string> ten_expressions() {
  std::string hosts;
  for (int i = 0; i < 50; ++i)
    hosts += (i == 0 ? "host 10.0.0." : " or host 10.0.0.") + std::to_string(2 * i + 3);
  return {"net 192.168.2.0/24",
          "tcp port 80",
          "host 10.0.0.1 and tcp[tcpflags] & (tcp-syn|tcp-fin) != 0",
          "ip6 and udp port 53",
          "vlan and ip",
          "portrange 6000-6008",
          "greater 512",
          "tcp port 80 and (((ip[2:2] - ((ip[0]&0xf)<<2)) - ((tcp[12]&0xf0)>>2)) != 0)",
          "tcp[((tcp[12:1] & 0xf0) >> 2):4] = 0x47455420",
          hosts};
}

}  // namespace skep::testing
