#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/mistakes/run.sh INCLUDE_DIR FILE
# NN_what.c    must not compile, and the messages must contain the text of each comment line
#                  // gcc: TEXT        // clang: TEXT
#              `// first: TEXT`: the first error of all compilers has it
# NN_what.cpp  the same with  // g++: TEXT   // clang++: TEXT  as C++17
# ok_what.c    must compile without a warning; .cpp likewise
# Every file must expect something of gcc (g++). Further comment lines `// flags: ...` add compiler
# flags: `-Werror` for a mistake that compilers only warn about.
# The headers are system headers (-isystem), as they are when installed: a guard has to be an error,
# because a warning inside a system header is not shown.
set -u
include=$1
file=$2
name=${file##*/}
messages=$(mktemp)
trap 'rm -f "$messages"' EXIT
failed=0

fail() {
    echo "FAILED: $file: $1" >&2
    sed 's/^/    /' "$messages" >&2
    failed=1
}

expectations() { # compiler -> one text per line; `+` is an ordinary character for sed
    sed -n "s|^// $1: *||p" "$file"
}

compile() { # compiler, further flags
    # shellcheck disable=SC2046,SC2086 # flags are meant to be split
    LC_ALL=C "$1" "-std=$standard" -Wall -Wextra -fsyntax-only -isystem "$include" \
        $2 $(expectations flags) "$file" >"$messages" 2>&1
}

check() { # compiler
    command -v "$1" >/dev/null 2>&1 || { echo "$1 is not installed, skipped"; return 0; }
    case $name in
    ok_*)
        compile "$1" -Werror || fail "$1 rejects it"
        return 0
        ;;
    esac
    [ -n "$(expectations "$1")" ] || return 0
    if compile "$1" ""; then
        fail "$1 accepts it"
        return 0
    fi
    expectations "$1" >"$messages.expected"
    while IFS= read -r text; do
        grep -qF -- "$text" "$messages" || fail "$1 does not say: $text"
    done <"$messages.expected"
    expectations first >"$messages.expected"
    while IFS= read -r text; do
        grep -m 1 -F 'error:' "$messages" | grep -qF -- "$text" || fail "the first error of $1 lacks: $text"
    done <"$messages.expected"
    rm -f "$messages.expected"
}

case $name in
*.cpp) standard=c++17 first='g++' second='clang++' ;;
*) standard=c11 first=gcc second=clang ;;
esac
case $name in
ok_*) ;;
*) grep -qF "// $first: " "$file" || { : >"$messages"; fail "no line '// $first: TEXT'"; } ;;
esac
check "$first"
check "$second"
exit "$failed"
