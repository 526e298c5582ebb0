#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole-tool comparison: `skep filter EXPR -r CAPTURE -w OUT` against `tcpdump -r CAPTURE -w OUT EXPR`.

A capture is made (or reused) and read once, so that it lies in memory. Then both tools run in turns; every
round gives one user+system CPU time a tool, from wait4(2). Printed: the ratio of medians (and of the smallest
times), whether the outputs are the same bytes, and skep's peak resident memory. Ratios only: a bare time from another
machine says nothing. Run it on an idle machine:

    bench/filter_vs_tcpdump.py --bin build/release/bin [--dir /dev/shm] [--bytes N] [--rounds N]
"""
import argparse
import filecmp
import json
import os
import shutil
import statistics
import subprocess
import sys

EXPRESSION = "net 192.168.2.0/24"


def run(command):
    """User and system CPU seconds of a command, which must succeed."""
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 2)
        os.execvp(command[0], command)
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        sys.exit(f"failed: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime


def peak_memory_mib(command):
    """Of skep, by its own account (that of wait4(2) includes this script, before exec)."""
    output = subprocess.run(command + ["--json"], stdout=subprocess.PIPE, check=True).stdout
    return json.loads(output)["peak_memory_kib"] / 1024


def compare(name, capture, options):
    ours, theirs = os.path.join(options.dir, "skep.out"), os.path.join(options.dir, "tcpdump.out")
    commands = {"tcpdump": ["tcpdump", "-r", capture, "-w", theirs, EXPRESSION]}
    if os.geteuid() == 0:
        commands["tcpdump"][1:1] = ["-Z", "root"]
    for engine in options.engines.split(","):
        commands[f"skep {engine}"] = [os.path.join(options.bin, "skep"), "filter", "--engine", engine, "-r", capture,
                                      "-w", ours, EXPRESSION]
    with open(capture, "rb") as file:
        while file.read(1 << 20):
            pass
    seconds = {tool: [] for tool in commands}
    for _ in range(options.rounds):
        for tool, command in commands.items():
            target = theirs if tool == "tcpdump" else ours
            if os.path.exists(target):
                os.unlink(target)
            seconds[tool].append(run(command))
            if tool != "tcpdump" and not filecmp.cmp(ours, theirs, shallow=False):
                sys.exit(f"{name}: {tool} and tcpdump wrote different files")
    share = os.path.getsize(theirs) / os.path.getsize(capture)
    print(f"{name}: {os.path.getsize(capture) >> 20} MiB, {share:.0%} accepted, {options.rounds} rounds, same output")
    base = seconds["tcpdump"]
    for tool, values in seconds.items():
        memory = f"; peak memory {peak_memory_mib(commands[tool]):.1f} MiB" if tool != "tcpdump" else ""
        print(f"  {tool:14} CPU / tcpdump's: {statistics.median(values) / statistics.median(base):.2f} (medians), "
              f"{min(values) / min(base):.2f} (smallest){memory}")
    os.unlink(ours)
    os.unlink(theirs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default="build/release/bin", help="folder of skep and skep-gen-capture")
    parser.add_argument("--dir", default="/dev/shm", help="folder for the captures and outputs")
    parser.add_argument("--bytes", type=int, default=1 << 30)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--engines", default="threaded,switch,libpcap")
    options = parser.parse_args()
    if shutil.which("tcpdump") is None:
        print("skipped: tcpdump is not installed")
        return
    for name, snaplen in (("frames of 60-1514 bytes", 65535), ("snap length 96", 96)):
        capture = os.path.join(options.dir, f"skep-bench-{snaplen}-{options.bytes}.pcap")
        if not os.path.exists(capture):
            run([os.path.join(options.bin, "skep-gen-capture"), "--bytes", str(options.bytes), "--snaplen",
                 str(snaplen), capture])
        compare(name, capture, options)
        os.unlink(capture)


if __name__ == "__main__":
    main()
