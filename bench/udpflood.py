#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a capture that matches nothing costs under load: the experiment of 2011.

A sender floods the loopback interface of a network namespace made for it with UDP datagrams, while a capture with
the filter `net 192.168.2.0/24` runs beside it. Rows: no capture; skep filter, which gets every packet and filters
in user space, with each of its engines; tcpdump, whose filter runs in the kernel (another mechanism: rejected
packets never reach the process). For each, nanoseconds of CPU a packet: of the sender (which also does the
kernel's work for each packet), of the capture process, their sum; and the share of packets that the capture lost.
Rounds are interleaved; medians are printed. Nothing leaves the namespace, whose only interface is its own loopback.

    bench/udpflood.py --bin build/release/bin [--packets N] [--rounds N]      (as root)
"""
import argparse
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time

EXPRESSION = "net 192.168.2.0/24"


def listening(process, log):
    """Waits until the capture says that it listens."""
    for _ in range(200):
        with open(log, encoding="utf-8", errors="replace") as file:
            if "listening on" in file.read():
                return True
        if process.poll() is not None:
            return False
        time.sleep(0.02)
    return False


def one_round(capture, options, log):
    """(sender ns, capture ns, dropped share) of one flood."""
    process = None
    if capture:
        with open(log, "wb") as file:
            process = subprocess.Popen(capture, stdout=subprocess.DEVNULL, stderr=file)
        if not listening(process, log):
            sys.exit(f"capture does not start: {open(log, encoding='utf-8', errors='replace').read()}")
    sender = os.path.join(options.bin, "udpflood_send")
    sent = subprocess.run([sender, str(options.packets), str(options.size)], stdout=subprocess.PIPE, check=True)
    sender_ns = float(sent.stdout.split()[0])
    if process is None:
        return sender_ns, 0.0, 0.0
    time.sleep(1.2)  # the last buffer is handed over after a second at most
    process.send_signal(signal.SIGINT)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    with open(log, encoding="utf-8", errors="replace") as file:
        text = file.read()
    dropped = re.search(r"(\d+) packets dropped by kernel", text)
    received = re.search(r"(\d+) packets received by", text)
    lost, seen = int(dropped.group(1)), int(received.group(1))
    cpu = usage.ru_utime + usage.ru_stime
    return sender_ns, cpu * 1e9 / options.packets, lost / seen if seen else 0.0


def inside(options):
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    log = f"/tmp/udpflood.{os.getpid()}.log"
    skep = os.path.join(options.bin, "skep")
    rows = {"no capture": None}
    for engine in ("switch", "threaded", "libpcap"):
        rows[f"skep filter, {engine}"] = [skep, "filter", "-i", "lo", "--engine", engine, "-w", "/dev/null", EXPRESSION]
    if shutil.which("tcpdump"):
        rows["tcpdump (filter in the kernel)"] = ["tcpdump", "-Z", "root", "-i", "lo", "-w", "/dev/null", EXPRESSION]
    results = {name: [] for name in rows}
    for _ in range(options.rounds):
        for name, capture in rows.items():
            results[name].append(one_round(capture, options, log))
    if os.path.exists(log):
        os.unlink(log)
    print(f"{options.packets} datagrams of {options.size} bytes, {options.rounds} interleaved rounds, medians; "
          "CPU in ns a packet")
    print(f"{'':32} {'sender':>8} {'capture':>8} {'sum':>8} {'of none':>8} {'lost':>7}")
    base = statistics.median(r[0] for r in results["no capture"])
    for name, rounds in results.items():
        sender = statistics.median(r[0] for r in rounds)
        capture = statistics.median(r[1] for r in rounds)
        total = statistics.median(r[0] + r[1] for r in rounds)
        lost = statistics.median(r[2] for r in rounds)
        print(f"{name:32} {sender:8.0f} {capture:8.0f} {total:8.0f} {total / base:7.2f}x {lost:7.1%}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default="build/release/bin", help="folder of skep and udpflood_send")
    parser.add_argument("--packets", type=int, default=1000000)
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        inside(options)
        return
    if os.geteuid() != 0 or shutil.which("unshare") is None or shutil.which("ip") is None:
        print("skipped: needs root, unshare and ip to make a network namespace")
        return
    os.execvp("unshare", ["unshare", "-n", sys.executable, os.path.abspath(__file__), "--inside", *sys.argv[1:]])


if __name__ == "__main__":
    main()
