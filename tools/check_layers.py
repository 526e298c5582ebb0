#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the direction of #include between the rooms of src/ against tools/layers.txt.

check_layers.py [--root DIR]   fails on: an include of a room that the including room does not list, a row that
                               lists a later room, a folder with sources that no row names, an include of a file
                               that does not exist, a public header that includes a third party's.
check_layers.py --self-test    proves on a small tree in a temporary folder that each of these is caught.

The room of a file is the longest row that is a prefix of its folder, so `compiler` and `compiler/ir` may both have a
row. `skep/x.h` (public headers, include/skep/) belongs to the room `skep`.
"""
import argparse
import pathlib
import re
import sys
import tempfile

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
ANGLE = re.compile(r'^\s*#\s*include\s*<([^>]+)>', re.M)
# What a public header may include in <>: C++ standard headers have neither "." nor "/"; of C's, these.
PUBLIC_C_HEADERS = {"stdbool.h", "stddef.h", "stdint.h"}
SUFFIXES = {".h", ".cc", ".c", ".def"}


def read_layers(path):
    """Returns ({room: set of rooms it may use}, problems)."""
    layers, problems = {}, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        room, _, uses = line.partition(":")
        for used in uses.split():
            if used not in layers:
                problems.append(f"{path}:{number}: {room} may not use {used}: {used} is not an earlier row")
        layers[room.strip()] = set(uses.split())
    return layers, problems


def room_of(folder, layers):
    parts = folder.split("/")
    for length in range(len(parts), 0, -1):
        if "/".join(parts[:length]) in layers:
            return "/".join(parts[:length])
    return None


def sources(root):
    """Yields (path, folder inside src/ or `skep` for the public headers)."""
    for base, prefix in ((root / "src", ""), (root / "include" / "skep", "skep/")):
        for path in sorted(base.rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                folder = (prefix + path.relative_to(base).parent.as_posix()).rstrip("./")
                if folder:
                    yield path, folder


def check(root):
    layers, problems = read_layers(root / "tools" / "layers.txt")
    for path, folder in sources(root):
        room = room_of(folder, layers)
        if room is None:
            problems.append(f"{path}: the folder {folder} is no room of tools/layers.txt")
            continue
        text = path.read_text()
        if room == "skep":
            for name in ANGLE.findall(text):
                if name not in PUBLIC_C_HEADERS and ("." in name or "/" in name):
                    problems.append(f"{path}: a public header may not include <{name}>")
        for match in INCLUDE.finditer(text):
            target = match.group(1)
            where = f"{path}:{text.count(chr(10), 0, match.start(1)) + 1}"
            if (path.parent / target).exists():  # beside the file
                used_folder = folder if "/" not in target else None
            else:
                used_folder = None
            if used_folder is None:
                used_folder = target.rpartition("/")[0]
                real = root / ("include" if target.startswith("skep/") else "src") / target
                generated = real.with_name(real.name + ".in")
                if not real.exists() and not generated.exists():
                    problems.append(f"{where}: no such file: {target}")
                    continue
            used = room_of(used_folder, layers)
            if used is None:
                problems.append(f"{where}: {target} is in no room of tools/layers.txt")
            elif used != room and used not in layers[room]:
                problems.append(f"{where}: {room} may not use {used} (tools/layers.txt)")
    return problems


def self_test():
    """Each case: files of a small tree -> a piece of the message expected, or None where all is well."""
    rows = "skep:\nlow:\nmid: low\nmid/sub: low mid\ntop: skep low mid\n"
    cases = [
        ({"tools/layers.txt": rows, "src/mid/a.cc": '#include "low/l.h"\n', "src/low/l.h": ""}, None),
        ({"tools/layers.txt": rows, "src/mid/a.cc": '#include "a.h"\n', "src/mid/a.h": ""}, None),
        ({"tools/layers.txt": rows, "src/low/l.h": '#include "mid/a.h"\n', "src/mid/a.h": ""}, "low may not use mid"),
        ({"tools/layers.txt": rows, "src/mid/a.h": '#include "mid/sub/s.h"\n', "src/mid/sub/s.h": ""},
         "mid may not use mid/sub"),
        ({"tools/layers.txt": rows, "src/new/a.h": ""}, "is no room"),
        ({"tools/layers.txt": rows, "src/top/a.cc": '#include "new/n.h"\n', "src/new/n.h": ""}, "is in no room"),
        ({"tools/layers.txt": rows, "src/top/a.cc": '#include "low/gone.h"\n'}, "no such file"),
        ({"tools/layers.txt": rows, "src/low/a.cc": '#include "skep/v.h"\n', "include/skep/v.h": ""},
         "low may not use skep"),
        ({"tools/layers.txt": rows, "src/top/a.cc": '#include "skep/v.h"\n', "include/skep/v.h.in": ""}, None),
        ({"tools/layers.txt": rows, "include/skep/v.h": '#include "low/l.h"\n', "src/low/l.h": ""},
         "skep may not use low"),
        ({"tools/layers.txt": rows, "include/skep/v.h": '#include <vector>\n#include <stdint.h>\n'}, None),
        ({"tools/layers.txt": rows, "include/skep/v.h": '#include <fmt/core.h>\n'}, "may not include <fmt/core.h>"),
        ({"tools/layers.txt": "low: mid\nmid:\n"}, "mid is not an earlier row"),
    ]
    for files, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            found = check(root)
        if (expected is None) != (not found) or (expected and not any(expected in line for line in found)):
            return [f"self-test: expected {expected!r}, found {found} for {files}"]
    print(f"{len(cases)} cases")
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    problems = self_test() if options.self_test else check(options.root)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
