#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# skep run --raw: programs as text, bytes and objects; memory and packets; traps and wrong use.
. "$(dirname "$0")/common.sh"

prints() { [ "$(cat out)" = "$1" ] || fail "prints $(cat out) instead of $1"; }

printf 'r0 = *(u8 *)(r1 + 2)\nr0 += r2\nexit\n' >third.s
for engine in '' '--engine checked' '--engine switch --unchecked' '--engine threaded --unchecked' --unchecked; do
  expect 0 $SKEP run --raw $engine third.s --mem 'aa bb cc'
  prints 0xcf
done
printf '\1\2\3\4' >memory
expect 0 $SKEP run --raw third.s --mem memory
prints 0x7
# mov r0, 42; exit
printf '\xb7\0\0\0\x2a\0\0\0\x95\0\0\0\0\0\0\0' >answer.bin
expect 0 $SKEP run --raw answer.bin
prints 0x2a
printf 'ldabsh 1\nexit\n' >packet.s
expect 0 $SKEP run --raw packet.s --packet 010203
prints 0x203
expect 0 $SKEP run --raw packet.s --packet 0102
prints 0x0
expect 0 $SKEP run --raw answer.bin --repeat 10
grep -q '^[0-9.]* ns a run, mean of 10 runs$' out || fail "no mean time"

expect 1 $SKEP run --raw third.s --mem aabb
says "skep run: third.s: insn 0: w0 = *(u8 *)(r1 + 0x2): access outside of the object"
printf 'again: goto again\n' >endless.s
expect 1 $SKEP run --raw endless.s --budget 1000
says "endless.s: insn 0"
says "instruction budget used up"
printf 'r0 = *(u64 *)(r10 - 8)\nexit\n' >stack.s
expect 1 $SKEP run --raw stack.s
says "read of stack bytes that were never written"
expect 0 $SKEP run --raw --zeroed-stack stack.s
prints 0x0
printf 'call 5\nexit\n' >helper.s
expect 1 $SKEP run --raw helper.s
says "helper.s: insn 0: helper 5 is not registered"
printf '\xb7\0\0' >short.bin
expect 1 $SKEP run --raw short.bin
says "short.bin"
expect 1 $SKEP run --raw missing.bin
says "skep run: missing.bin: No such file or directory"
expect 1 $SKEP run --raw third.s --mem nonsense
says "--mem: 'nonsense' is neither a file nor bytes in hex"

expect 2 $SKEP run --raw third.s --engine switch
says "add --unchecked"
expect 2 $SKEP run --raw third.s --engine warp
says "no engine is called 'warp'"
expect 2 $SKEP run third.s
expect 2 $SKEP run --raw
