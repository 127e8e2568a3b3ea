#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: kill.sh COUNT PROGRAM [MPIRUN]
# Kills the program (kill_model.c) COUNT times at random moments, also while it saves, and starts it again on another
# number of ranks. Each run that comes to its end prints what an undisturbed run prints. With MPIRUN the ranks are
# processes, and one of them is killed.
set -eu
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # of containers
count=$1 program=$2 mpirun=${3-}
[ -z "$mpirun" ] || command -v pgrep >/dev/null || { echo "kill.sh needs pgrep (Debian: procps) to find processes" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
folder=$work/checkpoint

random() { # below $1
    echo $(($(od -An -N4 -tu4 /dev/urandom) % $1))
}

start() { # on $1 ranks; $pid is what to wait for
    if [ "$mpirun" ]; then
        "$mpirun" -n "$1" --oversubscribe "$program" --every 2 "$folder" >"$work/out" 2>"$work/err" &
    else
        "$program" --ranks "$1" --every 2 "$folder" >"$work/out" 2>"$work/err" &
    fi
    pid=$!
}

killed() { # prints the process to kill: the program, or one of those that mpirun has started
    [ "$mpirun" ] || { echo $pid; return; }
    set -- $(pgrep -P $pid 2>/dev/null || true)
    [ $# -gt 0 ] || return 0
    shift "$(random $#)"
    echo "$1"
}

unnamed() { # prints the files of the folder that the manifest does not name: of a save that was not finished
    for file in $(ls "$folder" 2>/dev/null || true); do
        [ "$file" = manifest ] || grep -q " $file " "$folder/manifest" 2>/dev/null || echo "$file"
    done
}

strike() { # kills a process; mpirun sometimes waits for ever then, so that it is killed, too, with what it has started
    kill -9 "$1" 2>/dev/null || return 0
    [ "$mpirun" ] || return 0
    {
        sleep 20
        for left in $(pgrep -P $pid) $pid; do kill -9 "$left"; done
    } >/dev/null 2>&1 &
    watch=$!
}

finish() { # waits; true if the run came to its end, with the right hash
    status=0
    wait $pid || status=$?
    [ -z "$watch" ] || kill $watch 2>/dev/null || true
    watch=
    if [ $status = 0 ]; then
        [ "$(cat "$work/out")" = "$expected" ] && return 0
        echo "after $kills kills: $(cat "$work/out"), not $expected" >&2
        exit 1
    fi
    ! grep '^kill_model' "$work/err" >&2 || exit 1 # it was not killed: it failed
    return 1
}

if [ "$mpirun" ]; then expected=$("$mpirun" -n 1 "$program"); else expected=$("$program" --ranks 1); fi
kills=0 ends=0 saving=0 watch=
begin=$(date +%s%N)
start 2
finish || { echo "the program ends with an error: $(cat "$work/err")" >&2; exit 1; }
longest=$((($(date +%s%N) - begin) / 1000000 + 1)) # milliseconds of an undisturbed run
rm -rf "$folder"
while [ "$kills" -lt "$count" ]; do
    before=$(unnamed)
    start $((1 + $(random 6)))
    sleep "$(awk "BEGIN { print $(random $longest) / 1000 }")"
    victim=$(killed)
    [ -z "$victim" ] || strike "$victim"
    if finish; then # it was faster
        ends=$((ends + 1))
        rm -rf "$folder"
        continue
    fi
    kills=$((kills + 1))
    left=$(unnamed)
    [ -z "$left" ] || [ "$left" = "$before" ] || saving=$((saving + 1))
done
start $((1 + $(random 6)))
finish || { echo "the program ends with an error: $(cat "$work/err")" >&2; exit 1; }
echo "$kills kills, $saving of them during a save, $((ends + 1)) ends: $expected"
