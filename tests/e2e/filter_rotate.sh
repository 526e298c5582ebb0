#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# -C, -G and -W give tcpdump's files, by name and by content.
. "$(dirname "$0")/common.sh"
need tcpdump
$SKEP_GEN --bytes 12500000 in.pcap || fail generator
mkdir ours theirs

compare() {
  dump -r in.pcap -w theirs/"$1" "${@:2}" 2>/dev/null || fail "tcpdump ${*:2}"
  expect 0 $SKEP filter -r in.pcap -w ours/"$1" "${@:2}"
  diff -r ours theirs || fail "files differ: ${*:2}"
  ls ours | tr '\n' ' '
  rm ours/* theirs/*
}

compare out -C 3
compare out -C 2 -W 3
compare out -C 1 -W 20
compare out -W 2
compare out-%Y -G 1000
compare out-%Y -G 1000 -C 5
compare out-%Y -G 1000 -C 5 -W 12

# -G with -W ends with status 0 when the files are used up: one packet a second on a pipe.
expect 2 $SKEP filter -r in.pcap -w - -C 1
(head -c 4000 in.pcap; sleep 2.2; tail -c +4001 in.pcap | head -c 400000) |
  $SKEP filter -r - -w 'ours/t-%s' -G 1 -W 1 2>err
[ $? = 0 ] || fail "-G -W"
[ "$(ls ours | wc -l)" = 1 ] || fail "-G -W made $(ls ours)"
