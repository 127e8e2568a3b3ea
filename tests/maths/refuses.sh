#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: refuses.sh COMPILER SOURCE_FOLDER
# keel::maths does not compile with flags that change its results, and says what to do. It does compile with those that
# it can bear, and then has no operation that multiplies and adds at once.
set -u
compiler=$1 root=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

refuses() { # WORDS FLAGS...: the message has the words
    local words=$1 file
    shift
    for file in trigonometric arcs exponential roots random; do
        if "$compiler" -std=c11 "$@" -c "$root/addons/maths/$file.c" -o "$folder/object" 2>"$folder/log"; then
            echo "$file.c compiles with $*" && failed=1
        elif ! grep -q -e "$words" "$folder/log"; then
            echo "$file.c with $*: no word of $words" && cat "$folder/log" && failed=1
        fi
    done
}

refuses '-fno-fast-math' -O2 -ffast-math
if [ "$(uname -m)" = x86_64 ]; then
    if "$compiler" -mfpmath=387 -dM -E - </dev/null | grep -q '__FLT_EVAL_METHOD__ 2'; then refuses '-msse2 -mfpmath=sse' -O2 -mfpmath=387; fi
    for file in trigonometric arcs exponential roots random; do # gnu11 lets gcc contract
        "$compiler" -std=gnu11 -O2 -march=haswell -S "$root/addons/maths/$file.c" -o "$folder/code" || failed=1
        if grep -q vfm "$folder/code"; then echo "$file.c multiplies and adds at once" && failed=1; fi
    done
fi
exit $failed
