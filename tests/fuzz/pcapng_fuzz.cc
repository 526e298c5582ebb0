// SPDX-License-Identifier: Apache-2.0
// pcapng files. libpcap refuses several link types or snap lengths in one file, so ours may give
// more packets; those that libpcap gives must be the first of ours.
#include <algorithm>

#include "capture_oracle.h"

using namespace skep;

extern "C" int LLVMFuzzerTestOneInput(const u8* data, std::size_t size) {
  const testing::SeenFile ours = testing::read_with_ours({data, size});
  if (size < 4 || load_le<u32>(data) != 0x0a0d0d0a || !ours.opened) return 0;
  const testing::SeenFile theirs = testing::read_with_libpcap({data, size});
  if (!ours.failed) SKEP_CHECK(ours.packets.size() >= theirs.packets.size());
  const std::size_t common = std::min(ours.packets.size(), theirs.packets.size());
  for (std::size_t i = 0; i < common; ++i) {
    // libpcap's arithmetic overflows for units below 2^-34 s; nanoseconds are for the unit test.
    testing::SeenPacket packet = theirs.packets[i];
    packet.nanoseconds = ours.packets[i].nanoseconds;
    SKEP_CHECK(ours.packets[i] == packet);
  }
  return 0;
}
