#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/kernel/verifier.sh [PRESET]: fetches the sources of Linux's test_verifier out of Debian's package
# linux-source-6.1, makes data of its table (build/kernel-verifier/table.jsonl, once), and judges it with the verifier of
# the preset (release). LINUX=TREE takes an unpacked 6.1 tree instead of the package. Exit status 77 and a reason when
# the table cannot be had. Nothing of the kernel's stays outside of the build folder.
set -euo pipefail
cd "$(dirname "$0")/../.."

folder=build/kernel-verifier
preset=${1:-release}
skip() {
  echo "skipped: $*" >&2
  exit 77
}

fetch() {
  command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || skip "no apt: linux-source-6.1 cannot be fetched"
  mkdir -p $folder/linux
  (
    cd $folder
    apt-get -q download linux-source-6.1 >fetch.log 2>&1 || skip "apt cannot download linux-source-6.1 ($folder/fetch.log)"
    package=$(ls -t linux-source-6.1_*.deb | head -n 1)
    dpkg-deb --fsys-tarfile "$package" | tar -xO ./usr/src/linux-source-6.1.tar.xz |
      tar -xJ -C linux --strip-components=1 --wildcards 'linux-source-6.1/tools/include/*' \
        'linux-source-6.1/tools/lib/bpf/*' 'linux-source-6.1/tools/testing/selftests/bpf/*'
    rm -f linux-source-6.1_*.deb
  )
}

extract() {
  local linux=${LINUX:-$folder/linux}
  [ -s "$linux/tools/testing/selftests/bpf/test_verifier.c" ] || { fetch && linux=$folder/linux; }
  local tests=$linux/tools/testing/selftests/bpf
  mkdir -p $folder/generated/verifier
  {
    echo '#ifdef FILL_ARRAY'
    for file in "$tests"/verifier/*.c; do
      echo "{ .descr = \"@file:$(basename "$file")\" },"
      echo "#include \"$(realpath "$file")\""
    done
    echo '#endif'
  } >$folder/generated/verifier/tests.h
  "${CC:-cc}" -O0 -w -I$folder/generated -I"$tests" -I"$linux/tools/include" -I"$linux/tools/include/uapi" \
    -I"$linux/tools/lib" tests/kernel/verifier_extract.c "$tests/testing_helpers.c" "$tests/cap_helpers.c" \
    -l:libbpf.a -lelf -lz -o $folder/extract || skip "the table's program does not compile (libbpf-dev, libelf-dev)"
  $folder/extract >$folder/table.part
  mv $folder/table.part $folder/table.jsonl
}

[ -s $folder/table.jsonl ] || extract
[ -e "build/$preset/CMakeCache.txt" ] || cmake --preset "$preset"
cmake --build "build/$preset" --target skep_kernel_verifier
"build/$preset/bin/skep_kernel_verifier" $folder/table.jsonl tests/kernel/verifier_verdicts_6.1.tsv "${@:2}"
