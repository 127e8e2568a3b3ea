#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds Square Eater without a window by each compiler that is here, at -O0 and -O2, and replays one record in all
# of them: the hash of the world must be the same. For WebAssembly it needs emcc and node.
# Usage: same_bytes.sh [FRAMES]
set -eu
frames=${1:-1800}
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export NODE_PATH="${NODE_PATH:-/usr/share/nodejs}" # Debian's folder of the modules that emscripten needs
game=$root/examples/square_eater
hash=""
compared=0

# build PROGRAM COMPILER OPTION...
build() {
    program=$1
    shift
    # shellcheck disable=SC2046 # names of sources have no spaces
    "$@" -std=c11 -ffp-contract=off -DSQUARE_EATER_HEADLESS -I"$root/include" -I"$root/src" -I"$root/examples/inspected" \
        -I"$root/addons/session" -I"$root/addons/maths" "$root/examples/inspected/inspected.c" \
        "$game/main.c" "$game/autoplay.c" "$game/game.c" "$game/headless.c" "$game/options.c" "$game/record.c" "$game/timeline.c" \
        "$game/together.c" "$game/together_headless.c" "$root"/addons/session/*.c "$root"/addons/maths/*.c \
        $(find "$root/src" -name '*.c') -lm -o "$program" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
}

# compare NAME COMMAND...: plays the record, which the first one makes.
compare() {
    name=$1
    shift
    if [ -z "$hash" ]; then
        hash=$("$@" --headless --seed 7 --players 2 --frames "$frames" --record "$work/game" --hash | tail -n 1)
    fi
    this=$("$@" --replay "$work/game" | tail -n 1)
    echo "$name: $this"
    [ "$this" = "$hash" ] || { echo "FAILED: $name differs from $hash" >&2; exit 1; }
    compared=$((compared + 1))
}

for compiler in gcc clang; do
    command -v $compiler >/dev/null || { echo "$compiler is not here"; continue; }
    for level in -O0 -O2; do
        build "$work/program" $compiler $level -pthread
        compare "$compiler $level" "$work/program"
    done
done
if command -v emcc >/dev/null && command -v node >/dev/null; then
    build "$work/program.js" emcc -O2 -sALLOW_MEMORY_GROWTH=1 -sNODERAWFS=1
    compare "emcc -O2, node" node --no-experimental-fetch "$work/program.js"
else
    echo "emcc or node is not here"
fi
echo "$compared programs agree: $frames frames"
[ $compared -ge 2 ]
