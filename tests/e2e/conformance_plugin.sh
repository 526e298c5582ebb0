#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The protocol of bpf_conformance: hex in, r0 in hex out, or a reason and a status other than 0.
. "$(dirname "$0")/common.sh"

plugin() { printf '%s\n' "$1" >in; shift; "${PLUGIN[@]}" "$@" <in; }
read -ra PLUGIN <<<"$SKEP_PLUGIN"
prints() { [ "$(cat out)" = "$1" ] || fail "prints $(cat out) instead of $1"; }

# ldxb r0, [r1+1]; add r0, r2; exit
program='71  10  01  00  00  00  00  00  0f 20 00 00 00 00 00 00 95 00 00 00 00 00 00 00 '
for engine in '' '--engine checked' '--engine switch' '--engine threaded'; do
  expect 0 plugin "$program" '0a  0b  0c  ' "$engine"
  prints e
done
expect 0 plugin 'b7 00 00 00 2a 00 00 00 95 00 00 00 00 00 00 00'
prints 2a
expect 0 plugin 'b7 00 00 00 ff ff ff ff 95 00 00 00 00 00 00 00' ''
prints ffffffffffffffff

expect 1 plugin "$program" '0a'
grep -q "^insn 0: access outside" out || fail "prints $(cat out)"
expect 1 plugin 'b7 00 00'
expect 1 plugin 'xx'
expect 1 plugin "$program" '0a 0b' --warp
grep -q "unknown argument '--warp'" out || fail "prints $(cat out)"
expect 1 plugin "$program" '0a 0b' --elf
prints 'not an ELF object'

clang=$(command -v clang-19 || command -v clang) || skip "no clang to make an object with"
command -v xxd >/dev/null || skip "no xxd"
cat >object.c <<'END'
__attribute__((noinline)) static unsigned long triple(unsigned long a) { return a * 3 + 1; }
__attribute__((noinline)) unsigned long twice(unsigned long a) { return triple(triple(a)); }
__attribute__((section("prog"))) unsigned long entry(unsigned char *m, unsigned long n) {
  return twice(m[0]) + n;
}
int table[4];
__attribute__((section("other"))) int uses_data(void) { return table[1]++; }
END
"$clang" -target bpf -O2 -c object.c -o object.o || skip "clang does not make BPF objects"
# entry(5) = ((5 * 3 + 1) * 3 + 1) + 2
expect 0 plugin "$(xxd -p object.o | tr -d '\n')" '05 00' '--elf'
prints 33
