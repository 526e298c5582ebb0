#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/kernel/run.sh [PRESET...]: fetches the kernel's BPF tests (fetch.sh), extracts them (extract.py) into
# build/kernel-vectors, once, and runs them on every interpreter of the presets named, or of release, armhf and arm64
# where they are configured. Exit status 77 and a reason when the tests cannot be had.
set -euo pipefail
cd "$(dirname "$0")/../.."

vectors=build/kernel-vectors
if [ ! -s $vectors/tests.jsonl ]; then
  tests/kernel/fetch.sh $vectors
  python3 tests/kernel/extract.py $vectors/linux $vectors "${CC:-cc}"
fi

presets=("$@")
if [ ${#presets[@]} = 0 ]; then
  for preset in release armhf arm64; do
    [ ! -e build/$preset/CMakeCache.txt ] || presets+=("$preset")
  done
fi
if [ ${#presets[@]} = 0 ]; then
  cmake --preset release
  presets=(release)
fi
for preset in "${presets[@]}"; do
  cmake --build "build/$preset" --target skep_kernel_vectors
  ctest --test-dir "build/$preset" -R '^kernel\.vectors\.' --no-tests=error --verbose | grep -v '^$'
done
