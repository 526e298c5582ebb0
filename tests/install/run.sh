#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh BUILD_DIR WORK_DIR CC CXX: installs BUILD_DIR into WORK_DIR/prefix, then builds and runs the outside project of
# this folder against it: through find_package (shared, static, C) and through pkg-config (shared, static).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1 work=$2 cc=$3 cxx=$4
rm -rf "$work"
mkdir -p "$work"
prefix=$work/prefix
quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; echo "failed: $*"; exit 1; }; }

quietly cmake --install "$build" --prefix "$prefix"

quietly cmake -S "$here" -B "$work/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_CXX_STANDARD=20 \
  -DSKEP_EXAMPLES="$here/../../examples"
quietly cmake --build "$work/cmake"
for program in user_shared user_static user_c; do
  "$work/cmake/$program" | sed "s/^/find_package $program: /"
done
for program in "$work"/cmake/examples/*; do
  quietly "$program"
  echo "example, static: $(basename "$program")"
done

pc=$(echo "$prefix"/lib*/pkgconfig "$prefix"/lib/*/pkgconfig | tr ' ' '\n' | grep -v '[*]' | head -n 1)
export PKG_CONFIG_PATH=$pc
# The prefix inside skep.pc is the configured one; --define-prefix takes the place where the file lies.
flags() { pkg-config --define-prefix "$@" skep; }
libdir=$(dirname "$pc")
read -ra cflags <<<"$(flags --cflags)"
read -ra libs <<<"$(flags --libs)"
# -lskep would take the shared library: the archive is named instead.
read -ra static_libs <<<"$(flags --libs --static | sed 's/-lskep\>//')"
quietly "$cxx" -std=c++20 "${cflags[@]}" "$here/user.cc" -o "$work/pc_shared" "${libs[@]}" -Wl,-rpath,"$libdir"
quietly "$cc" "${cflags[@]}" "$here/user.c" -o "$work/pc_c" "${libs[@]}" -Wl,-rpath,"$libdir"
quietly "$cxx" -std=c++20 "${cflags[@]}" "$here/user.cc" -o "$work/pc_static" \
  "$libdir/libskep.a" "${static_libs[@]}"
for program in pc_shared pc_c pc_static; do
  "$work/$program" | sed "s/^/pkg-config $program: /"
done

# Each public header stands alone, without warnings; those without C++ in them also in C.
for header in "$prefix"/include/skep/*.h; do
  line=$(printf '#include <skep/%s>\nextern int used;\n' "$(basename "$header")")
  check=("${cflags[@]}" -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
  quietly "$cxx" -std=c++20 "${check[@]}" -x c++ - <<<"$line"
  if ! grep -qE '^namespace skep|^#include <[a-z_]+>' "$header"; then
    quietly "$cc" -std=c11 "${check[@]}" -x c - <<<"$line"
  fi
done

# The code in the README and at the top of the headers compiles as it is written there.
snippets() {  # FILE...: the code behind `//   ` and in ```cpp blocks, each file's in a block of its own
  awk 'FNR == 1 { if (NR > 1) print "}"; print "{"; cpp = 0 }
    /^```/ { cpp = $0 == "```cpp"; next }
    cpp && !/^#include/ || sub(/^\/\/   /, "")
    END { print "}" }' "$@"
}
{
  for header in assemble filter program thread; do echo "#include <skep/$header.h>"; done
  echo 'template <class T> void use(const T&) {}'
  echo 'void snippets(skep::Thread& thread, skep::Program* program, std::span<std::uint8_t> bytes,'
  echo '              std::span<const std::uint8_t> packet, skep::RunInput& input);'
  echo 'void snippets(skep::Thread& thread, skep::Program* program, std::span<std::uint8_t> bytes,'
  echo '              std::span<const std::uint8_t> packet, skep::RunInput& input) {'
  snippets "$here/../../README.md" "$prefix"/include/skep/*.h
  echo '}'
} >"$work/snippets.cc"
[ "$(grep -c 'skep::' "$work/snippets.cc")" -gt 10 ] || { echo "no code found in README.md and headers"; exit 1; }
quietly "$cxx" -std=c++20 "${cflags[@]}" -fsyntax-only "$work/snippets.cc"

# Whatever is exported must be meant to be: the C face, and C++ in namespace skep.
stray=$(nm -DC --defined-only "$libdir/libskep.so" | awk '$2 ~ /[TDB]/ { $1 = $2 = ""; print }' |
  grep -vE '^ *(skep_[a-z0-9_]+$|(typeinfo|vtable|VTT|typeinfo name|guard variable) for skep::|skep::)' || true)
[ -z "$stray" ] || { echo "libskep.so exports more than its API:"; head -n 20 <<<"$stray"; exit 1; }
