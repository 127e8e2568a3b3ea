#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: restart.sh PROGRAM STEPS_OPTION OPTIONS MPIRUN OTHER...
# A program on several ranks, epidemic, flock or cells: a run that goes on from a checkpoint on another number of ranks ends
# with the hash of an undisturbed one, and its CSV goes on. Each OTHER option differs from the checkpoint and is refused. MPIRUN
# may be empty.
set -eu
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # of containers
program=$1
steps=$2
options=$3
mpirun=$4
shift 4
name=$(basename "$program")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Plays with the command of the arguments, and prints the hash.
play() {
    "$@" $options >"$folder/summary"
    sed -n 's/.*hash \([0-9a-f]\{16\}\)$/\1/p' "$folder/summary"
}
refused() {
    expected=$1
    shift
    status=0
    "$program" $options "$@" >"$folder/out" 2>"$folder/error" || status=$?
    [ $status -eq 2 ] || { echo "$*: status $status, not 2: $(cat "$folder/error")" >&2; exit 1; }
    [ ! -s "$folder/out" ] || { echo "$*: it printed on stdout" >&2; exit 1; }
    grep -q "^$name: $expected" "$folder/error" || { echo "$*: $(cat "$folder/error")" >&2; exit 1; }
    [ "$(wc -l <"$folder/error")" -eq 1 ] || { echo "$*: it complained twice" >&2; exit 1; }
}

hash=$(play "$program" --plain "$steps" 60 --csv "$folder/plain.csv")
[ ${#hash} -eq 16 ] || { echo "no hash: $(cat "$folder/summary")" >&2; exit 1; }

for from in 1 3; do
    middle=$(play "$program" --ranks $from "$steps" 40 --checkpoint "$folder/saved $from" --every 35)
    [ "$middle" != "$hash" ] || { echo "nothing happens after step 40" >&2; exit 1; }
    grep -q "^steps 35$" "$folder/saved $from/manifest" || { head -n 3 "$folder/saved $from/manifest" >&2; exit 1; }
    for to in 1 2 3 8; do
        found=$(play "$program" --ranks $to --threads 2 "$steps" 60 --restart "$folder/saved $from" --csv "$folder/now.csv")
        grep -Eq "^[0-9.]+ s a (step|day)," "$folder/summary" || { cat "$folder/summary" >&2; exit 1; }
        [ "$found" = "$hash" ] || { echo "from $from to $to ranks: the hash is '$found', not '$hash'" >&2; exit 1; }
    done
done

# The numbers of all steps after the checkpoint are the same; those of speed are the last columns.
columns=2-5
[ "$name" != flock ] || columns=2
tail -n 25 "$folder/plain.csv" | cut -d , -f 1,$columns >"$folder/expected"
tail -n 25 "$folder/now.csv" | cut -d , -f 1,$columns >"$folder/found"
diff "$folder/expected" "$folder/found" >&2 || { echo "the CSV does not go on" >&2; exit 1; }
[ "$(wc -l <"$folder/now.csv")" -lt 30 ] || { echo "the CSV begins before the checkpoint" >&2; exit 1; }

# A run that was restarted saves, too, into the same folder.
found=$(play "$program" --ranks 2 "$steps" 58 --restart "$folder/saved 3" --checkpoint "$folder/saved 3" --every 11)
found=$(play "$program" --ranks 4 "$steps" 60 --restart "$folder/saved 3")
[ "$found" = "$hash" ] || { echo "the second restart: the hash is '$found', not '$hash'" >&2; exit 1; }
grep -q "^steps 55$" "$folder/saved 3/manifest" || { head -n 3 "$folder/saved 3/manifest" >&2; exit 1; }

if [ -n "$mpirun" ]; then
    found=$(play "$mpirun" -n 2 --oversubscribe "$program" "$steps" 60 --restart "$folder/saved 1")
    [ "$found" = "$hash" ] || { echo "2 processes: the hash is '$found', not '$hash'" >&2; exit 1; }
fi

refused "--plain has no checkpoints, keel::mpi makes them; leave --restart or --plain out" --plain --restart "$folder/saved 1"
refused "--plain has no checkpoints, keel::mpi makes them; leave --checkpoint or --plain out" --plain --checkpoint "$folder/x"
refused "--every: there is no folder for checkpoints; give --checkpoint, too" --every 3
refused "--every: '0' is not a whole number from 1 to 1000000" --checkpoint "$folder/x" --every 0
refused "--restart: .*none/manifest.*No such file" --ranks 3 --restart "$folder/none"
refused "$folder/none/x: No such file or directory" --ranks 3 --checkpoint "$folder/none/x"
refused "$folder/plain.csv: Not a directory" --ranks 2 --checkpoint "$folder/plain.csv"
refused "--restart: the checkpoint has 35 steps already; give a greater $steps than 35" "$steps" 35 --restart "$folder/saved 1"
refused "--restart: the checkpoint was made with --seed 1, not 2; give the same" --ranks 2 --seed 2 --restart "$folder/saved 1"
for other in "$@"; do
    refused "--restart: the checkpoint was made with " --ranks 3 $other --restart "$folder/saved 1"
    grep -q -e "${other% *}" "$folder/error" || { echo "$other: $(cat "$folder/error")" >&2; exit 1; }
done
cp -r "$folder/saved 1" "$folder/damaged"
for part in "$folder/damaged"/*.keel; do printf x >>"$part"; done
refused "--restart: .*bytes, not" --ranks 2 --restart "$folder/damaged"
