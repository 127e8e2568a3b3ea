#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: options.sh FLOCK [MPIRUN]
# Bad options, and files that cannot be written, are refused with a sentence and the status 2; pictures are PNG.
set -eu
flock=$1
mpirun=${2-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

refused() {
    expected=$1
    shift
    status=0
    "$flock" "$@" >"$folder/out" 2>"$folder/error" || status=$?
    [ $status -eq 2 ] || { echo "$*: status $status, not 2" >&2; exit 1; }
    [ ! -s "$folder/out" ] || { echo "$*: it printed on stdout" >&2; exit 1; }
    [ "$(cat "$folder/error")" = "flock: $expected" ] || { echo "$*: $(cat "$folder/error")" >&2; exit 1; }
}
refused "'--biods' is not an option; try --help" --biods 3
refused "--boids needs a value; try --help" --boids
refused "--boids: '0' is not a whole number from 1 to 100000000" --boids 0
refused "--boids: '100000001' is not a whole number from 1 to 100000000" --boids 100000001
refused "--steps: '1e3' is not a whole number from 1 to 1000000" --steps 1e3
refused "--near: '0.5' is not a number from 1 to 100" --near 0.5
refused "--noise: 'nan' is not a number from 0 to 1" --noise nan
refused "--threads: '0' is not a whole number from 1 to 256" --threads 0
refused "--ranks: '65' is not a whole number from 1 to 64" --ranks 65
refused "--plain has no ranks; leave --ranks out" --ranks 2 --plain
refused "$folder/none/x.csv: No such file or directory" --boids 10 --ranks 3 --csv "$folder/none/x.csv"
refused "$folder/none/x.csv: No such file or directory" --boids 10 --plain --csv "$folder/none/x.csv"

"$flock" --help | grep -q "^Usage: flock" || { echo "--help does not help" >&2; exit 1; }
for boids in 1 2 7; do
    found=$("$flock" --boids $boids --steps 40 --ranks 3 --quiet 2>&1)
    [ -z "$found" ] || { echo "$boids boids: --quiet printed: $found" >&2; exit 1; }
done

# On more ranks than boids nearly all regions are empty; with much noise and many neighbours boids crowd.
for options in "--boids 3" "--boids 500 --near 100 --noise 1"; do
    for how in --plain "--ranks 8"; do
        "$flock" $options --steps 50 $how | sed -n 's/.*hash //p' >>"$folder/hashes"
    done
done
[ "$(sort -u "$folder/hashes" | wc -l)" -eq 2 ] || { cat "$folder/hashes" >&2; exit 1; }
[ "$(wc -l <"$folder/hashes")" -eq 4 ] || { echo "a run has no hash" >&2; exit 1; }

if "$flock" --ranks 3 --boids 500 --steps 20 --curve "$folder/c.png" --picture "$folder/p.png" --csv "$folder/c.csv" --quiet \
    2>"$folder/error"; then
    for picture in c p; do
        [ "$(head -c 4 "$folder/$picture.png" | tail -c 3)" = PNG ] || { echo "$picture.png is no PNG" >&2; exit 1; }
    done
    [ "$(head -n 1 "$folder/c.csv")" = "step,order,ghosts,moved,seconds,imbalance" ] || { head -n 1 "$folder/c.csv" >&2; exit 1; }
else
    grep -q "build it with cairo" "$folder/error" || { cat "$folder/error" >&2; exit 1; }
fi

[ -n "$mpirun" ] || exit 0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
for option in "--ranks 2" --plain; do
    if "$mpirun" -n 2 --oversubscribe "$flock" $option >"$folder/out" 2>"$folder/error"; then
        echo "$option and mpirun agree" >&2
        exit 1
    fi
    grep -q "^flock: ${option% *}: mpirun has started 2 ranks; leave ${option% *} out" "$folder/error" ||
        { cat "$folder/error" >&2; exit 1; }
done
