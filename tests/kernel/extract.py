#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""extract.py LINUX_TREE FOLDER [CC]: the kernel's table of BPF tests, as FOLDER/tests.jsonl and insns.bin.

Cuts struct bpf_test, the generators and tests[] out of lib/test_bpf.c, and the instruction macros
out of include/linux/filter.h; compiles them in user space behind shim.h with dump.c as main; runs
that. What it cuts out and prints is the kernel's and stays in FOLDER (README.md has the fields).
"""
import os
import subprocess
import sys


def between(text, start, end):
    """text from start (included) to the next end (excluded)."""
    first = text.index(start)
    return text[first:text.index(end, first)]


def slices(tree):
    with open(os.path.join(tree, "include/linux/filter.h")) as file:
        header = file.read()
    with open(os.path.join(tree, "lib/test_bpf.c")) as file:
        source = file.read()
    macros = between(header, "/* ArgX, context and stack frame pointer", "struct compat_sock_fprog")
    if "#define __BPF_MAP_0" in macros:
        macros = macros[:macros.index("#define __BPF_MAP_0")]
    first = source.index("/* General test specific settings */")
    table = source.index("static struct bpf_test tests[] = {")
    last = source.index("\n};\n", table) + len("\n};\n")
    # Generated programs return the line of lib/test_bpf.c at which they found a wrong value.
    line = source.count("\n", 0, first) + 1
    return f'{macros}\n#line {line} "test_bpf.c"\n{source[first:last]}'


def main():
    tree, folder = sys.argv[1:3]
    compiler = sys.argv[3] if len(sys.argv) > 3 else "cc"
    here = os.path.dirname(os.path.abspath(__file__))
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "kernel_tests.inc"), "w") as file:
        file.write(slices(tree))
    program = os.path.join(os.path.abspath(folder), "dump_kernel_tests")
    subprocess.run([compiler, "-std=gnu11", "-O1", "-w", "-I", folder, "-o", program,
                    os.path.join(here, "dump.c")], check=True)
    lines = subprocess.run([program, os.path.join(folder, "insns.bin")], check=True,
                           stdout=subprocess.PIPE).stdout
    # The list comes last and whole: where it exists, the extraction is complete.
    out = os.path.join(folder, "tests.jsonl")
    with open(out + ".new", "wb") as file:
        file.write(lines)
    os.replace(out + ".new", out)
    print(f"{lines.count(bytes([10]))} tests in {out}")


main()
