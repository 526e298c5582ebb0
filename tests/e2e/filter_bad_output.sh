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
  # Reports are output, too.
  for options in --count -d; do
    $SKEP filter -r in.pcap $options ip 2>err >/dev/full && fail "a full standard output is a success"
    says "skep: standard output is incomplete: No space left on device"
  done
fi
(ulimit -f 100; $SKEP filter -r in.pcap -w limited) 2>err && fail "beyond the largest file"
says "writing failed: File too large; the file is incomplete"
# A file that is opened must not become the closed standard error, and get messages.
head -c 2999000 in.pcap >cut; $SKEP filter -r cut -w all 2>&-
$SKEP filter -r all --count >out 2>err || { cat err; fail "a message went into the output"; }

expect 1 $SKEP filter -r in.pcap -w missing/out
says "missing/out: No such file or directory"
cp in.pcap copy.pcap
expect 1 $SKEP filter -r copy.pcap -w ./copy.pcap
says "is an input too"
same in.pcap copy.pcap
expect 1 $SKEP filter -r in.pcap --to tcp x --to udp x
says "two outputs have this name"
# The same file by other names, numbered names, and the standard descriptors.
expect 1 $SKEP filter -r in.pcap --to tcp x --to udp ./x
says "./x: is another output's file"
ln -s y link
expect 1 $SKEP filter -r in.pcap -w y --rest link tcp
says "link: is another output's file"
cp in.pcap r1
expect 1 $SKEP filter -r r1 -w r -C 1
says "r1: is an input too"
same in.pcap r1
expect 1 $SKEP filter -r - -w copy.pcap <copy.pcap
says "is an input too"
$SKEP filter -r copy.pcap -w - 2>err >>copy.pcap && fail "endless output"
says "standard output: is an input too"
same in.pcap copy.pcap
echo ip >expression
expect 1 $SKEP filter -r in.pcap -F expression -w expression
says "expression: is an input too"

# A reader that goes away: no word, and the status of SIGPIPE.
{ $SKEP filter -r in.pcap -w - 2>err; echo $? >status; } | head -c 100 >/dev/null
[ "$(cat status)" = 141 ] || fail "status $(cat status) for a closed pipe"
[ -s err ] && fail "a closed pipe is not worth a word: $(cat err)"
exit 0
