#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# sysroot.sh ARCH DIR: unpacks the foreign (armhf, arm64) libraries that skep links into DIR, once.
# Debian's -dev packages of two architectures cannot always be installed side by side (versions differ), and
# `dpkg --add-architecture` would change the machine. So apt gets a state folder of its own inside DIR, reads the
# system's Debian sources for ARCH, and the packages are unpacked, not installed (docs/adr/0002-cross-sysroot.md).
# A package that cannot be had is named in DIR/missing.txt and left out: CMake then leaves out what needs it.
set -euo pipefail
arch=$1
dir=$(mkdir -p "$2" && cd "$2" && pwd)

# What to link, then what those need to run. The C and C++ run time are in the cross compiler's packages.
packages=(libgtest-dev libgmock-dev googletest libexpected-dev libfmt-dev libfmt9 libcli11-dev nlohmann-json3-dev
  zlib1g-dev zlib1g libzstd-dev libzstd1 libelf-dev libelf1 libpcap0.8-dev libpcap-dev
  libpcap0.8 libdbus-1-3 libsystemd0 libcap2 libgcrypt20 libgpg-error0 liblz4-1 liblzma5)

key="1 $arch ${packages[*]}"
if [ -f "$dir/done" ] && [ "$(cat "$dir/done")" = "$key" ]; then
  exit 0
fi
for tool in apt-get dpkg-deb; do
  command -v $tool >/dev/null || { echo "sysroot: no $tool here: cannot fetch $arch packages" >&2; exit 1; }
done

rm -rf "$dir/apt" "$dir/root" "$dir/missing.txt" "$dir/done"
mkdir -p "$dir/apt/state/lists/partial" "$dir/apt/cache/archives/partial" "$dir/debs" \
  "$dir/root/usr/lib" "$dir/apt/parts"
touch "$dir/apt/status"
ln -s usr/lib "$dir/root/lib" # both names are one folder on Debian 12

# Only Debian's own sources: others have no such packages, or refuse the architecture.
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
  if [ -f "$list" ] && grep -qsE '^(deb|URIs:).*debian' "$list"; then
    cp "$list" "$dir/apt/parts/"
  fi
done

apt=(apt-get -q -o Dir::State="$dir/apt/state" -o Dir::State::status="$dir/apt/status"
  -o Dir::Cache="$dir/apt/cache" -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$dir/apt/parts"
  -o APT::Architecture="$arch" -o APT::Architectures="$arch" -o APT::Sandbox::User=
  -o Acquire::Languages=none -o Acquire::Retries=3)
"${apt[@]}" update >"$dir/apt/log" 2>&1 || echo "sysroot: some $arch package lists are missing ($dir/apt/log)" >&2

unpack() {
  local name=$1 deb
  rm -rf "$dir/debs/$name"
  mkdir -p "$dir/debs/$name"
  (cd "$dir/debs/$name" && "${apt[@]}" download "$name") >>"$dir/apt/log" 2>&1 || return 1
  deb=$(echo "$dir/debs/$name"/*.deb)
  dpkg-deb -x "$deb" "$dir/root"
}
for name in "${packages[@]}"; do
  unpack "$name" || echo "$name" >>"$dir/missing.txt"
done
rm -rf "$dir/debs" "$dir/apt/state" "$dir/apt/cache"

# Links that name an absolute path (libz.so -> /lib/...) would leave the sysroot.
find "$dir/root" -type l | while read -r link; do
  target=$(readlink "$link")
  if [[ $target == /* ]]; then ln -sfn "$dir/root$target" "$link"; fi
done

if [ -s "$dir/missing.txt" ]; then
  echo "sysroot: not available for $arch: $(tr '\n' ' ' <"$dir/missing.txt")" >&2
  # Without GoogleTest there is nothing to run; anything else only makes the build smaller.
  ! grep -qx 'libgtest-dev' "$dir/missing.txt" || exit 1
fi
echo "$key" >"$dir/done"
