// SPDX-License-Identifier: Apache-2.0
// A packet parser: 16 packets in slots of 128 bytes; Ethernet, up to two VLAN tags, IPv4 with
// options or IPv6 with up to two extension headers, then TCP (with its options: segment size and
// window scale) or UDP. What is found is mixed into one number. Byte loads, network byte order,
// variable offsets and many small branches.
#pragma once

#include "types.h"

#define PACKET_PARSER_BYTES 2048
#define PACKET_PARSER_SLOT 128

PROGRAM_INLINE u32 network16(const u8* p) {
  return (u32)p[0] << 8 | p[1];
}
PROGRAM_INLINE u32 network32(const u8* p) {
  return network16(p) << 16 | network16(p + 2);
}

PROGRAM_INLINE u64 mix(u64 hash, u64 x) {
  return (hash ^ x) * 0x100000001b3ULL;
}

PROGRAM_INLINE u64 parse_tcp_options(const u8* packet, u32 at, u32 end, u64 hash) {
  for (u32 i = 0; i < 6; i++) {
    if (at >= end || at > PACKET_PARSER_SLOT - 4) break;
    const u8* option = packet + at;
    if (option[0] == 0) break;
    if (option[0] == 1) {
      at += 1;
      continue;
    }
    if (option[0] == 2) hash = mix(hash, network16(option + 2));
    if (option[0] == 3) hash = mix(hash, option[2]);
    if (option[1] < 2) return mix(hash, 0xbad);
    at += option[1];
  }
  return hash;
}

PROGRAM_INLINE u64 parse_transport(const u8* packet, u32 at, u32 protocol, u64 hash) {
  if (at > PACKET_PARSER_SLOT - 20) return mix(hash, protocol);
  const u8* p = packet + at;
  if (protocol == 17) return mix(mix(hash, network32(p)), network16(p + 4));
  if (protocol != 6) return mix(hash, protocol);
  hash = mix(mix(hash, network32(p)), p[13]);
  const u32 header_bytes = (p[12] >> 4) * 4u;
  if (header_bytes < 20) return mix(hash, 0xbad);
  return parse_tcp_options(packet, at + 20, at + header_bytes, hash);
}

PROGRAM_INLINE u64 parse_ipv4(const u8* packet, u32 at, u64 hash) {
  const u8* ip = packet + at;
  const u32 header_bytes = (ip[0] & 15) * 4u;
  if (ip[0] >> 4 != 4 || header_bytes < 20) return mix(hash, 0xbad);
  hash = mix(mix(hash, network32(ip + 12)), network32(ip + 16));
  if ((network16(ip + 6) & 0x1fff) != 0) return mix(hash, 0xf7a6);
  return parse_transport(packet, at + header_bytes, ip[9], hash);
}

PROGRAM_INLINE u64 parse_ipv6(const u8* packet, u32 at, u64 hash) {
  const u8* ip = packet + at;
  if (ip[0] >> 4 != 6) return mix(hash, 0xbad);
  for (u32 i = 8; i < 40; i += 4) hash = mix(hash, network32(ip + i));
  u32 next = ip[6];
  at += 40;
  for (u32 i = 0; i < 2; i++) {
    if (next != 0 && next != 60) break;
    if (at > PACKET_PARSER_SLOT - 8) return mix(hash, 0xbad);
    const u8* extension = packet + at;
    next = extension[0];
    at += 8 * (extension[1] & 7u) + 8;
  }
  return parse_transport(packet, at, next, hash);
}

PROGRAM_INLINE u64 parse_packet(const u8* packet, u64 hash) {
  u32 type = network16(packet + 12);
  u32 at = 14;
  for (u32 i = 0; i < 2; i++) {
    if (type != 0x8100 && type != 0x88a8) break;
    hash = mix(hash, network16(packet + at) & 0xfff);
    type = network16(packet + at + 2);
    at += 4;
  }
  if (type == 0x0800) return parse_ipv4(packet, at, hash);
  if (type == 0x86dd) return parse_ipv6(packet, at, hash);
  return mix(hash, type);
}

PROGRAM_INLINE u64 packet_parser(const u8* mem, u32 len) {
  if (len < PACKET_PARSER_BYTES) return 0;
  u64 hash = 0xcbf29ce484222325ULL;
  for (u32 i = 0; i < PACKET_PARSER_BYTES; i += PACKET_PARSER_SLOT)
    hash = parse_packet(mem + opaque(i), hash);
  return hash;
}
