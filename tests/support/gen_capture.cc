// SPDX-License-Identifier: Apache-2.0
// skep-gen-capture: writes made-up traffic to a capture file, the same for the same arguments.
//   skep-gen-capture [--seed N] [--count N] [--bytes N] [--snaplen N] [--format FORMAT] FILE
// FORMAT: pcap (the default), pcap-nano, pcapng, or pcapng-mixed, where every third packet is on a
// second interface of link type RAW. Stops after N packets or when the file has N bytes.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "capture/output_file.h"
#include "capture/packet.h"
#include "capture/writer.h"
#include "tests/support/packets.h"

namespace {

using namespace skep;
using capture::FileFormat;
using capture::Precision;

constexpr u32 kLinkRaw = 101;
constexpr std::size_t kEthernetHeader = 14;

struct Arguments {
  u64 seed = 1;
  u64 count = 1000;
  u64 bytes = ~u64{0};
  u32 snaplen = 65535;
  std::string format = "pcap";
  std::string path;
};

bool parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.rfind("--", 0) != 0) {
      arguments.path = word;
      continue;
    }
    if (++i == argc) return false;
    const u64 number = std::strtoull(argv[i], nullptr, 0);
    if (word == "--seed") {
      arguments.seed = number;
    } else if (word == "--count") {
      arguments.count = number;
    } else if (word == "--bytes") {
      arguments.bytes = number;
      arguments.count = ~u64{0};
    } else if (word == "--snaplen") {
      arguments.snaplen = static_cast<u32>(number);
    } else if (word == "--format") {
      arguments.format = argv[i];
    } else {
      return false;
    }
  }
  return !arguments.path.empty();
}

// The section as a pcap file of two interfaces would be; the writer makes pcapng blocks from it.
capture::Section section_for(const Arguments& arguments) {
  capture::Section section;
  section.number = 1;
  const auto precision = arguments.format == "pcap-nano" ? Precision::Nano : Precision::Micro;
  section.interfaces.push_back(
      {.linktype = 1, .snaplen = arguments.snaplen, .precision = precision, .raw_block = {}});
  if (arguments.format == "pcapng-mixed") {
    section.interfaces.push_back({.linktype = kLinkRaw,
                                  .snaplen = arguments.snaplen,
                                  .precision = precision,
                                  .raw_block = {}});
  }
  return section;
}

bool is_ip(const testing::TestPacket& packet) {
  const u16 type = load_be<u16>(packet.bytes.data() + 12);
  return type == 0x0800 || type == 0x86dd;
}

Status generate(const Arguments& arguments) {
  const capture::Section section = section_for(arguments);
  const bool pcapng = arguments.format.rfind("pcapng", 0) == 0;
  capture::WriterOptions options;
  options.format = pcapng ? FileFormat::Pcapng : FileFormat::Pcap;
  options.precision = section.interfaces[0].precision;
  options.snaplen = arguments.snaplen;
  SKEP_TRY(auto file, capture::OutputFile::create(arguments.path));
  capture::CaptureWriter writer(options);
  writer.start(*file, section);
  testing::Random random(arguments.seed);
  s64 nanoseconds = 0;
  s64 seconds = 1300000000;
  for (u64 i = 0; i < arguments.count && file->size() < arguments.bytes; ++i) {
    const testing::TestPacket made = testing::mixed_packet(random, arguments.snaplen);
    nanoseconds += 1 + random.below(40000);
    seconds += nanoseconds / 1000000000;
    nanoseconds %= 1000000000;
    const bool raw = section.interfaces.size() > 1 && i % 3 == 2 && is_ip(made);
    const std::size_t cut = raw ? kEthernetHeader : 0;
    capture::Packet packet;
    packet.seconds = seconds;
    packet.nanoseconds = nanoseconds;
    packet.data = made.bytes.data() + cut;
    packet.caplen = static_cast<u32>(made.bytes.size() - cut);
    packet.len = static_cast<u32>(made.wire_length - cut);
    packet.interface = raw ? 1 : 0;
    writer.add(packet, section);
    SKEP_TRY_DO(file->settle());
  }
  return file->finish();
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!parse(argc, argv, arguments)) {
    std::fprintf(stderr,
                 "usage: skep-gen-capture [--seed N] [--count N] [--bytes N] [--snaplen N] "
                 "[--format pcap|pcap-nano|pcapng|pcapng-mixed] FILE\n");
    return 2;
  }
  const Status status = generate(arguments);
  if (status) return 0;
  std::fprintf(stderr, "skep-gen-capture: %s\n", to_string(status.error()).c_str());
  return 1;
}
