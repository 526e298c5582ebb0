#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Captures with several link types: one filter for each, and output that holds them all.
. "$(dirname "$0")/common.sh"
$SKEP_GEN --count 900 --format pcapng-mixed mixed.pcapng || fail generator
$SKEP_GEN --count 900 --format pcapng ether.pcapng || fail generator

count() { $SKEP filter "$@" --count 2>err; }

# Everything comes out as it was; packets of both link types match.
expect 0 $SKEP filter -r mixed.pcapng -w got
same mixed.pcapng got
for engine in switch threaded libpcap; do
  [ "$(count --engine $engine -r mixed.pcapng udp port 53)" -gt 10 ] || fail "$engine: $(cat err)"
done
expect 0 $SKEP filter -r mixed.pcapng ip -w some
expect 0 $SKEP filter -r some -w got
same some got
[ "$(count -r some)" = "$(count -r mixed.pcapng ip)" ] || fail "lost packets"

# An expression that fits one link type only: libpcap's words, and no output.
expect 1 $SKEP filter -r mixed.pcapng vlan -w none
says "expression for RAW (Raw IP): no VLAN support for Raw IP"
[ -e none ] && fail "output of a filter that does not exist"

# pcap is refused where it cannot hold the packets; what came before is kept.
expect 1 $SKEP filter -r mixed.pcapng --output-format pcap -w part.pcap
says "cannot go into a pcap file"
[ "$(count -r part.pcap)" -ge 1 ] || fail "nothing kept"

# Files of different kinds one after the other, also where the second kind comes late.
expect 0 $SKEP filter -r ether.pcapng -w ether.pcap
expect 0 $SKEP filter -r mixed.pcapng --to ip ip.pcapng --rest rest.pcapng
expect 0 $SKEP filter -r ether.pcap -r mixed.pcapng -w both.pcapng
[ "$(count -r both.pcapng)" = 1800 ] || fail "files of two kinds"
cat ether.pcapng mixed.pcapng >late.pcapng
expect 0 $SKEP filter -r late.pcapng -w both.pcapng
[ "$(count -r both.pcapng)" = 1800 ] || fail "a later section of another kind"
$SKEP filter -r - -w both.pcap <late.pcapng 2>err && fail "standard input cannot be read again"
says "--output-format pcapng"

# One link type and --output-format pcapng: the packets of the pcap form.
expect 0 $SKEP filter -r ether.pcap --output-format pcapng -w as.pcapng
expect 0 $SKEP filter -r as.pcapng -w back.pcap
same ether.pcap back.pcap
