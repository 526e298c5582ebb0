#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `skep asm` and `skep disasm`: formats, notations, standard input and output, messages and exit status.
# SKEP is the command, perhaps with an emulator in front (so it is not quoted).
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() { echo "asm.sh: $*" >&2; exit 1; }
# same NAME EXPECTED ACTUAL
same() { [ "$2" = "$3" ] || fail "$1: expected"$'\n'"$2"$'\n'"got"$'\n'"$3"; }
# refused NAME EXPECTED-ON-STDERR COMMAND...: exit status 1, nothing on standard output
refused() {
  local name=$1 expected=$2 status=0
  shift 2
  "$@" >stdout 2>stderr || status=$?
  same "$name: exit status" 1 "$status"
  same "$name: message" "$expected" "$(cat stderr)"
  [ ! -s stdout ] || fail "$name: something on standard output"
}

cat >prog.s <<'EOF'
loop: r0 += 1            # LLVM's
  (a5) if r0 < 0xa goto pc-2
  lddw %r1, 0x500000005  ; bpf_conformance's
  exit
EOF
hex='07 00 00 00 01 00 00 00
a5 00 fe ff 0a 00 00 00
18 01 00 00 05 00 00 00
00 00 00 00 05 00 00 00
95 00 00 00 00 00 00 00'

same "hex" "$hex" "$($SKEP asm prog.s --format hex)"
same "standard input" "$hex" "$($SKEP asm - --format hex <prog.s)"
$SKEP asm prog.s -o prog.bin
same "size" 40 "$(stat -c %s prog.bin)"
$SKEP asm prog.s >again.bin
cmp prog.bin again.bin || fail "-o and standard output differ"
same "llvm" $'       0:\tr0 += 0x1
       1:\tif r0 < 0xa goto -0x2
       2:\tr1 = 0x500000005 ll
       4:\texit' "$($SKEP disasm prog.bin)"
same "kernel" '   0: (07) r0 += 1
   1: (a5) if r0 < 0xa goto pc-2
   2: (18) r1 = 0x500000005
   4: (95) exit' "$($SKEP disasm prog.bin --notation kernel)"
same "mnemonic" 'add %r0, 1
jlt %r0, 10, -2
lddw %r1, 0x500000005
exit' "$($SKEP disasm - --notation mnemonic <prog.bin)"

for notation in llvm kernel mnemonic; do
  for index in --index --no-index; do
    same "round trip in $notation $index" "$hex" \
      "$($SKEP disasm prog.bin --notation $notation $index | $SKEP asm - --format hex)"
  done
done
same "hex input" "$($SKEP disasm prog.bin)" "$(echo "$hex" | $SKEP disasm -)"
same "hex input without blanks" "$($SKEP disasm prog.bin)" "$(echo "$hex" | tr -d ' \n' | $SKEP disasm - --hex)"
$SKEP asm prog.s --big-endian -o big.bin
cmp -s prog.bin big.bin && fail "both byte orders are the same"
same "big endian" "$($SKEP disasm prog.bin)" "$($SKEP disasm big.bin --big-endian)"

if [ -e /usr/include/linux/bpf.h ]; then
  same "helpers by name" '(85) call bpf_ktime_get_ns#5' \
    "$(echo 'call bpf_ktime_get_ns' | $SKEP asm - | $SKEP disasm - --notation kernel --no-index)"
fi

# The C form compiles and is the same program.
if command -v cc >/dev/null && [ -e /usr/include/linux/bpf.h ]; then
  { echo '#include <linux/bpf.h>'; echo '#include <stdio.h>'; echo 'static struct bpf_insn program[] = {'
    $SKEP asm prog.s --format c; echo '};'
    echo 'int main(void) { fwrite(program, sizeof program, 1, stdout); return 0; }'; } >main.c
  cc -Wall -Werror main.c -o main
  ./main >from-c.bin
  cmp prog.bin from-c.bin || fail "the C form is another program"
fi

printf 'r0 = 1\n  r0 += w1\nfrob\n' >bad.s
refused "errors with their line" 'bad.s:2:9: error: r0 and w1 are of different width
    r0 += w1
          ^
bad.s:3:1: error: there is no instruction '\''frob'\''
  frob
  ^' $SKEP asm bad.s
refused "no file" 'skep: missing.s: No such file or directory' $SKEP asm missing.s
refused "a folder" 'skep: .: Is a directory' $SKEP asm .
: >empty
refused "empty text" 'skep: empty: there are no instructions' $SKEP asm empty
refused "empty program" 'skep: empty: there are no instructions' $SKEP disasm empty
head -c 20 prog.bin >cut.bin
refused "cut program" 'skep: cut.bin: offset 20: a program'\''s size is a multiple of 8 bytes, not 20' $SKEP disasm cut.bin
refused "unknown opcode" 'skep: standard input: insn 0: unknown opcode 0xff' \
  bash -c "echo ff 00 00 00 00 00 00 00 | $SKEP disasm -"
refused "bad hex" 'standard input:1:4: error: expected a byte as two hexadecimal digits
  95 0
     ^' bash -c "echo 95 0 | $SKEP disasm - --hex"
if [ -e /dev/full ]; then
  refused "full disk" 'skep: /dev/full is incomplete: No space left on device' $SKEP asm prog.s -o /dev/full
fi
status=0
$SKEP asm prog.s --format elf >/dev/null 2>&1 || status=$?
same "wrong use" 2 "$status"

# Classic programs.
cat >ip.s <<'EOF'
      ldh [12]
      jeq #0x800, yes, no
yes:  ret #262144
no:   ret #0
EOF
listing='(000) ldh      [12]
(001) jeq      #0x800           jt 2	jf 3
(002) ret      #262144
(003) ret      #0'
numbers='4
40 0 0 12
21 0 1 2048
6 0 0 262144
6 0 0 0'
same "classic numbers" "$numbers" "$($SKEP asm --classic ip.s --format numbers)"
$SKEP asm --classic ip.s -o ip.bin
same "classic size" 32 "$(stat -c %s ip.bin)"
same "classic listing" "$listing" "$($SKEP disasm --classic ip.bin)"
same "classic from text" "$listing" "$(echo "$numbers" | $SKEP disasm --classic -)"
$SKEP asm --classic ip.s --big-endian | $SKEP disasm --classic --bin --big-endian - | cmp - <(echo "$listing")
for notation in listing c numbers bpf_asm; do
  same "classic round trip in $notation" "$numbers" \
    "$($SKEP disasm --classic ip.bin --notation $notation | $SKEP asm --classic - --format numbers)"
done
$SKEP disasm --to-ebpf ip.s | grep -q 'r0 = \*(u16 \*)skb\[0xc\]' || fail "--to-ebpf"
refused "classic errors" 'standard input:1:1: error: ' bash -c "echo frob | $SKEP asm --classic - 2>&1 >/dev/null | sed -n '1s/error: .*/error: /p' >&2; exit 1"
status=0
$SKEP disasm --classic ip.bin --notation kernel >/dev/null 2>&1 || status=$?
same "classic has no kernel notation" 2 "$status"
