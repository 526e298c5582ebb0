#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Programs instead of expressions.
. "$(dirname "$0")/common.sh"
$SKEP_GEN --count 500 in.pcap || fail generator
expect 0 $SKEP filter -r in.pcap -ddd tcp port 80
mv out program
expect 0 $SKEP filter -r in.pcap tcp port 80 -w expected
for engine in switch threaded libpcap; do
  expect 0 $SKEP filter --engine $engine -r in.pcap --program program -w got
  same expected got
done
# bpf_asm writes the same numbers in one line.
tr '\n' ',' <program >line
expect 0 $SKEP filter -r in.pcap --program line -w got
same expected got

# The other notations, and one with labels.
for style in -d -dd; do
  expect 0 $SKEP filter -r in.pcap $style tcp port 80
  mv out text
  expect 0 $SKEP filter -r in.pcap --program text -w got
  same expected got
done
printf 'ldh [12]\njne #0x806, drop\nret #-1\ndrop: ret #0\n' >arp
expect 0 $SKEP filter -r in.pcap --program arp -w got
expect 0 $SKEP filter -r in.pcap arp -w expected
same expected got

expect 2 $SKEP filter -r in.pcap --program program --count tcp
echo '2,6 0 0 65535,' >short
expect 1 $SKEP filter -r in.pcap --program short --count
says "short, line 1"
printf '1\n6 0 256 0\n' >wide
expect 1 $SKEP filter -r in.pcap --program wide --count
says "wide, line 2"
printf 'ldh [12]\nldz [7]\nret #0\n' >unknown
expect 1 $SKEP filter -r in.pcap --program unknown --count
says "unknown, line 2"
printf '2\n21 7 7 0\n6 0 0 0\n' >jump
expect 1 $SKEP filter -r in.pcap --program jump --count
says "insn 0"
