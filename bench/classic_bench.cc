// SPDX-License-Identifier: Apache-2.0
// Classic filters: libpcap's interpreter, our switch and our threaded machine, one and the same
// program on each, for ten expressions over 16,384 mixed packets of at most 96 bytes. Prints
// nanoseconds a packet and ratios; the geometric means are of the first nine expressions.
//   classic_bench [--rounds N]   default 41
#include <pcap/pcap.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "bench/measure.h"
#include "cbpf/switch_vm.h"
#include "cbpf/threaded_vm.h"
#include "tests/support/packets.h"

namespace skep {
namespace {

using cbpf::Op;
using cbpf::Program;
using cbpf::RawInsn;
using cbpf::Threaded;

constexpr std::size_t kPackets = 16384;
constexpr u32 kSnapLength = 96;

// The packets in one block of memory, as a capture's buffer has them.
struct Traffic {
  struct Item {
    std::size_t offset;
    u32 size;
    u32 wire_length;
  };
  std::vector<u8> block;
  std::vector<Item> items;

  Bytes bytes(const Item& item) const { return {block.data() + item.offset, item.size}; }
};

Traffic make_traffic() {
  Traffic traffic;
  for (const testing::TestPacket& p : testing::mixed_packets(2011, kPackets, kSnapLength)) {
    traffic.items.push_back(
        {traffic.block.size(), static_cast<u32>(p.bytes.size()), p.wire_length});
    traffic.block.insert(traffic.block.end(), p.bytes.begin(), p.bytes.end());
  }
  return traffic;
}

// An expression compiled for Ethernet by libpcap, with its optimiser.
class Compiled {
 public:
  explicit Compiled(const std::string& expression) {
    pcap_t* dead = pcap_open_dead(DLT_EN10MB, 262144);
    if (pcap_compile(dead, &program_, expression.c_str(), 1, PCAP_NETMASK_UNKNOWN) != 0) {
      std::fprintf(stderr, "%s: %s\n", expression.c_str(), pcap_geterr(dead));
      std::exit(1);
    }
    pcap_close(dead);
  }
  Compiled(const Compiled&) = delete;
  ~Compiled() { pcap_freecode(&program_); }

  const bpf_insn* insns() const { return program_.bf_insns; }
  std::vector<RawInsn> raw() const {
    std::vector<RawInsn> raw;
    for (u32 i = 0; i < program_.bf_len; ++i) {
      const bpf_insn& insn = program_.bf_insns[i];
      raw.push_back({insn.code, insn.jt, insn.jf, insn.k});
    }
    return raw;
  }

 private:
  bpf_program program_{};
};

Program checked(const Compiled& compiled) {
  Result<Program> program = cbpf::check(compiled.raw(), cbpf::Rules::Libpcap);
  if (!program) {
    std::fprintf(stderr, "%s\n", to_string(program.error()).c_str());
    std::exit(1);
  }
  return std::move(*program);
}

struct Row {
  double libpcap, plain, threaded;
  std::size_t matches;
};

Row measure(const Traffic& traffic, const std::string& expression, int rounds) {
  const Compiled compiled(expression);
  const Program program = checked(compiled);
  const Result<Threaded> threaded = Threaded::decode(program);
  std::size_t matches[3] = {};
  const auto over_all = [&traffic](std::size_t& count, auto run) {
    return [&traffic, &count, run] {
      count = 0;
      for (const Traffic::Item& item : traffic.items)
        count += run(traffic.bytes(item), item.wire_length) != 0;
      bench::keep(count);
    };
  };
  const std::vector<double> ns = bench::median_ns(
      {over_all(matches[0],
                [insns = compiled.insns()](Bytes bytes, u32 wire) {
                  return bpf_filter(insns, bytes.data(), wire, static_cast<u32>(bytes.size()));
                }),
       over_all(matches[1],
                [&](Bytes bytes, u32 wire) { return cbpf::run_switch(program, bytes, wire); }),
       over_all(matches[2], [&](Bytes bytes, u32 wire) { return threaded->run(bytes, wire); })},
      rounds);
  if (matches[0] != matches[1] || matches[0] != matches[2]) {
    std::fprintf(stderr, "%s: the engines disagree\n", expression.c_str());
    std::exit(1);
  }
  return {ns[0] / kPackets, ns[1] / kPackets, ns[2] / kPackets, matches[0]};
}

void print_ratios(const Traffic& traffic, int rounds) {
  std::printf("%-26s %7s | ns a packet %21s | %s\n", "expression", "matches", "", "times faster");
  std::printf("%-26s %7s | %8s %8s %8s | %8s %8s %8s\n", "", "", "libpcap", "switch", "threaded",
              "t/libpcap", "t/switch", "s/libpcap");
  std::vector<double> over_libpcap, over_switch, switch_over_libpcap;
  for (const std::string& expression : testing::ten_expressions()) {
    const Row row = measure(traffic, expression, rounds);
    std::printf("%-26.26s %7zu | %8.1f %8.1f %8.1f | %8.2f  %8.2f %8.2f\n", expression.c_str(),
                row.matches, row.libpcap, row.plain, row.threaded, row.libpcap / row.threaded,
                row.plain / row.threaded, row.libpcap / row.plain);
    if (over_libpcap.size() == 9) continue;
    over_libpcap.push_back(row.libpcap / row.threaded);
    over_switch.push_back(row.plain / row.threaded);
    switch_over_libpcap.push_back(row.libpcap / row.plain);
  }
  std::printf("%-26s %7s | %26s | %8.2f  %8.2f %8.2f\n", "geometric mean, first nine", "", "",
              bench::geometric_mean(over_libpcap), bench::geometric_mean(over_switch),
              bench::geometric_mean(switch_over_libpcap));
}

}  // namespace
}  // namespace skep

int main(int argc, char** argv) {
  int rounds = 41;
  if (argc == 3 && std::strcmp(argv[1], "--rounds") == 0) rounds = std::atoi(argv[2]);
  skep::print_ratios(skep::make_traffic(), rounds);
}
