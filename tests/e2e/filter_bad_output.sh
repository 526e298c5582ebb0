#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Outputs that fail: said by name, status not 0, and the other outputs are finished.
. "$(dirname "$0")/common.sh"
$SKEP_GEN --bytes 3000000 in.pcap || fail generator

if [ -e /dev/full ]; then
  expect 1 $SKEP filter -r in.pcap -w /dev/full
  says "/dev/full, offset 0: writing failed: No space left on device; the file is incomplete"
  expect 1 $SKEP filter -r in.pcap -U -w /dev/full
  says "the file is incomplete"
  expect 1 $SKEP filter -r in.pcap --to tcp /dev/full --to udp udp.pcap
  expect 0 $SKEP filter -r udp.pcap --count
fi

expect 1 $SKEP filter -r in.pcap -w missing/out
says "missing/out: No such file or directory"
cp in.pcap copy.pcap
expect 1 $SKEP filter -r copy.pcap -w ./copy.pcap
says "is an input too"
same in.pcap copy.pcap
expect 1 $SKEP filter -r in.pcap --to tcp x --to udp x
says "two outputs have this name"

# A reader that goes away: no word, and the status of SIGPIPE.
{ $SKEP filter -r in.pcap -w - 2>err; echo $? >status; } | head -c 100 >/dev/null
[ "$(cat status)" = 141 ] || fail "status $(cat status) for a closed pipe"
[ -s err ] && fail "a closed pipe is not worth a word: $(cat err)"
exit 0
