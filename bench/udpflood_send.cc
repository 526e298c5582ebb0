// SPDX-License-Identifier: Apache-2.0
// The sender of bench/udpflood.py: COUNT datagrams of SIZE bytes to a port of 127.0.0.1 where a
// socket of its own takes and drops them. Prints the CPU time spent, in nanoseconds a packet.
// It sends to the loopback address only.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr long kMostPackets = 20000000;

double cpu_seconds() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// A socket on a free port of 127.0.0.1, with the smallest buffer: what arrives is dropped early.
int open_sink(sockaddr_in& address) {
  const int sink = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const int smallest = 1;
  socklen_t size = sizeof address;
  address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (sink < 0 || setsockopt(sink, SOL_SOCKET, SO_RCVBUF, &smallest, sizeof smallest) != 0 ||
      bind(sink, generic, size) != 0 || getsockname(sink, generic, &size) != 0) {
    std::perror("udpflood_send");
    std::exit(1);
  }
  return sink;
}

}  // namespace

int main(int argc, char** argv) {
  const long count = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 1000000;
  const long size = argc > 2 ? std::strtol(argv[2], nullptr, 10) : 64;
  if (count < 1 || count > kMostPackets || size < 1 || size > 1400) {
    std::fprintf(stderr, "usage: udpflood_send [COUNT (to 20000000) [SIZE (to 1400)]]\n");
    return 2;
  }
  sockaddr_in address = {};
  const int sink = open_sink(address);
  const int sender = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (connect(sender, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    std::perror("udpflood_send");
    return 1;
  }
  const std::vector<char> payload(static_cast<std::size_t>(size), 'x');
  const double before = cpu_seconds();
  long failed = 0;
  for (long i = 0; i < count; ++i) {
    if (send(sender, payload.data(), payload.size(), 0) < 0) ++failed;
  }
  const double spent = cpu_seconds() - before;
  std::printf("%.1f %ld\n", spent * 1e9 / static_cast<double>(count), failed);
  close(sender);
  close(sink);
  return 0;
}
