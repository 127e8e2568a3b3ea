#!/bin/sh
# SPDX-License-Identifier: MIT
# Pictures of all states, drawn without a display: each is a PNG, and no two are the same; and a window with two machines.
# Usage: pictures.sh SQUARE_EATER
set -eu
game=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for state in menu play pause over; do
    SDL_VIDEODRIVER=none "$game" --headless --state $state --frames 2400 --seed 5 --shot "$work/$state.png" >"$work/stdout"
    [ "$(dd if="$work/$state.png" bs=1 skip=1 count=3 2>/dev/null)" = PNG ] || { echo "FAILED: $state is no PNG" >&2; exit 1; }
done
SDL_VIDEODRIVER=dummy "$game" --together-alone --auto --frames 200 --seed 5 --simulate delay=100,loss=5 \
    --shot "$work/both.png" >"$work/stdout"
[ "$(dd if="$work/both.png" bs=1 skip=1 count=3 2>/dev/null)" = PNG ] || { echo "FAILED: both is no PNG" >&2; exit 1; }
different=$(cksum "$work"/*.png | cut -d ' ' -f 1 | sort -u | wc -l)
[ "$different" -eq 5 ] || { echo "FAILED: $different of 5 pictures differ" >&2; exit 1; }
