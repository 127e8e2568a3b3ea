#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/packages/deb.sh [DIRECTORY_OF_DEBS]
# Installs the Debian packages (default: out/deb) in a new, minimal root of this system's release, builds programs against them with
# pkg-config and with CMake, runs the programs, and removes the packages: no file may be left. Needs root and mmdebstrap.
set -eu
case ${1-} in -h | --help) sed -n '3,/^set/s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
cd "$(dirname "$0")/../.."
debs=$(cd "${1-out/deb}" && pwd)
[ -n "$(ls "$debs"/*.deb 2>/dev/null)" ] || { echo "deb.sh: no packages in $debs: run make deb" >&2; exit 2; }
[ "$(id -u)" -eq 0 ] || { echo "deb.sh: only root can make a root directory: run it with sudo" >&2; exit 2; }
work=build/deb-root
rm -rf "$work"
mkdir -p "$work"
root=$work/root
trap '[ $? -eq 0 ] || { tail -n 5 "$work/log"; echo "deb.sh failed; the whole log is $work/log"; } >&2' EXIT
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
    mmdebstrap --quiet --variant=minbase --include=gcc,libc6-dev,pkg-config,cmake,make "$release" "$root" - >"$work/log" 2>&1 || {
    tail -n 20 "$work/log" >&2
    echo "deb.sh: mmdebstrap failed" >&2
    exit 1
}

inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive HOME=/root LC_ALL=C.UTF-8 "$@"; }

# Files of the root, without what apt and dpkg remember of any package, and logs and caches.
files() {
    (cd "$root" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp -o -path ./root -o -path ./var/lib/dpkg \
        -o -path ./var/lib/apt -o -path ./var/cache -o -path ./var/log \) -prune -o -print | LC_ALL=C sort)
}

mkdir "$root/tmp/debs" "$root/tmp/program"
cp "$debs"/*.deb "$root/tmp/debs"
cp tests/packages/program/program.c "$root/tmp/program/program.c"
cp tests/packages/program/CMakeLists.txt "$root/tmp/program/CMakeLists.txt"
cp tests/consumer/mpi.c "$root/tmp/program/mpi.c"

# The libraries that the packages need stay, so they are there before the first list is made.
needs=$(for deb in "$debs"/*.deb; do dpkg-deb --field "$deb" Depends; done | tr ',' '\n' | sed 's/(.*//; s/|.*//; s/ //g' | grep -v keel | sort -u)
inside apt-get update -q >>"$work/log" 2>&1
# shellcheck disable=SC2086 # names of packages
inside apt-get install -q -y --no-install-recommends $needs >>"$work/log" 2>&1
files >"$work/before"

inside sh -c 'apt-get install -q -y --no-install-recommends /tmp/debs/*.deb' >>"$work/log" 2>&1
inside sh -c 'cd /tmp/program && cc -O2 program.c $(pkg-config --cflags --libs keel) -o by_pkg_config && ./by_pkg_config'
inside sh -c 'cd /tmp/program && cmake -B build . >/dev/null && cmake --build build >/dev/null && build/by_cmake'
inside sh -c 'cd /tmp/program && cc -O2 mpi.c $(pkg-config --cflags --libs keel-mpi) -o ranks_by_pkg_config'
for program in ranks_by_pkg_config build/ranks_by_cmake; do
    inside OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun -n 2 --oversubscribe /tmp/program/$program 2
done
inside sh -c 'ldd /tmp/program/by_pkg_config | grep -q libkeel.so.0' || { echo "deb.sh: the program does not use the shared library" >&2; exit 1; }
inside orrery --data /usr/share/keel-tools/bodies.csv --from 2026-11-21 --days 10 | tail -n 1
inside keel-save --help | head -n 1
inside keel-inspect --help | head -n 1
files | comm -13 "$work/before" - >"$work/installed"
[ "$(wc -l <"$work/installed")" -gt 40 ] || { echo "deb.sh: hardly a file was installed: see $work/installed" >&2; exit 1; }

inside apt-get purge -q -y libkeel0 libkeel-dev libkeel-mpi-dev keel-tools >>"$work/log" 2>&1
files | comm -13 "$work/before" - >"$work/left"
if [ -s "$work/left" ]; then
    echo "deb.sh: files that are left after the packages were removed:" >&2
    cat "$work/left" >&2
    exit 1
fi
if inside sh -c 'cc /tmp/program/program.c -lkeel -o /dev/null' 2>/dev/null; then
    echo "deb.sh: a program still builds after the packages were removed" >&2
    exit 1
fi
echo "packages: installed $(wc -l <"$work/installed") files and directories, used, removed without a trace"
