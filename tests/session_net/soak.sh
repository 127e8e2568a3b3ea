#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/session_net/soak.sh SESSION_PEER [FRAMES]
# Plays an hour of a game (216,000 frames) between two processes in fast motion, over a network with delay and loss.
# It prints their memory and what they send, and fails when the worlds differ, or when memory grows by more than 1 MiB
# after the first tenth.
set -eu
case ${1-} in '' | -h | --help) sed -n '3,/^set/s/^# \{0,1\}//p' "$0"; [ $# -gt 0 ]; exit ;; esac
peer=$1 frames=${2-216000}
work=$(mktemp -d)
host=
guest=
trap 'kill $host $guest 2>/dev/null || true; rm -rf "$work"' EXIT
options="--frames $frames --fast --hash --stats --simulate loss=5,delay=100,jitter=10,duplicate=1"

# shellcheck disable=SC2086 # options are meant to be split
"$peer" --host 0 $options >"$work/host" 2>&1 &
host=$!
port=
while [ -z "$port" ]; do
    kill -0 $host 2>/dev/null || { cat "$work/host"; exit 1; }
    sleep 0.1
    port=$(sed -n 's/^port //p' "$work/host")
done
# shellcheck disable=SC2086
"$peer" --join "127.0.0.1:$port" --seed 2 $options >"$work/guest" 2>&1 &
guest=$!
failed=0
wait $host || failed=1
wait $guest || failed=1

# Prints the memory of a machine, and what it sends. 1: its memory grew.
judge() {
    awk -v name="$1" '/^stats/ {
        sub(":", "", $3)
        frame[++n] = $3; memory[n] = $5; sent = $11
    }
    END {
        if (n < 10) { print name ": too few lines of statistics"; exit 1 }
        middle = int(n / 2)
        printf "%s: %d KiB at frame %d, %d at %d, %d at %d; the session sends %d bytes a second\n", name,
            memory[2], frame[2], memory[middle], frame[middle], memory[n], frame[n], sent
        if (memory[n] > memory[2] + 1024) { print name ": memory grows"; exit 1 }
    }' "$work/$1"
}
judge host || failed=1
judge guest || failed=1
grep -h '^end' "$work/host" "$work/guest" || failed=1
if grep -hE 'DIFFERS|CHEATS|FAILED|dropped' "$work/host" "$work/guest"; then failed=1; fi
hashes=$(grep -h '^hash' "$work/host" "$work/guest" | sort | uniq -c)
echo "$hashes"
case $hashes in *" 2 hash "*) ;; *) echo "the worlds differ"; failed=1 ;; esac
exit $failed
