#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Whatever the input's form, `skep filter` writes the bytes that tcpdump writes.
. "$(dirname "$0")/common.sh"
need tcpdump

$SKEP_GEN --count 3000 plain.pcap || fail generator
$SKEP_GEN --count 3000 --snaplen 96 cut.pcap || fail generator
$SKEP_GEN --count 1000 --format pcap-nano nano.pcap || fail generator
$SKEP_GEN --count 1000 --format pcapng ng.pcapng || fail generator

while read -r expression; do
  for file in plain.pcap cut.pcap ng.pcapng; do
    dump -r $file -w expected "$expression" 2>/dev/null || fail "tcpdump: $expression"
    for engine in switch threaded libpcap; do
      expect 0 $SKEP filter --engine $engine "$expression" -r $file -w got
      same expected got
    done
    expect 0 $SKEP filter -O -r $file -w got -- "$expression"
    same expected got
  done
done <<'END'
net 192.168.2.0/24
tcp port 80
host 10.0.0.1 and tcp[tcpflags] & (tcp-syn|tcp-fin) != 0
ip6 and udp port 53
vlan and ip
portrange 6000-6008
greater 512
tcp port 80 and (((ip[2:2] - ((ip[0]&0xf)<<2)) - ((tcp[12]&0xf0)>>2)) != 0)
tcp[((tcp[12:1] & 0xf0) >> 2):4] = 0x47455420

END

# Words of an expression are joined; both precisions; nanoseconds are kept without being asked.
for precision in micro nano; do
  dump --time-stamp-precision=$precision -r nano.pcap -w expected tcp port 80 2>/dev/null
  expect 0 $SKEP filter --time-stamp-precision $precision -r nano.pcap -w got tcp port 80
  same expected got
  dump --time-stamp-precision=$precision -r plain.pcap -w expected 2>/dev/null
  expect 0 $SKEP filter --$precision -r plain.pcap -w got
  same expected got
done
expect 0 $SKEP filter -r nano.pcap -w got
same nano.pcap got

# Compressed, and from standard input.
dump -r plain.pcap -w expected udp 2>/dev/null
gzip -k plain.pcap
compressed=plain.pcap.gz
if command -v zstd >/dev/null; then zstd -q plain.pcap && compressed="$compressed plain.pcap.zst"; fi
for file in plain.pcap $compressed; do
  expect 0 $SKEP filter udp -r $file -w got
  same expected got
  $SKEP filter udp -r - -w - <$file >got || fail "standard input: $file"
  same expected got
done
