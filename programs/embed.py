#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""embed.py OUT.inc NAME=OBJECT...: the section "raw" of BPF objects as C++ byte arrays kRaw_NAME.

A raw program must stand alone, so a relocation (global data, a map, a call that was not inlined)
or a read-only data section is an error. Reads just enough of ELF64 for that.
"""
import struct
import sys


def sections(data):
    """Yields (name, type, bytes) of each section."""
    if data[:6] != b"\x7fELF\x02\x01":
        sys.exit("embed.py: not a little-endian 64-bit ELF object")
    table, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQ", data, table + i * size) for i in range(count)]
    strings = data[headers[names][4]:][:headers[names][5]]
    for name, kind, _, _, offset, length in headers:
        yield strings[name:strings.index(b"\0", name)].decode(), kind, data[offset:offset + length]


def raw_program(path):
    with open(path, "rb") as file:
        data = file.read()
    code = b""
    for name, _, content in sections(data):
        if name == "raw":
            code = content
        elif name == ".relraw" or (name.startswith(".rodata") and content):
            sys.exit(f"embed.py: {path}: section {name}: the program does not stand alone")
    if not code or len(code) % 8:
        sys.exit(f"embed.py: {path}: no program in section raw")
    return code


def main():
    with open(sys.argv[1], "w") as out:
        for argument in sys.argv[2:]:
            name, path = argument.split("=", 1)
            out.write(f"alignas(8) constexpr u8 kRaw_{name}[] = {{\n")
            code = raw_program(path)
            for at in range(0, len(code), 8):
                out.write("    " + " ".join(f"0x{byte:02x}," for byte in code[at:at + 8]) + "\n")
            out.write("};\n")


main()
