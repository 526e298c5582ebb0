// SPDX-License-Identifier: Apache-2.0
// Programs with literal results, for both virtual machines' tests.
#pragma once

#include <string>
#include <vector>

#include "cbpf/check.h"
#include "cbpf/metadata.h"

namespace skep::cbpf {

/// One program, what it runs on, and what it returns.
struct VmCase {
  std::string name;
  Rules rules;
  std::vector<RawInsn> raw;
  u32 expected;
};

/// The packet of all cases: 20 bytes, 0x10, 0x11, ...; 60 on the wire.
inline std::vector<u8> vm_packet() {
  std::vector<u8> bytes(20);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<u8>(0x10 + i);
  return bytes;
}
constexpr u32 kVmWireLength = 60;

/// The metadata of all cases: every field has another value.
inline Metadata vm_metadata() {
  Metadata m;
  m.protocol = 101, m.packet_type = 102, m.ifindex = 103, m.mark = 104, m.queue = 105;
  m.hardware_type = 106, m.rx_hash = 107, m.cpu = 108, m.vlan_tci = 109, m.vlan_present = 110;
  m.vlan_tpid = 111, m.payload_offset = 112, m.random = 113, m.network_offset = 4;
  return m;
}

constexpr RawInsn kRetA{0x16, 0, 0, 0};
constexpr RawInsn kRet99{0x06, 0, 0, 99};

inline std::vector<VmCase> vm_cases() {
  std::vector<VmCase> cases;
  const auto add = [&cases](const char* name, Rules rules, std::vector<RawInsn> raw, u32 expected) {
    cases.push_back({name, rules, std::move(raw), expected});
  };
  for (Rules rules : {Rules::Linux, Rules::Libpcap}) {
    add("ld word", rules, {{0x20, 0, 0, 1}, kRetA}, 0x11121314);
    add("ld half at the end", rules, {{0x28, 0, 0, 18}, kRetA}, 0x2223);
    add("ld half over the end", rules, {{0x28, 0, 0, 19}, kRet99}, 0);
    add("ld byte", rules, {{0x30, 0, 0, 19}, kRetA}, 0x23);
    add("ld byte over the end", rules, {{0x30, 0, 0, 20}, kRet99}, 0);
    add("ld word far away", rules, {{0x20, 0, 0, 0x7fffffff}, kRet99}, 0);
    add("ld [x + k]", rules, {{0x01, 0, 0, 4}, {0x50, 0, 0, 3}, kRetA}, 0x17);
    add("ld half [x + k]", rules, {{0x01, 0, 0, 4}, {0x48, 0, 0, 3}, kRetA}, 0x1718);
    add("ld word [x + k]", rules, {{0x01, 0, 0, 4}, {0x40, 0, 0, 3}, kRetA}, 0x1718191a);
    add("ld [x + k] over the end", rules, {{0x01, 0, 0, 17}, {0x50, 0, 0, 3}, kRet99}, 0);
    add("ldxb msh", rules, {{0xb1, 0, 0, 5}, {0x87, 0, 0, 0}, kRetA}, 20);
    add("ldxb msh over the end", rules, {{0xb1, 0, 0, 20}, kRet99}, 0);
    add("ld len", rules, {{0x80, 0, 0, 0}, kRetA}, 60);
    add("ldx len", rules, {{0x81, 0, 0, 0}, {0x87, 0, 0, 0}, kRetA}, 60);
    add("st, ldx M, stx, ld M", rules,
        {{0x00, 0, 0, 7},
         {0x02, 0, 0, 15},
         {0x61, 0, 0, 15},
         {0x03, 0, 0, 0},
         {0x60, 0, 0, 0},
         kRetA},
        7);
    add("neg", rules, {{0x00, 0, 0, 5}, {0x84, 0, 0, 0}, kRetA}, 0xfffffffb);
    add("tax", rules, {{0x00, 0, 0, 5}, {0x07, 0, 0, 0}, {0x0c, 0, 0, 0}, kRetA}, 10);
    add("div by x", rules, {{0x00, 0, 0, 50}, {0x01, 0, 0, 7}, {0x3c, 0, 0, 0}, kRetA}, 7);
    add("mod by x", rules, {{0x00, 0, 0, 50}, {0x01, 0, 0, 7}, {0x9c, 0, 0, 0}, kRetA}, 1);
    add("div by x = 0", rules, {{0x00, 0, 0, 50}, {0x3c, 0, 0, 0}, kRet99}, 0);
    add("mod by x = 0", rules, {{0x00, 0, 0, 50}, {0x9c, 0, 0, 0}, kRet99}, 0);
    add("jumps forward", rules,
        {{0x05, 0, 0, 1}, {0x06, 0, 0, 1}, {0x15, 0, 1, 0}, kRet99, {0x06, 0, 0, 2}}, 99);
    add("fused load and jump, taken", rules,
        {{0x28, 0, 0, 2}, {0x15, 1, 0, 0x1213}, {0x06, 0, 0, 1}, kRetA}, 0x1213);
    add("fused load and jump, not taken", rules,
        {{0x28, 0, 0, 2}, {0x25, 1, 0, 0x1213}, {0x06, 0, 0, 1}, kRetA}, 1);
    add("jump into a fused pair", rules,
        {{0x00, 0, 0, 0x1213},
         {0x05, 0, 0, 1},
         {0x28, 0, 0, 0},
         {0x15, 0, 1, 0x1213},
         kRet99,
         {0x06, 0, 0, 1}},
        99);
    add("fused load over the end", rules, {{0x20, 0, 0, 17}, {0x15, 0, 0, 0}, kRet99}, 0);
    add("load, mask, compare", rules,
        {{0x20, 0, 0, 0}, {0x54, 0, 0, 0xffffff00}, {0x15, 0, 1, 0x10111200}, kRetA, kRet99},
        0x10111200);
    add("mask, compare", rules,
        {{0x30, 0, 0, 3}, {0x54, 0, 0, 0xf0}, {0x15, 0, 1, 0x10}, kRetA, kRet99}, 0x10);
  }
  add("lsh by x >= 32 is masked", Rules::Linux,
      {{0x00, 0, 0, 1}, {0x01, 0, 0, 33}, {0x6c, 0, 0, 0}, kRetA}, 2);
  add("lsh by x >= 32 gives 0", Rules::Libpcap,
      {{0x00, 0, 0, 1}, {0x01, 0, 0, 33}, {0x6c, 0, 0, 0}, kRetA}, 0);
  add("rsh by x >= 32 is masked", Rules::Linux,
      {{0x00, 0, 0, 4}, {0x01, 0, 0, 33}, {0x7c, 0, 0, 0}, kRetA}, 2);
  add("rsh by x >= 32 gives 0", Rules::Libpcap,
      {{0x00, 0, 0, 4}, {0x01, 0, 0, 33}, {0x7c, 0, 0, 0}, kRetA}, 0);
  add("lsh by k >= 32 gives 0", Rules::Libpcap, {{0x00, 0, 0, 1}, {0x64, 0, 0, 32}, kRetA}, 0);
  add("x + k wraps", Rules::Linux, {{0x01, 0, 0, 0xfffffffe}, {0x50, 0, 0, 3}, kRetA}, 0x11);
  add("x + k wraps in a fused pair", Rules::Linux,
      {{0x01, 0, 0, 0xfffffffe}, {0x50, 0, 0, 3}, {0x15, 0, 1, 0x11}, kRetA, kRet99}, 0x11);
  add("x + k does not wrap", Rules::Libpcap, {{0x01, 0, 0, 0xfffffffe}, {0x50, 0, 0, 3}, kRet99},
      0);
  add("SKF_NET_OFF", Rules::Linux, {{0x28, 0, 0, 0xfff00001}, kRetA}, 0x1516);
  add("SKF_NET_OFF in a fused pair", Rules::Linux,
      {{0x28, 0, 0, 0xfff00001}, {0x15, 0, 1, 0x1516}, kRetA, kRet99}, 0x1516);
  add("SKF_LL_OFF", Rules::Linux, {{0x20, 0, 0, 0xffe00000}, kRetA}, 0x10111213);
  add("SKF_NET_OFF + x", Rules::Linux, {{0x01, 0, 0, 3}, {0x50, 0, 0, 0xfff00000}, kRetA}, 0x17);
  add("ldxb at SKF_NET_OFF", Rules::Linux, {{0xb1, 0, 0, 0xfff00000}, {0x87, 0, 0, 0}, kRetA}, 16);
  add("negative offset", Rules::Libpcap, {{0x20, 0, 0, 0xffe00000}, kRet99}, 0);
  add("ancillary load", Rules::Libpcap, {{0x20, 0, 0, 0xfffff000}, kRet99}, 0);
  constexpr u32 kAncillary[][2] = {{0, 101},  {4, 102},  {8, 103},  {20, 104}, {24, 105},
                                   {28, 106}, {32, 107}, {36, 108}, {44, 109}, {48, 110},
                                   {60, 111}, {52, 112}, {56, 113}};
  for (const auto& [number, value] : kAncillary)
    add("ancillary", Rules::Linux, {{0x28, 0, 0, 0xfffff000 + number}, kRetA}, value);
  add("accumulator ^= x", Rules::Linux,
      {{0x00, 0, 0, 10}, {0x01, 0, 0, 300}, {0x20, 0, 0, 0xfffff028}, kRetA}, 294);
  add("no netlink attribute", Rules::Linux,
      {{0x00, 0, 0, 0}, {0x20, 0, 0, 0xfffff00c}, {0x04, 0, 0, 5}, kRetA}, 5);
  add("loop on a budget", Rules::Libpcap, {{0x04, 0, 0, 1}, {0x05, 0, 0, 0xfffffffe}, kRet99}, 0);
  add("loop that ends", Rules::Libpcap,
      {{0x04, 0, 0, 1}, {0x35, 1, 0, 50}, {0x05, 0, 0, 0xfffffffd}, kRetA}, 50);
  add("scratch memory starts as zeros", Rules::Libpcap,
      {{0x00, 0, 0, 5}, {0x60, 0, 0, 9}, {0x0c, 0, 0, 0}, kRetA}, 0);
  add("seccomp word", Rules::Seccomp, {{0x20, 0, 0, 4}, {0x15, 0, 0, 0}, kRetA}, 0);
  add("seccomp length", Rules::Seccomp, {{0x80, 0, 0, 0}, {0x81, 0, 0, 0}, {0x0c, 0, 0, 0}, kRetA},
      128);
  return cases;
}

}  // namespace skep::cbpf
