#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# examples/mixed.pcap is what the generator makes, on every machine, and is filtered to known counts by every engine.
. "$(dirname "$0")/common.sh"
shipped=$SKEP_SOURCE/examples/mixed.pcap

expect 0 $SKEP_GEN --seed 11 --count 2000 --snaplen 96 again.pcap
same again.pcap "$shipped"

# Counts that tcpdump 4.99 printed.
while read -r packets expression; do
  for engine in switch threaded libpcap; do
    expect 0 $SKEP filter -r "$shipped" --engine $engine --count "$expression"
    [ "$(cat out)" = "$packets" ] || fail "$engine: $(cat out) packets instead of $packets: $expression"
  done
done <<'END'
662 net 192.168.2.0/24
225 tcp port 80
58 host 10.0.0.1 and tcp[tcpflags] & (tcp-syn|tcp-fin) != 0
21 ip6 and udp port 53
121 vlan and ip
131 portrange 6000-6008
374 greater 512
118 tcp port 80 and (((ip[2:2] - ((ip[0]&0xf)<<2)) - ((tcp[12]&0xf0)>>2)) != 0)
125 tcp[((tcp[12:1] & 0xf0) >> 2):4] = 0x47455420
END
