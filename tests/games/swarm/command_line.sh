#!/bin/sh
# SPDX-License-Identifier: MIT
# The command line of the swarm: bad options are sentences and a status, good ones do what they say.
# usage: command_line.sh INSPECTS SWARM_HEADLESS [SWARM], the second one with a window; INSPECTS is empty without the inspector
set -u
inspects=$1
headless=$2
drawing=${3-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

complain() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# expect STATUS PATTERN COMMAND...: the status, and a line of the output that has the pattern
expect() {
    status=$1
    pattern=$2
    shift 2
    "$@" >"$folder/output" 2>&1
    got=$?
    [ $got -eq "$status" ] || complain "$*: status $got, not $status"
    grep -q -e "$pattern" "$folder/output" || complain "$*: no '$pattern' in: $(cat "$folder/output")"
}

expect 2 "'--fast' is not an option" "$headless" --fast
expect 2 "--boids needs a value" "$headless" --boids
for bad in 0 -3 ten 1000001 99999999999999999999 '1 ' ''; do
    expect 2 "--boids: '$bad' is not a whole number from 1 to 1000000" "$headless" --boids "$bad"
done
expect 2 "--threads: '0' is not a whole number" "$headless" --threads 0
expect 2 "--size: '1280' is not a size" "$headless" --size 1280
expect 2 "--size: '9x99999' is not a size" "$headless" --size 9x99999
expect 2 "--frames: 'x' is not a whole number" "$headless" --frames x
expect 2 "this program draws nothing" "$headless" --shot "$folder/picture.png"
expect 0 "Usage: swarm" "$headless" --help
expect 0 "^hash 0x[0-9a-f]\{16\}$" "$headless" --headless --boids 500 --frames 3 --hash
expect 0 "^steer .* ms" "$headless" --headless --boids 500 --frames 3
expect 0 "results are equal" "$headless" --compare-threads --boids 3000 --frames 5

if [ -n "$inspects" ]; then
    expect 2 "not with --shot or --compare-threads" "$headless" --inspect --compare-threads
    expect 2 "not with --shot or --compare-threads" "$headless" --inspect-edits --shot "$folder/picture.png"
else
    expect 2 "built without the inspector" "$headless" --inspect
fi

for threads in 1 2 all; do
    "$headless" --headless --boids 800 --frames 4 --hash --threads $threads | grep '^hash' >>"$folder/hashes"
done
[ "$(sort -u "$folder/hashes" | wc -l)" = 1 ] || complain "hashes differ: $(cat "$folder/hashes")"
[ "$(wc -l <"$folder/hashes")" = 3 ] || complain "not three hashes"

if [ -n "$drawing" ]; then
    expect 2 "was not written" "$drawing" --shot "$folder/no/such.png" --boids 500 --frames 2 --size 160x90
    expect 0 "2000 boids after 5 frames" "$drawing" --shot "$folder/picture.png" --boids 2000 --frames 5 --size 160x90 --threads 1
    [ "$(head -c 8 "$folder/picture.png" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || complain "no PNG"
    [ "$(wc -c <"$folder/picture.png")" -gt 3000 ] || complain "the picture is empty"
fi
[ $failures -eq 0 ]
