#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares `skep disasm --notation kernel` with what the running kernel's verifier writes into its log.

Each instruction of llvm-objdump-19.txt, and those that LLVM 19 does not know, is loaded behind a few assignments;
the verifier prints it before it judges it. Exit status 77 (skipped) where bpf(2) is refused or the kernel is older
than 6.15. SKEP is the command.
"""
import ctypes
import os
import pathlib
import platform
import re
import struct
import subprocess
import sys

BPF_SYSCALL = {"x86_64": 321, "aarch64": 280}
PROG_LOAD, SOCKET_FILTER = 5, 1
FIXTURE = pathlib.Path(__file__).with_name("llvm-objdump-19.txt")


def insn(code, dst=0, src=0, off=0, imm=0):
    return struct.pack("<BBhi", code, dst | src << 4, off, imm)


def instructions():
    rows = [bytes.fromhex(line.split(" | ")[0]) for line in FIXTURE.read_text().splitlines() if line[0] != "#"]
    for code in (0xD3, 0xCB, 0xC3, 0xDB):
        rows += [insn(code, 1, 2, 4, 0x100), insn(code, 1, 2, 4, 0x110)]
    rows += [insn(0x85, 0, 1, 0, 5), insn(0x85, 0, 2, 0, 5), insn(0x50, 0, 2, 0, -4)]
    # The kernel names maps by what they are, and other constants of the loader not at all.
    return [row for row in rows if row[0] != 0x18 or row[1] >> 4 == 0]


def log_of(program):
    """The verifier's log, or the error number when there is none."""
    libc = ctypes.CDLL(None, use_errno=True)
    code = ctypes.create_string_buffer(program)
    log = ctypes.create_string_buffer(1 << 18)
    licence = ctypes.create_string_buffer(b"GPL")
    attr = ctypes.create_string_buffer(
        struct.pack("<IIQQIIQII", SOCKET_FILTER, len(program) // 8, ctypes.addressof(code),
                    ctypes.addressof(licence), 2, len(log), ctypes.addressof(log), 0, 0), 128)
    fd = libc.syscall(BPF_SYSCALL[platform.machine()], PROG_LOAD, attr, len(attr))
    if fd >= 0:
        os.close(fd)
    return log.value.decode() or ctypes.get_errno()


def main():
    if platform.machine() not in BPF_SYSCALL or sys.byteorder != "little":
        print("skipped: not made for this machine")
        return 77
    release = tuple(int(n) for n in re.findall(r"\d+", platform.release())[:2])
    first = log_of(insn(0xB7) + insn(0x95))
    if isinstance(first, int) or release < (6, 15):
        print(f"skipped: no verifier of Linux 6.15 or later answers (here: {platform.release()}, {first!r})")
        return 77
    rows = instructions()
    ours = subprocess.run(os.environ["SKEP"].split() + ["disasm", "-", "--bin", "--notation", "kernel", "--no-index"],
                          input=b"".join(rows), capture_output=True, check=True).stdout.decode().splitlines()
    before = b"".join(insn(0xB7, n, imm=1) for n in range(10))
    after = insn(0xB7, 0) * 8 + insn(0x95)
    compared = 0
    differ = []
    for row, text in zip(rows, ours, strict=True):
        line = re.search(r"^10: (\(.*)$", str(log_of(before + row + after)), re.M)
        if line:  # else it was refused before the walk over the instructions
            compared += 1
            theirs = re.sub(r" +;.*$", "", line[1])
            if theirs != text:
                differ.append(f"kernel: {theirs}\nskep:   {text}")
    print("\n".join(differ))
    print(f"{compared} of {len(rows)} instructions compared, {len(differ)} differ")
    return 0 if not differ and compared > 300 else 1


if __name__ == "__main__":
    sys.exit(main())
