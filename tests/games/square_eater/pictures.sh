#!/bin/sh
# SPDX-License-Identifier: MIT
# Pictures of all states, drawn without a display: each is a PNG, and no two are the same.
# Usage: pictures.sh SQUARE_EATER
set -eu
game=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for state in menu play pause over; do
    SDL_VIDEODRIVER=none "$game" --headless --state $state --frames 2400 --seed 5 --shot "$work/$state.png" >"$work/stdout"
    [ "$(dd if="$work/$state.png" bs=1 skip=1 count=3 2>/dev/null)" = PNG ] || { echo "FAILED: $state is no PNG" >&2; exit 1; }
done
different=$(cksum "$work"/*.png | cut -d ' ' -f 1 | sort -u | wc -l)
[ "$different" -eq 4 ] || { echo "FAILED: $different of 4 pictures differ" >&2; exit 1; }
