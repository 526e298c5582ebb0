#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The options of `skep filter`, one after the other.
. "$(dirname "$0")/common.sh"
$SKEP_GEN --count 500 in.pcap || fail generator
$SKEP_GEN --count 500 --seed 2 more.pcap || fail generator

# What to do must be said.
expect 2 $SKEP filter -r in.pcap
says "-w FILE writes them, --count counts them"
says "tcpdump -n -r -"
expect 2 $SKEP filter --count
expect 2 $SKEP filter -r in.pcap -i lo --count
expect 2 $SKEP filter -r in.pcap --count --engine none
expect 2 $SKEP filter -r in.pcap --count -G 5
expect 2 $SKEP filter -r in.pcap --count -c 0

# The count is alone on the first line.
expect 0 $SKEP filter -r in.pcap --count
[ "$(cat out)" = 500 ] || fail "--count"
expect 0 $SKEP filter -r in.pcap --count --json tcp or udp
[ "$(head -1 out)" -gt 100 ] || fail "--count --json"
grep -q '"complete": true' out || fail "--json"
[ -s err ] && fail "progress or messages without a terminal"

# -c counts accepted packets, over all files.
expect 0 $SKEP filter -r in.pcap -r more.pcap tcp -c 400 -w got
expect 0 $SKEP filter -r got --count
[ "$(cat out)" = 400 ] || fail "-c"

# Several -r, -V, -F.
printf 'in.pcap\nmore.pcap\n' >list
expect 0 $SKEP filter -V list -w a udp
printf 'udp\n' >expression
expect 0 $SKEP filter -r in.pcap -r more.pcap -F expression -w b ignored words
same a b

# Several filters in one pass; a packet goes to each file whose expression it fits.
expect 0 $SKEP filter -r in.pcap --to tcp tcp.pcap --to 'port 80' port.pcap --rest rest.pcap
for pair in 'tcp:tcp.pcap' 'port 80:port.pcap' 'not tcp and not port 80:rest.pcap'; do
  expect 0 $SKEP filter -r in.pcap "${pair%%:*}" -w got
  same got "${pair##*:}"
done
expect 0 $SKEP filter tcp -r in.pcap -w main.pcap --to 'port 80' port.pcap --count
same main.pcap tcp.pcap

# -U writes the same bytes; -n and -p are accepted.
expect 0 $SKEP filter -npU -r in.pcap tcp -w got
same got tcp.pcap

# -d, -dd, -ddd are tcpdump's.
if command -v tcpdump >/dev/null; then
  for style in -d -dd -ddd; do
    tcpdump -r in.pcap $style 'tcp port 80' 2>/dev/null >expected
    expect 0 $SKEP filter -r in.pcap $style 'tcp port 80'
    same expected out
    tcpdump -y RAW -O $style 'tcp port 80' 2>/dev/null >expected
    expect 0 $SKEP filter -y RAW -O $style 'tcp port 80'
    same expected out
  done
  tcpdump -D >expected 2>/dev/null && { expect 0 $SKEP filter -D; same expected out; }
fi
expect 1 $SKEP filter -y NONE -d ip
says "invalid data link type NONE"

$SKEP --version | grep -q libpcap || fail "--version"
