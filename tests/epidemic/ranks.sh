#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: ranks.sh EPIDEMIC [MPIRUN]
# The hash and the curve are the same in one world without keel::mpi, on 1, 2 and 4 ranks, with several threads, and on processes of MPI.
# Many contacts make many pairs of people on two ranks, so that a halo of three quarters of the radius is found.
set -eu
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # of containers
epidemic=$1
mpirun=${2-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Plays with the command before it, and prints the hash.
play() {
    "$@" --people 3000 --days 60 --contacts 40 --chance 0.01 --csv "$folder/now.csv" >"$folder/summary"
    sed -n 's/.*hash \([0-9a-f]\{16\}\)$/\1/p' "$folder/summary"
}
same() {
    name=$1
    shift
    found=$(play "$@")
    [ "$found" = "$hash" ] || { echo "$name: the hash is '$found', not '$hash'" >&2; exit 1; }
    diff "$folder/one.csv" "$folder/now.csv" >&2 || { echo "$name: another curve" >&2; exit 1; }
}

hash=$(play "$epidemic" --ranks 1)
[ ${#hash} -eq 16 ] || { echo "no hash: $(cat "$folder/summary")" >&2; exit 1; }
mv "$folder/now.csv" "$folder/one.csv"
[ "$(wc -l <"$folder/one.csv")" -eq 62 ] || { echo "the curve has not 61 days" >&2; exit 1; }

for ranks in 2 4; do
    same "$ranks ranks" "$epidemic" --ranks $ranks
    grep -Eq " [1-9][0-9]* ghosts, [1-9][0-9]* moved" "$folder/summary" ||
        { echo "$ranks ranks have nothing to do with each other: $(cat "$folder/summary")" >&2; exit 1; }
done
same "plain" "$epidemic" --plain
same "plain, 3 threads" "$epidemic" --plain --threads 3
same "3 threads" "$epidemic" --ranks 2 --threads 3
[ -z "$mpirun" ] || same "2 processes" "$mpirun" -n 2 --oversubscribe "$epidemic"

other=$(play "$epidemic" --ranks 1 --seed 2)
[ "$other" != "$hash" ] || { echo "another seed has the same hash" >&2; exit 1; }
