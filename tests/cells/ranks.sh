#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: ranks.sh CELLS [MPIRUN]
# The hash and the counts of each step are the same in one world without keel::mpi, on 1, 2, 3, 4 and 8 ranks, with several
# threads, and on processes of MPI. Cells are born and die, and bonds lead to cells of other ranks.
set -eu
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # of containers
cells=$1
mpirun=${2-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Plays with the command before it, prints the hash, and leaves the counts of each step in counts.
play() {
    "$@" --cells 400 --steps 200 --csv "$folder/now.csv" >"$folder/summary"
    cut -d , -f 1-6 "$folder/now.csv" >"$folder/counts"
    sed -n 's/.*hash \([0-9a-f]\{16\}\)$/\1/p' "$folder/summary"
}
same() {
    name=$1
    shift
    found=$(play "$@")
    [ "$found" = "$hash" ] || { echo "$name: the hash is '$found', not '$hash'" >&2; exit 1; }
    diff "$folder/plain" "$folder/counts" >&2 || { echo "$name: other counts" >&2; exit 1; }
}

hash=$(play "$cells" --plain)
[ ${#hash} -eq 16 ] || { echo "no hash: $(cat "$folder/summary")" >&2; exit 1; }
mv "$folder/counts" "$folder/plain"
[ "$(wc -l <"$folder/plain")" -eq 201 ] || { echo "the record has not 200 steps" >&2; exit 1; }
grep -Eq " [1-9][0-9]{2,} births, [1-9][0-9]* deaths, [1-9][0-9]{2,} bonds, [1-9][0-9]* mothers" "$folder/summary" ||
    { echo "the colony does not live: $(cat "$folder/summary")" >&2; exit 1; }

same "plain, 3 threads" "$cells" --plain --threads 3
same "1 rank" "$cells" --ranks 1
grep -q " 0 bonds across borders" "$folder/summary" || { echo "one rank has borders: $(cat "$folder/summary")" >&2; exit 1; }
for ranks in 2 3 4 8; do
    same "$ranks ranks" "$cells" --ranks $ranks
    grep -Eq " [1-9][0-9]* ghosts, [1-9][0-9]* bonds across borders, .* [1-9][0-9]* entities moved" "$folder/summary" ||
        { echo "$ranks ranks have nothing to do with each other: $(cat "$folder/summary")" >&2; exit 1; }
done
same "2 ranks of 3 threads" "$cells" --ranks 2 --threads 3
[ -z "$mpirun" ] || same "2 processes" "$mpirun" -n 2 --oversubscribe "$cells"

other=$(play "$cells" --plain --seed 2)
[ "$other" != "$hash" ] || { echo "another seed has the same hash" >&2; exit 1; }
