#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: options.sh CELLS [MPIRUN]
# Bad options, and files that cannot be written, are refused with a sentence and the status 2; pictures are PNG.
set -eu
cells=$1
mpirun=${2-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

refused() {
    expected=$1
    shift
    status=0
    "$cells" "$@" >"$folder/out" 2>"$folder/error" || status=$?
    [ $status -eq 2 ] || { echo "$*: status $status, not 2" >&2; exit 1; }
    [ ! -s "$folder/out" ] || { echo "$*: it printed on stdout" >&2; exit 1; }
    [ "$(cat "$folder/error")" = "cells: $expected" ] || { echo "$*: $(cat "$folder/error")" >&2; exit 1; }
}
refused "'--sells' is not an option; try --help" --sells 3
refused "--cells needs a value; try --help" --cells
refused "--cells: '0' is not a whole number from 1 to 10000000" --cells 0
refused "--cells: '10000001' is not a whole number from 1 to 10000000" --cells 10000001
refused "--founders: '1001' is not a whole number from 1 to 1000" --founders 1001
refused "--steps: '1e3' is not a whole number from 1 to 1000000" --steps 1e3
refused "--threads: '0' is not a whole number from 1 to 256" --threads 0
refused "--ranks: '65' is not a whole number from 1 to 64" --ranks 65
refused "--plain has no ranks; leave --ranks out" --ranks 2 --plain
refused "$folder/none/x.csv: No such file or directory" --cells 10 --ranks 3 --csv "$folder/none/x.csv"
refused "$folder/none/x.csv: No such file or directory" --cells 10 --plain --csv "$folder/none/x.csv"

"$cells" --help | grep -q "^Usage: cells" || { echo "--help does not help" >&2; exit 1; }
for count in 1 2 7; do
    found=$("$cells" --cells $count --founders $count --steps 40 --ranks 3 --quiet 2>&1)
    [ -z "$found" ] || { echo "$count cells: --quiet printed: $found" >&2; exit 1; }
done

# On more ranks than cells nearly all regions are empty. There is less food than founders eat: all die of age.
for options in "--cells 1 --founders 1 --steps 90" "--cells 1 --founders 50 --steps 330" "--founders 1 --steps 90"; do
    for how in --plain "--ranks 8"; do
        "$cells" $options $how >"$folder/summary"
        sed -n 's/.*hash //p' "$folder/summary" >>"$folder/hashes"
    done
done
[ "$(sort -u "$folder/hashes" | wc -l)" -eq 3 ] || { cat "$folder/hashes" >&2; exit 1; }
[ "$(wc -l <"$folder/hashes")" -eq 6 ] || { echo "a run has no hash" >&2; exit 1; }

if "$cells" --ranks 3 --cells 500 --steps 20 --curve "$folder/c.png" --picture "$folder/p.png" --csv "$folder/c.csv" --quiet \
    2>"$folder/error"; then
    for picture in c p; do
        [ "$(head -c 4 "$folder/$picture.png" | tail -c 3)" = PNG ] || { echo "$picture.png is no PNG" >&2; exit 1; }
    done
    [ "$(head -n 1 "$folder/c.csv")" = "step,cells,births,deaths,bonds,generation,ghosts,moved,seconds,imbalance" ] || { head -n 1 "$folder/c.csv" >&2; exit 1; }
else
    grep -q "build it with cairo" "$folder/error" || { cat "$folder/error" >&2; exit 1; }
fi

[ -n "$mpirun" ] || exit 0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
for option in "--ranks 2" --plain; do
    if "$mpirun" -n 2 --oversubscribe "$cells" $option >"$folder/out" 2>"$folder/error"; then
        echo "$option and mpirun agree" >&2
        exit 1
    fi
    grep -q "^cells: ${option% *}: mpirun has started 2 ranks; leave ${option% *} out" "$folder/error" ||
        { cat "$folder/error" >&2; exit 1; }
done
