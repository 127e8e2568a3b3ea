#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: valgrind.sh MPIRUN MODEL STORMS [SEED [COUNT]]
# Two processes of MPI play the model of the tests and some storms under valgrind: no errors, and no memory of ours is
# lost. What MPI itself does is left out: by Debian's suppressions, and leaks where one of its libraries allocated.
set -eu
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # of containers
mpirun=$1 model=$2 storms=$3 seed=${4-1} count=${5-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
of_mpi=/usr/share/openmpi/openmpi-valgrind.supp
[ -e "$of_mpi" ] || { echo "valgrind.sh: $of_mpi is missing (Debian: openmpi-common)" >&2; exit 1; }
for library in libmpi libopen-pal libopen-rte libpmix libevent_core 'openmpi*/*' 'pmix*/*' libhwloc libucp libucs libuct libucm \
    libfabric libpsm2 libibverbs ld-linux; do
    printf '{\n   %s\n   Memcheck:Leak\n   ...\n   obj:*/%s*\n   ...\n}\n' "$library" "$library"
done >"$work/libraries.supp"
printf '{\n   libpmix\n   Memcheck:Param\n   writev(vector[...])\n   ...\n   obj:*/libpmix*\n   ...\n}\n' >>"$work/libraries.supp"

play() { # two processes
    if ! "$mpirun" -n 2 --oversubscribe valgrind --quiet --error-exitcode=9 --leak-check=full --show-leak-kinds=definite \
        --errors-for-leak-kinds=definite --suppressions="$of_mpi" --suppressions="$work/libraries.supp" \
        --log-file="$work/%p.log" "$@" >"$work/out" 2>&1; then
        cat "$work/out" "$work"/*.log >&2
        exit 1
    fi
    tail -n 1 "$work/out"
}
play "$model"
play "$storms" --mpi --quiet --steps 20 --seed "$seed" --storms "$count"
