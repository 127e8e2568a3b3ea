#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: float_check.sh COMPILER SOURCE_FOLDER
# Compiles float_check.c with flags that change floats, and compares what it says of itself.
set -u
compiler=$1 root=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

is() { # BITS WORD FLAGS...: the program, called with WORD, prints BITS, and a sentence for each
    local bits=$1 word=$2
    shift 2
    if ! "$compiler" -std=c11 "$@" -I"$root/addons/maths" "$root/tests/maths/float_check.c" -o "$folder/program" -lm 2>"$folder/log"; then
        echo "not built, left out: $*"
        return
    fi
    local said
    said=$("$folder/program" "$word" | head -1)
    if [ "$said" = "$bits" ]; then echo "$*${word:+ ($word)}: $said"; else echo "$*${word:+ ($word)}: $said instead of $bits"; failed=1; fi
}

for level in -O0 -O2; do
    is 0 '' $level
    is 0 '' $level -ffp-contract=off -march=native
    is 16 up $level -frounding-math
    is 16 down $level -frounding-math
    is 16 zero $level -frounding-math
done
is 0 '' -O3 -fno-fast-math
case $(uname -m) in
x86_64)
    is 6 '' -O2 -ffast-math # the compiler links what flushes, too
    "$folder/program" | grep -q -e '-fno-fast-math' || failed=1
    if grep -qw fma /proc/cpuinfo 2>/dev/null; then
        is 1 '' -O2 -ffp-contract=fast -march=haswell
        "$folder/program" | grep -q -e '-ffp-contract=off' || failed=1
        is 7 '' -O2 -ffast-math -march=haswell
        is 1 '' -O2 -std=gnu11 -ffp-contract=fast -march=native # may have _Float16
    fi
    is 8 '' -O2 -mfpmath=387
    ;;
esac
exit $failed
