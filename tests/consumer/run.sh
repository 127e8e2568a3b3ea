#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/consumer/run.sh install|find_package|pkg_config|add_subdirectory|fetch_content
#                              static|shared WORK_DIR
#        tests/consumer/run.sh entity_width WORK_DIR LIBKEEL32
#        tests/consumer/run.sh entity_32_package WORK_DIR
# `install` comes before find_package and pkg_config in the same WORK_DIR.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
CMAKE=${CMAKE:-cmake}
: "${CC:=cc}"
way=$1
# The library is what is tested here: leave out everything else.
only_library="-DKEEL_BUILD_TESTS=OFF -DKEEL_BUILD_EXAMPLES=OFF -DKEEL_BUILD_BENCHMARKS=OFF"

die() {
    echo "FAILED: $1" >&2
    exit 1
}

configure() { # source dir, build dir, further arguments
    configure_source=$1 configure_build=$2
    shift 2
    "$CMAKE" -S "$configure_source" -B "$configure_build" -DCMAKE_C_COMPILER="$CC" \
        -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS="$shared" \
        -DCMAKE_C_FLAGS_RELEASE="-O0 -DNDEBUG" "$@" # how it is found is asked, not how fast it is
}

build_and_run() { # build dir
    "$CMAKE" --build "$1" --parallel 2
    "$1/consumer"
    check_kind "$1/consumer"
}

# Did the program get the kind of library that was asked for?
check_kind() { # program
    command -v ldd >/dev/null 2>&1 || return 0
    if ldd "$1" 2>/dev/null | grep -q libkeel; then found=ON; else found=OFF; fi
    [ "$found" = "$shared" ] || die "linked to the wrong kind of library"
}

case $way in
entity_*) shared=OFF work=$2 ;;
*)
    case $2 in shared) shared=ON ;; *) shared=OFF ;; esac
    work=$3
    ;;
esac
prefix=$work/prefix

case $way in
install)
    rm -rf "$work/library" "$prefix" "$work/first_prefix"
    # shellcheck disable=SC2086 # options are meant to be split
    configure "$source" "$work/library" $only_library -DCMAKE_INSTALL_PREFIX="$work/first_prefix"
    "$CMAKE" --build "$work/library" --parallel 2
    "$CMAKE" --install "$work/library"
    mv "$work/first_prefix" "$prefix" # an installed tree can be moved
    ;;
find_package)
    rm -rf "${work:?}/$way"
    configure "$here/find_package" "$work/$way" -DCMAKE_PREFIX_PATH="$prefix"
    build_and_run "$work/$way"
    ;;
add_subdirectory | fetch_content)
    rm -rf "${work:?}/$way"
    configure "$here/$way" "$work/$way" -DKEEL_SOURCE_DIR="$source"
    build_and_run "$work/$way"
    ;;
pkg_config)
    mkdir -p "$work/$way"
    PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name keel.pc)")
    export PKG_CONFIG_PATH
    version=$(pkg-config --modversion keel)
    if [ "$shared" = ON ]; then static="" rpath="-Wl,-rpath,$(pkg-config --variable=libdir keel)"
    else static=--static rpath=""; fi
    # shellcheck disable=SC2046,SC2086 # flags are meant to be split
    "$CC" "$here/main.c" -o "$work/$way/consumer" $(pkg-config --cflags --libs $static keel) $rpath
    [ "$("$work/$way/consumer")" = "keel $version" ] || die "keel.pc says version $version"
    check_kind "$work/$way/consumer"
    ;;
entity_width)
    mkdir -p "$work"
    messages=$work/messages
    # What fits links, so a failure below has the right cause.
    "$CC" -DKEEL_ENTITY_32=1 -I"$source/include" "$here/main.c" "$3" -pthread -o "$work/same_width"
    "$work/same_width"
    if LC_ALL=C "$CC" -I"$source/include" "$here/main.c" "$3" -pthread -o "$work/mixed" \
        2>"$messages"; then
        die "a program with 64-bit handles links to a library with 32-bit handles"
    fi
    grep -q 'undefined.*keel_world_create' "$messages" || { cat "$messages"; die "another error"; }
    ;;
entity_32_package)
    rm -rf "$work"
    # shellcheck disable=SC2086 # options are meant to be split
    configure "$source" "$work" $only_library -DKEEL_ENTITY_32=ON >/dev/null
    grep -q '^Cflags:.* -DKEEL_ENTITY_32=1' "$work/keel.pc" || die "keel.pc lacks KEEL_ENTITY_32"
    ;;
*) die "unknown: $way" ;;
esac
