#!/bin/sh
# SPDX-License-Identifier: MIT
# A program with --inspect and without a window runs frames until it is stopped, and answers the page meanwhile.
# usage: inspected.sh NAME PROGRAM ARGUMENT...        NAME is that of the title
set -u
name=$1
shift
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

fail() {
    echo "FAILED: $*: $(cat "$folder/said")"
    kill "$program" 2>/dev/null
    exit 1
}

# frame_of: the number of frames that the program says it has run
frame_of() {
    python3 - "$(grep -o 'http://[^ ]*' "$folder/said")" <<'END'
import json, sys, urllib.request
place, token = sys.argv[1].split("#")
request = urllib.request.Request(place + "api/v1/world", headers={"X-Keel-Token": token})
world = json.load(urllib.request.urlopen(request, timeout=20))
assert world["program"] and world["workload"] and world["past"]["capacity"] > 0 and world["allowed"]["changes"]
print(world["frame"])
END
}

"$@" >"$folder/printed" 2>"$folder/said" &
program=$!
tick=0
until grep -q "^$name is inspected at http://127.0.0.1:277" "$folder/said"; do
    tick=$((tick + 1))
    [ $tick -lt 60 ] || fail "$*: no address"
    sleep 0.2
done
first=$(frame_of) || fail "$*: it does not answer"
sleep 0.5
second=$(frame_of) || fail "$*: it does not answer"
[ "$second" -gt "$first" ] || fail "$*: no frame has run from $first to $second"
kill -INT $program 2>/dev/null || fail "$*: it has ended by itself"
wait $program || fail "$*: status $?"
