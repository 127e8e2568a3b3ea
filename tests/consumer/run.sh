#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/consumer/run.sh install|find_package|find_package_cxx|pkg_config|add_subdirectory|fetch_content|cxx_only
#                              static|shared WORK_DIR
#        tests/consumer/run.sh readme|beside|folders|part|one_file|dist|windows WORK_DIR
#        tests/consumer/run.sh entity_width WORK_DIR LIBKEEL32
#        tests/consumer/run.sh entity_32_package WORK_DIR
# `install` comes before find_package, find_package_cxx and pkg_config in the same WORK_DIR.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
CMAKE=${CMAKE:-cmake}
: "${CC:=cc}"
way=$1

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
    [ ! -x "$1/transform" ] || "$1/transform"
    [ ! -x "$1/maths" ] || "$1/maths"
    [ ! -x "$1/session" ] || "$1/session"
    [ ! -x "$1/save" ] || "$1/save"
    [ ! -x "$1/sqlite" ] || "$1/sqlite"
    [ ! -x "$1/inspect" ] || "$1/inspect"
    [ ! -x "$1/mpi" ] || play_ranks "$1/mpi"
}

# On threads, and on two processes if Keel was built with MPI. Open MPI refuses root, the only user of containers, without
# these variables.
play_ranks() { # program
    said=$("$1") || die "$said"
    echo "$said"
    [ "${said#*with MPI}" != "$said" ] || return 0
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun -n 2 --oversubscribe "$1" 2
}

# Did the program get the kind of library that was asked for?
check_kind() { # program
    command -v ldd >/dev/null 2>&1 || return 0
    if ldd "$1" 2>/dev/null | grep -q libkeel; then found=ON; else found=OFF; fi
    [ "$found" = "$shared" ] || die "linked to the wrong kind of library"
}

# Does the program's library tell of misuse, as it does unless NDEBUG is defined?
expect() { # what it prints, program
    said=$("$2")
    [ "$said" = "$1" ] || die "a library that should say '$1' says '$said'"
}

case $way in
entity_* | readme | beside | folders | part | one_file | dist | windows) shared=OFF work=$2 ;;
*)
    case $2 in shared) shared=ON ;; *) shared=OFF ;; esac
    work=$3
    ;;
esac
prefix=$work/prefix

case $way in
install)
    rm -rf "$work/library" "$prefix" "$work/first_prefix"
    configure "$source" "$work/library" -DCMAKE_INSTALL_PREFIX="$work/first_prefix"
    "$CMAKE" --build "$work/library" --parallel 2
    "$CMAKE" --install "$work/library"
    mv "$work/first_prefix" "$prefix" # an installed tree can be moved
    ;;
find_package | find_package_cxx)
    rm -rf "${work:?}/$way"
    configure "$here/$way" "$work/$way" -DCMAKE_PREFIX_PATH="$prefix"
    build_and_run "$work/$way"
    ;;
add_subdirectory | fetch_content | cxx_only)
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
    for addon in save sqlite inspect transform maths session mpi; do
        pkg-config --exists keel-$addon || continue
        # shellcheck disable=SC2046,SC2086 # flags are meant to be split
        "$CC" "$here/$addon.c" -o "$work/$way/$addon" $(pkg-config --cflags --libs $static keel-$addon) $rpath
        (cd "$work/$way" && "./$addon") || die "keel-$addon.pc gives a program that does not work"
        [ $addon != mpi ] || play_ranks "$work/$way/mpi"
    done
    check_kind "$work/$way/consumer"
    ;;
readme) # its first lines, word for word but for the place; as somebody who chooses no build type
    rm -rf "$work"
    mkdir -p "$work"
    (cd "$source" && "$CMAKE" -B "$work/build" -DCMAKE_C_COMPILER="$CC" -DCMAKE_INSTALL_PREFIX="$prefix")
    grep -q "LANGUAGES C)" "$source/CMakeLists.txt" || die "the library needs another language than C"
    "$CMAKE" --build "$work/build" --parallel 2
    "$CMAKE" --install "$work/build"
    PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name keel.pc)")
    export PKG_CONFIG_PATH
    # shellcheck disable=SC2046 # flags are meant to be split
    "$CC" "$here/misuse.c" -o "$work/misuse" $(pkg-config --cflags --libs --static keel)
    expect "checks contracts" "$work/misuse"
    grep -q -- "-O2" "$work/build/CMakeFiles/keel.dir/flags.make" "$work/build/build.ninja" 2>/dev/null ||
        die "the library is not optimised"
    ;;
beside) # a debug build and a release build in one prefix: each program gets the one it is built as
    rm -rf "$work"
    for type in Debug Release; do
        configure "$source" "$work/$type" -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_BUILD_TYPE=$type \
            -DCMAKE_C_FLAGS_DEBUG=-O0
        "$CMAKE" --build "$work/$type" --parallel 2
        "$CMAKE" --install "$work/$type"
    done
    for type in Debug Release; do
        if [ $type = Debug ]; then says="checks contracts"; else says="returns an error"; fi
        configure "$here/find_package" "$work/program_$type" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=$type
        "$CMAKE" --build "$work/program_$type" --parallel 2
        expect "$says" "$work/program_$type/misuse"
        "$CMAKE" --install "$work/$type" # keel.pc names the one that was installed last
        PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name keel.pc)")
        export PKG_CONFIG_PATH
        # shellcheck disable=SC2046 # flags are meant to be split
        "$CC" "$here/misuse.c" -o "$work/misuse" $(pkg-config --cflags --libs --static keel-json)
        expect "$says" "$work/misuse"
    done
    ;;
folders) # the line of docs/start/install.md for those without a build system
    rm -rf "$work"
    mkdir -p "$work"
    ln -s "$source" "$work/keel"
    cp "$here/misuse.c" "$work/game.c"
    line=$(grep '^cc -O2 -Ikeel' "$source/docs/start/install.md") || die "docs/start/install.md has no such line"
    line="$CC -O0${line#cc -O2}" # whether it compiles is asked, not how fast it is
    (cd "$work" && eval "$line") && expect "checks contracts" "$work/game"
    (cd "$work" && eval "$line -DNDEBUG") && expect "returns an error" "$work/game"
    ;;
one_file) # both files that tools/amalgamate writes, in C and C++
    command -v ctags >/dev/null 2>&1 || exit 77 # skipped: the package universal-ctags is missing
    rm -rf "$work"
    mkdir -p "$work"
    "$source/tools/amalgamate" "$work/dist"
    "$CC" -O0 -Wall -Wextra -Werror -I"$work/dist" -c "$work/dist/keel.c" -o "$work/keel.o"
    sed 's/<keel\/keel.h>/"keel.h"/' "$here/misuse.c" >"$work/game.c"
    "$CC" -I"$work/dist" "$work/game.c" "$work/keel.o" -o "$work/game" -lpthread -lm
    expect "checks contracts" "$work/game"
    "${CXX:-c++}" -x c++ -fsyntax-only -I"$work/dist" "$work/dist/keel.c" 2>"$work/messages" && die "keel.c compiles as C++"
    grep -q "keel.c is C11: compile it with a C compiler; keel.h works from C++" "$work/messages" &&
        [ "$(grep -cE ": (error|warning):" "$work/messages")" = 1 ] ||
        { cat "$work/messages"; die "C++ says more of keel.c than one sentence"; }
    ;;
dist) # what is published is the same bytes each time, and what its checksums say
    command -v ctags >/dev/null 2>&1 && git -C "$source" rev-parse >/dev/null 2>&1 || exit 77
    rm -rf "$work"
    mkdir -p "$work/elsewhere"
    "$source/tools/make_dist" "$work/one"
    (cd "$work/elsewhere" && umask 077 && TZ=Asia/Tokyo LC_ALL=C "$source/tools/make_dist" ../two)
    diff -r "$work/one" "$work/two" || die "made twice, it differs"
    (cd "$work/one" && sha256sum -c --quiet SHA256SUMS && tar xzf keel-[0-9]*.tar.gz && test -x keel-*/tools/make_dist)
    "$CC" -std=c11 -pedantic-errors -Wall -Werror -include "$work/one/keel-core.h" -fsyntax-only -x c /dev/null
    ;;
windows) # the program links; running it needs Windows
    command -v ctags >/dev/null 2>&1 && command -v x86_64-w64-mingw32-gcc >/dev/null 2>&1 || exit 77
    rm -rf "$work"
    "$source/tools/amalgamate" "$work"
    sed 's/<keel\/keel.h>/"keel.h"/' "$here/misuse.c" >"$work/game.c"
    x86_64-w64-mingw32-gcc -O0 -Wall -Wextra -Werror "$work/game.c" "$work/keel.c" -o "$work/game.exe"
    ;;
part) # of a project that chooses no build type
    rm -rf "$work"
    "$CMAKE" -S "$here/add_subdirectory" -B "$work" -DCMAKE_C_COMPILER="$CC" -DKEEL_SOURCE_DIR="$source"
    "$CMAKE" --build "$work" --parallel 2
    expect "checks contracts" "$work/misuse"
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
    configure "$source" "$work" -DKEEL_ENTITY_32=ON >/dev/null
    grep -q '^Cflags:.* -DKEEL_ENTITY_32=1' "$work/keel.pc" || die "keel.pc lacks KEEL_ENTITY_32"
    ;;
*) die "unknown: $way" ;;
esac
