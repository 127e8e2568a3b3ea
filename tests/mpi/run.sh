#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: run.sh MPIRUN PROGRAM
# One, two and four processes of MPI print the same.
set -eu
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # of containers
expected=$("$2")
for ranks in 2 4; do
    found=$("$1" -n $ranks --oversubscribe "$2")
    [ "$found" = "$expected" ] || { echo "$ranks ranks: $found, not $expected" >&2; exit 1; }
done
echo "$expected"
