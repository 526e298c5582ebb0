#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The commands of the README's quick start and of the manual pages' examples, as they are written there.
. "$(dirname "$0")/common.sh"
need zstd
expect 0 $SKEP_GEN --seed 3 --count 2000 in.pcap
zstd -q in.pcap
skep() { $SKEP "$@"; }
export SKEP
export -f skep

# The `sh` blocks that use skep; live capture has a test of its own.
awk '/^```/ { inside = $0 == "```sh"; next } inside' "$SKEP_SOURCE/README.md" |
  grep -vE '^(\./|cmake |export PATH)|-i eth0' >commands
grep -q '^skep filter .*in.pcap' commands || fail "the README has no command that filters"
grep -q '^skep run ' commands || fail "the README has no command that runs a program"
expect 0 bash -eu -o pipefail commands
# What the comments behind the commands promise.
grep -qx 0xa out || { cat out; fail "the program's result is not 0xa"; }

# EXAMPLES of a manual page: roff's marks taken off.
examples() {
  awk '/^\.SH/ { on = $2 == "EXAMPLES"; next } on && !/^\./' "$SKEP_SOURCE/docs/man/$1.1" |
    sed -e 's/\\-/-/g' -e 's/\\&//g' -e "s/\\\\(aq/'/g" -e 's/\\\\/\\/g' -e 's/\\e/\\/g'
}
# skep-filter's have no output of their own.
examples skep-filter | grep '^skep ' | grep -v -- '-i eth0' >commands
[ -s commands ] || fail "the page of skep filter has no examples"
expect 0 bash -eu -o pipefail commands
# The others are sessions: `$ command`, then what it prints.
for page in skep-asm skep-disasm skep-run; do
  examples $page >session
  sed -n 's/^\$ //p' session >commands
  [ -s commands ] || fail "$page has no examples"
  bash -u commands >printed 2>&1
  grep -v '^\$ ' session | diff -u - printed || fail "the examples of $page print something else"
done
