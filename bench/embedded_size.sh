#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# embedded_size.sh [BUILD_DIR]: what skep costs a small embedder. Builds the library without capture, tools and tests,
# links a minimal program (assemble, load, run) with it, statically and dynamically, and prints the sizes of the files
# without symbols and the program's resident memory.
set -euo pipefail
source_dir=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$source_dir/build/embedded}
cmake -S "$source_dir" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=MinSizeRel -DSKEP_CAPTURE=OFF -DSKEP_TOOLS=OFF \
  -DSKEP_TESTS=OFF -DSKEP_BENCH=OFF >/dev/null
cmake --build "$build" >/dev/null
cmake --install "$build" --prefix "$build/prefix" >/dev/null
libdir=$(dirname "$(find "$build/prefix" -name libskep.a)")

cat >"$build/minimal.c" <<'EOF'
#include <skep/skep.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  skep_cpus* cpus;
  skep_thread* thread;
  skep_program* program;
  if (skep_cpus_create(1, &cpus, NULL) != 0 || skep_thread_attach(cpus, &thread, NULL) != 0 ||
      skep_program_assemble("r0 = 42\nexit\n", SKEP_THREADED, NULL, 0, &program, NULL) != 0 ||
      skep_program_run(program, thread, NULL).r0 != 42) return 1;
  char line[256];
  FILE* status = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof line, status) != NULL) {
    if (strncmp(line, "VmRSS:", 6) == 0 || strncmp(line, "RssAnon:", 8) == 0) fputs(line, stdout);
  }
  return 0;
}
EOF
cc -Os -c -I"$build/prefix/include" "$build/minimal.c" -o "$build/minimal.o"
c++ "$build/minimal.o" "$libdir/libskep.a" -Wl,--gc-sections -lfmt -pthread -o "$build/minimal_static"
c++ "$build/minimal.o" -L"$libdir" -lskep -Wl,-rpath,"$libdir" -o "$build/minimal_shared"
strip -o "$build/libskep.stripped.so" "$(readlink -f "$libdir/libskep.so")"
strip "$build/minimal_static" "$build/minimal_shared"

echo "libskep.so without capture, stripped:      $(stat -c %s "$build/libskep.stripped.so") bytes"
echo "minimal program with libskep.a, stripped:  $(stat -c %s "$build/minimal_static") bytes"
echo "resident memory of the minimal program, static:"
"$build/minimal_static" | sed 's/^/  /'
echo "resident memory of the minimal program, shared:"
"$build/minimal_shared" | sed 's/^/  /'
