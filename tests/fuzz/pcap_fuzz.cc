// SPDX-License-Identifier: Apache-2.0
// pcap files: exactly libpcap's packets, and an error where libpcap has one.
#include "capture_oracle.h"

using namespace skep;

extern "C" int LLVMFuzzerTestOneInput(const u8* data, std::size_t size) {
  if (size < 4) return 0;
  const u32 magic = load_le<u32>(data);
  const auto is_pcap = [](u32 number) { return number == 0xa1b2c3d4 || number == 0xa1b23c4d; };
  if (!is_pcap(magic) && !is_pcap(byteswap(magic))) {
    static_cast<void>(testing::read_with_ours({data, size}));
    return 0;
  }
  const testing::SeenFile ours = testing::read_with_ours({data, size});
  const testing::SeenFile theirs = testing::read_with_libpcap({data, size});
  SKEP_CHECK(ours.opened == theirs.opened);
  SKEP_CHECK(ours.packets == theirs.packets);
  SKEP_CHECK(!ours.opened || ours.failed == theirs.failed);
  return 0;
}
