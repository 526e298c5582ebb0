#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that files which texts speak of exist: nothing else notices when one is renamed.

check_references.py   fails on: a relative link of a Markdown file that leads nowhere; a file with an ending in the
                      "Tested by" sentence at the top of a source, or in the last column of the table of rooms in
                      docs/architecture.md, that does not exist.
"""
import pathlib
import re
import subprocess
import sys

LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
TESTED = re.compile(r"Tested by ((?:[^\n]|\n//(?! SPDX))*)")
FILE = re.compile(r"(?<![\w*])[\w/]+\.(?:cc|c|h|py|sh|def)\b")
ROOM = re.compile(r"^\| `([\w/]+)/` \|.*\|([^|]*)\|$", re.M)
HEAD_LINES = 25


def missing(root, names):
    """Yields (file, what it names in vain)."""
    base_names = {pathlib.PurePath(name).name for name in names}
    for name in names:
        path = root / name
        if path.suffix == ".md":
            for link in LINK.findall(path.read_text()):
                if not (path.parent / link).exists():
                    yield name, link
        elif path.suffix in {".h", ".cc", ".c"}:
            head = "\n".join(path.read_text(errors="replace").splitlines()[:HEAD_LINES])
            for sentence in TESTED.findall(head):
                for test in FILE.findall(sentence):
                    if pathlib.PurePath(test).name not in base_names:
                        yield name, test
    page = "docs/architecture.md"
    for room, starts in ROOM.findall((root / page).read_text()):
        for start in FILE.findall(starts):
            if not any((folder / start).exists() for folder in (root / "src" / room, root)):
                yield page, f"{start} of {room}/"


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    listing = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], check=True, capture_output=True, text=True)
    names = [name for name in listing.stdout.split("\0") if name and (root / name).is_file()]
    problems = [f"{name}: there is no {what}" for name, what in missing(root, names)]
    print("\n".join(problems), end="\n" if problems else "", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
