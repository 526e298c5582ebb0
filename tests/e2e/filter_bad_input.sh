#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Bad input: one clear line with file and offset, status 1, and everything before the damage.
. "$(dirname "$0")/common.sh"
$SKEP_GEN --count 100 in.pcap || fail generator
$SKEP_GEN --count 100 --format pcapng in.pcapng || fail generator
size=$(stat -c %s in.pcap)

# One line, and no more, for each.
bad() {
  expect 1 $SKEP filter "${@:2}" --count
  says "$1"
  [ "$(wc -l <err)" = 1 ] || { cat err; fail "more than one line: $1"; }
}
number() { printf "\\x$(printf %02x $(($1 & 255)))\\x$(printf %02x $(($1 >> 8 & 255)))\\x$(printf %02x $(($1 >> 16 & 255)))\\x$(printf %02x $(($1 >> 24 & 255)))"; }
# patched FILE OFFSET NUMBER: in.pcap with four bytes changed (little-endian).
patched() {
  cp in.pcap "$1"
  number "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

bad "missing: No such file or directory" -r missing
bad "., offset 0: reading failed: Is a directory" -r .
: >empty; bad "empty, offset 0: the file is empty" -r empty
echo "hello world, no capture" >text; bad "text, offset 0: unknown magic number 0x6c6c6568" -r text
patched modified 0 0xa1b2cd34; bad "modified, offset 0: modified pcap files" -r modified
patched version 4 0x00090002; bad "version, offset 4: unsupported pcap file version 2.9" -r version
head -c 20 in.pcap >head; bad "head, offset 20: the file ends inside the pcap file header" -r head

# An option is no file name for --to.
expect 2 $SKEP filter --to tcp -r in.pcap
says "--to takes an expression and a file, and '-r' looks like an option"

# Cut in the middle of a record: 99 packets, the record's offset, status 1; the output is whole.
head -c $((size - 7)) in.pcap >cut
expect 1 $SKEP filter -r cut -w got --count
says "the file ends inside a packet"
grep -Eq '^skep: cut, offset [0-9]+: ' err || fail "no offset"
[ "$(cat out)" = 99 ] || fail "packets before the cut: $(cat out)"
expect 0 $SKEP filter -r got --count
[ "$(cat out)" = 99 ] || fail "packets written before the cut"
# The next file is still read.
expect 1 $SKEP filter -r cut -r in.pcap --count
[ "$(cat out)" = 199 ] || fail "the file after a cut one"

# Lengths that lie.
patched lying 32 0x7fffffff
bad "lying, offset 24: a packet's captured length of 2147483647 bytes is above the file's snap length of 65535" -r lying
patched small 16 40
expect 0 $SKEP filter -r small -w got
if command -v tcpdump >/dev/null; then
  dump -r small -w expected 2>/dev/null
  same expected got
fi

# pcapng: cut, and a block with two different lengths.
ng=$(stat -c %s in.pcapng)
head -c $((ng - 5)) in.pcapng >cut.pcapng
bad "the file ends inside a block" -r cut.pcapng
[ "$(cat out)" = 99 ] || fail "pcapng packets before the cut"
head -c $((ng - 4)) in.pcapng >lying.pcapng; number 44 >>lying.pcapng
bad "a block's lengths differ" -r lying.pcapng

# Compressed files that end early or are damaged.
gzip -c in.pcap | head -c 20000 >cut.gz
bad "the gzip data end too early" -r cut.gz
[ "$(cat out)" -gt 10 ] || fail "packets before a gzip cut"

# Expressions.
bad "can't parse filter expression: syntax error" -r in.pcap ip and and
bad "expression rejects all packets" -r in.pcap ip and not ip
expect 0 $SKEP filter -r in.pcap --count ''
[ "$(cat out)" = 100 ] || fail "the empty expression accepts all"
[ "$(id -u)" = 0 ] || { cp in.pcap secret; chmod 0 secret; bad "Permission denied" -r secret; }
expect 1 $SKEP filter -r in.pcap --count -F missing
says "missing: No such file or directory"
mkdir -p folder
for option in -F -V --program; do
  expect 1 $SKEP filter -r in.pcap --count $option folder
  says "folder: Is a directory"
done
printf 'ip\0 or nonsense' >nul
bad "expression for EN10MB (Ethernet): a NUL byte at offset 2" -r in.pcap -F nul
printf 'in.pcap\0\n' >nul
expect 1 $SKEP filter -V nul --count
says "nul: names cannot have NUL bytes"
printf '1\n255 0 0 0\n' >program
bad "program, insn 0: unknown opcode 0xff" -r in.pcap --program program
expect 1 $SKEP filter -r - --count <empty
says "standard input, offset 0: the file is empty"
expect 1 $SKEP filter -i 99999999999999999999 --count
says "99999999999999999999: "

# A signal ends the wait for input, and what came before it is written.
mkfifo fifo
$SKEP filter -r - -w got 2>err <fifo &
{ cat in.pcap; sleep 1; kill -TERM $!; wait $!; echo $? >status; } >fifo
[ "$(cat status)" = 130 ] || fail "status $(cat status) after a signal"
says "interrupted; outputs hold what was read until then"
same in.pcap got

# Standard input has its name, whatever is wrong with it.
expect 1 $SKEP filter -r - --count <text
says "standard input, offset 0: unknown magic number"
expect 1 $SKEP filter -r - --count <cut
says "standard input, offset "

# Wrong use: what was wrong, short.
for option in -c -C -G -W; do
  for number in 0 -1 many; do
    expect 2 $SKEP filter -r in.pcap -w got $option $number
    says "$option: '$number' is not a whole number of 1 or more"
    [ "$(wc -c <err)" -lt 200 ] || fail "a long story about $option $number"
  done
done
expect 2 $SKEP fliter -r in.pcap
says "skep: there is no command 'fliter'"
expect 2 $SKEP
says "A subcommand is required"
