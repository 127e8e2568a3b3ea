#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: ranks.sh FLOCK [MPIRUN]
# The hash and the order of each step are the same in one world without keel::mpi, on 1, 2, 3, 4 and 8 ranks, with several
# threads, and on processes of MPI.
set -eu
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # of containers
flock=$1
mpirun=${2-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Plays with the command before it, prints the hash, and leaves the order of each step in orders.
play() {
    "$@" --boids 600 --steps 60 --csv "$folder/now.csv" >"$folder/summary"
    cut -d , -f 1,2 "$folder/now.csv" >"$folder/orders"
    sed -n 's/.*hash \([0-9a-f]\{16\}\)$/\1/p' "$folder/summary"
}
same() {
    name=$1
    shift
    found=$(play "$@")
    [ "$found" = "$hash" ] || { echo "$name: the hash is '$found', not '$hash'" >&2; exit 1; }
    diff "$folder/plain" "$folder/orders" >&2 || { echo "$name: another order" >&2; exit 1; }
}

hash=$(play "$flock" --plain)
[ ${#hash} -eq 16 ] || { echo "no hash: $(cat "$folder/summary")" >&2; exit 1; }
mv "$folder/orders" "$folder/plain"
[ "$(wc -l <"$folder/plain")" -eq 61 ] || { echo "the record has not 60 steps" >&2; exit 1; }
[ "$(cut -d , -f 2 "$folder/plain" | sort -u | wc -l)" -gt 50 ] || { echo "the order does not change" >&2; exit 1; }

same "plain, 3 threads" "$flock" --plain --threads 3
same "1 rank" "$flock" --ranks 1
for ranks in 2 3 4 8; do
    same "$ranks ranks" "$flock" --ranks $ranks
    grep -Eq " [1-9][0-9]* ghosts, [1-9][0-9]* moved" "$folder/summary" ||
        { echo "$ranks ranks have nothing to do with each other: $(cat "$folder/summary")" >&2; exit 1; }
done
same "2 ranks of 3 threads" "$flock" --ranks 2 --threads 3
[ -z "$mpirun" ] || same "2 processes" "$mpirun" -n 2 --oversubscribe "$flock"

# At the begin half of all boids move at once: more than logs of deletions keep by themselves.
for how in --plain "--ranks 2"; do
    "$flock" $how --boids 280000 --steps 1 | sed -n 's/.*hash //p' >>"$folder/many"
done
[ "$(wc -l <"$folder/many")" -eq 2 ] && [ "$(sort -u "$folder/many" | wc -l)" -eq 1 ] ||
    { echo "many boids move: $(cat "$folder/many")" >&2; exit 1; }

other=$(play "$flock" --plain --seed 2)
[ "$other" != "$hash" ] || { echo "another seed has the same hash" >&2; exit 1; }
