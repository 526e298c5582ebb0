# SPDX-License-Identifier: Apache-2.0
# Sourced by the end-to-end tests: a folder of its own that goes away, and short words for expectations.
set -u
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

fail() { echo "FAILED: $*" >&2; exit 1; }
skip() { echo "skipped: $*"; exit 77; }
need() { command -v "$1" >/dev/null || skip "$1 is not installed"; }

# expect STATUS command...: runs it; its output is in the files out and err.
expect() {
  local wanted=$1; shift
  "$@" >out 2>err
  local got=$?
  [ $got -eq "$wanted" ] || { cat err >&2; fail "status $got instead of $wanted: $*"; }
}
# says TEXT: the last command's error output has the text, in one line.
says() { grep -qF -- "$1" err || { cat err >&2; fail "does not say: $1"; }; }
# same A B: the files are equal.
same() { cmp "$1" "$2" || fail "$1 and $2 differ"; }
# tcpdump as the one user that may write here.
dump() { if [ "$(id -u)" = 0 ]; then tcpdump -Z root "$@"; else tcpdump "$@"; fi }
