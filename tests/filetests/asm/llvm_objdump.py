#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks llvm-objdump what it prints for one instruction of each sort, and compares llvm-objdump-19.txt with that.

Exit status 77 (skipped) when the objdump is missing or older than the instruction set asks for. --bless writes the
file anew. The ELF object is made here, so that no assembler is needed.
"""
import argparse
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

GOLDEN = pathlib.Path(__file__).with_name("llvm-objdump-19.txt")
HEAD = "# Bytes | what llvm-objdump 19.1.7 (-d --mcpu=v4) prints for them. Made by llvm_objdump.py --bless."


def instructions():
    """One or two slots each, as (opcode, dst, src, off, imm) lists."""
    out = []

    def one(code, dst=1, src=2, off=0, imm=0):
        out.append([(code, dst, src, off, imm)])

    for code in range(0x00, 0xd0, 0x10):
        for cls in (4, 7):
            if code == 0x80:
                one(code | cls, src=0)
                continue
            for imm in (-5, 0x7FFFFFFF, -0x80000000):
                one(code | cls, src=0, imm=imm)
            one(code | 8 | cls)
            if code in (0x30, 0x90):
                one(code | cls, src=0, off=1, imm=-5)
                one(code | 8 | cls, off=1)
    for bits in (8, 16, 32):
        one(0xBF, off=bits)
        if bits != 32:
            one(0xBC, off=bits)
    for bits in (16, 32, 64):
        for code in (0xD4, 0xDC, 0xD7):
            one(code, src=0, imm=bits)
    for code in range(0x10, 0xE0, 0x10):
        for cls in (5, 6):
            if code not in (0x80, 0x90):
                one(code | cls, src=0, off=5, imm=-5)
                one(code | 8 | cls, off=-3)
    for off in (5, -5, 0, 32767, -32768):
        one(0x05, 0, 0, off=off)
    for imm in (5, -50000):
        one(0x06, 0, 0, imm=imm)
    one(0x85, 0, 0, imm=5)
    one(0x95, 0, 0)
    one(0xE5, 0, 0, off=4)
    for off in (4, -4, 0, 32767, -32768):
        for code in (0x71, 0x69, 0x61, 0x79, 0x91, 0x89, 0x81, 0x73, 0x6B, 0x63, 0x7B):
            one(code, off=off)
        for code in (0x72, 0x6A, 0x62, 0x7A):
            one(code, src=0, off=off, imm=-7)
        for code in (0xC3, 0xDB):
            for imm in (0, 0x40, 0x50, 0xA0, 0x01, 0x41, 0x51, 0xA1, 0xE1, 0xF1):
                one(code, off=off, imm=imm)
    for code in (0x20, 0x28, 0x30):
        one(code, 0, 0, imm=4)
        one(code, 0, 0, imm=-4)
        one(code + 0x20, 0, 2)
    for low, high in ((-5, -1), (5, 0), (0x11223344, 0x55667788), (0, -0x80000000)):
        out.append([(0x18, 1, 0, 0, low), (0, 0, 0, 0, high)])
    for sort in range(1, 7):
        out.append([(0x18, 1, sort, 0, 5), (0, 0, 0, 0, 0)])
    return out


def elf(text):
    """A relocatable ELF64 object for BPF with the one section .text."""
    names = b"\0.text\0.shstrtab\0"
    offset = 64 + len(text)
    header = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 1, 247, 1, 0, 0, (offset + len(names) + 7) & ~7, 0, 64, 0, 0, 64, 3, 2)
    body = header + text + names
    body += bytes(-len(body) % 8)
    body += bytes(64)
    body += struct.pack("<IIQQQQIIQQ", 1, 1, 6, 0, 64, len(text), 0, 0, 8, 0)
    body += struct.pack("<IIQQQQIIQQ", 7, 3, 0, 0, offset, len(names), 0, 0, 1, 0)
    return body


def listing(objdump):
    text = b"".join(struct.pack("<BBhi", code, dst | src << 4, off, imm)
                    for insn in instructions() for code, dst, src, off, imm in insn)
    with tempfile.NamedTemporaryFile(suffix=".o") as file:
        file.write(elf(text))
        file.flush()
        out = subprocess.run([objdump, "-d", "--mcpu=v4", file.name], capture_output=True, text=True, check=True)
    lines = [HEAD]
    for line in out.stdout.splitlines():
        found = re.match(r" +\d+:\t((?:[0-9a-f]{2} )*[0-9a-f]{2})\t(.*)$", line)
        if found:
            lines.append(f"{found[1]} | " + re.sub(r" <[^ ]*>$", "", found[2]))
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objdump", default="llvm-objdump-19")
    parser.add_argument("--bless", action="store_true")
    args = parser.parse_args()
    if not shutil.which(args.objdump):
        print(f"skipped: {args.objdump} is not installed")
        return 77
    version = subprocess.run([args.objdump, "--version"], capture_output=True, text=True, check=True).stdout
    if "version 19." not in version:
        print(f"skipped: {args.objdump} is not LLVM 19")
        return 77
    text = listing(args.objdump)
    if args.bless:
        GOLDEN.write_text(text)
        return 0
    if text == GOLDEN.read_text():
        return 0
    print("llvm-objdump prints something else now: run with --bless and look at the difference")
    return 1


if __name__ == "__main__":
    sys.exit(main())
