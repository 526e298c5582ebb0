#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/kernel/fetch.sh FOLDER: puts the three files of Debian's package linux-source-6.1 that extract.py reads into
# FOLDER/linux (once; a second call finds them there). Exit status 77 and a reason when the package cannot be had.
# The files are the kernel's (GPL): they stay in the build folder and never go into the repository.
set -euo pipefail

folder=${1:?usage: fetch.sh FOLDER}
files=(lib/test_bpf.c include/linux/filter.h include/uapi/linux/bpf_common.h)

have_all() {
  local file
  for file in "${files[@]}"; do [ -s "$folder/linux/$file" ] || return 1; done
}
skip() {
  echo "skipped: $*" >&2
  exit 77
}

have_all && exit 0
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || skip "no apt: linux-source-6.1 cannot be fetched"
command -v xz >/dev/null || skip "xz is missing (xz-utils)"
mkdir -p "$folder/linux"
folder=$(cd "$folder" && pwd)
cd "$folder"
apt-get -q download linux-source-6.1 >fetch.log 2>&1 || skip "apt cannot download linux-source-6.1 ($folder/fetch.log)"
package=$(ls -t linux-source-6.1_*.deb | head -n 1)
dpkg-deb --fsys-tarfile "$package" | tar -xO ./usr/src/linux-source-6.1.tar.xz |
  tar -xJ -C linux --strip-components=1 "${files[@]/#/linux-source-6.1/}"
rm -f linux-source-6.1_*.deb
have_all || skip "linux-source-6.1 does not hold ${files[*]}"
