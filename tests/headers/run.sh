#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/headers/run.sh INCLUDE_DIR HEADER [FOLDER...]
# Compiles HEADER alone with every compiler found, as C11, C++17 and C++20, with and without
# KEEL_ENTITY_32. It is included twice, so that a missing include guard shows too. The header of an add-on is in a FOLDER.
set -u
include=$1
header=$2
shift 2
folders=""
for folder in "$@"; do folders="$folders -I$folder"; done
flags="-pedantic -Wall -Wextra -Wconversion -Wshadow -Wcast-qual -Wundef -Werror -fsyntax-only"
tried=0
failed=0

try() { # compiler, language, standard
    command -v "$1" >/dev/null 2>&1 || return 0
    for width in "" "-DKEEL_ENTITY_32=1"; do
        tried=$((tried + 1))
        cxx=""
        [ "$2" = c++ ] && cxx="-Wold-style-cast -Wsign-conversion -Woverloaded-virtual"
        # shellcheck disable=SC2086 # the flags are meant to be split
        printf '#include <%s>\n#include <%s>\n' "$header" "$header" |
            "$1" -x "$2" "-std=$3" $flags $cxx $width "-I$include" $folders - || {
            echo "FAILED: $1 -std=$3 $width: $header" >&2
            failed=1
        }
    done
}

try gcc c c11
try clang c c11
try g++ c++ c++17
try g++ c++ c++20
try clang++ c++ c++17
try clang++ c++ c++20
echo "$header: $tried compilations"
[ "$tried" -gt 0 ] || { echo "no compiler found" >&2; exit 1; }
exit "$failed"
