#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/headers/core.sh INCLUDE_DIR
# keel/core.h is plain C11: it includes every header but the macro layer's, compiles with -pedantic-errors as
# other compilers would see it (without __GNUC__), and nothing is left then of what only gcc and clang know.
set -u
include=$1
failed=0
for path in "$include"/keel/*.h; do
    name=${path##*/}
    case $name in typed*.h | keel.h | core.h) continue ;; esac
    grep -q "^#include <keel/$name>" "$include/keel/core.h" || { echo "core.h does not include $name"; failed=1; }
done
tried=0
for compiler in gcc clang; do
    command -v $compiler >/dev/null 2>&1 || continue
    tried=$((tried + 1))
    for options in "" "-U__GNUC__" "-U__GNUC__ -DKEEL_ENTITY_32=1"; do
        # shellcheck disable=SC2086 # the options are meant to be split
        printf '#include <keel/core.h>\nint keel_nothing;\n' |
            $compiler -std=c11 -pedantic-errors -Wall -Wextra -Werror $options "-I$include" -fsyntax-only -xc - ||
            { echo "FAILED: $compiler $options"; failed=1; }
    done
    # lines of ours in what the preprocessor gives; words of compilers begin with two underscores
    words=$(echo '#include <keel/core.h>' | $compiler -std=c11 -U__GNUC__ "-I$include" -E -xc - |
        awk '/^# [0-9]+ /{ours = index($3, "/keel/") > 0; next} ours' | grep -oE '\b(__[a-z]\w*|asm|typeof)\b' | sort -u)
    [ -z "$words" ] || { echo "$compiler: these words are not C11:" $words; failed=1; }
done
[ "$tried" -gt 0 ] || { echo "no compiler found" >&2; exit 1; }
exit $failed
