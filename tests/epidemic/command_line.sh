#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: command_line.sh EPIDEMIC
# Bad options, and files that cannot be written, are refused with a sentence and the status 2; pictures are PNG.
set -eu
epidemic=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

refused() {
    expected=$1
    shift
    status=0
    "$epidemic" "$@" >"$folder/out" 2>"$folder/error" || status=$?
    [ $status -eq 2 ] || { echo "$*: status $status, not 2" >&2; exit 1; }
    [ ! -s "$folder/out" ] || { echo "$*: it printed on stdout" >&2; exit 1; }
    [ "$(cat "$folder/error")" = "epidemic: $expected" ] || { echo "$*: $(cat "$folder/error")" >&2; exit 1; }
}
refused "'--pepole' is not an option; try --help" --pepole 3
refused "--people needs a value; try --help" --people
refused "--people: '0' is not a whole number from 1 to 100000000" --people 0
refused "--people: '-3' is not a whole number from 1 to 100000000" --people -3
refused "--days: '1e3' is not a whole number from 1 to 100000" --days 1e3
refused "--travel: '1.5' is not a number from 0 to 1" --travel 1.5
refused "--travel: 'nan' is not a number from 0 to 1" --travel nan
refused "--chance: '' is not a number from 0 to 1" --chance ""
refused "--ranks: '65' is not a whole number from 1 to 64" --ranks 65
refused "--infected: 11 of 10 people cannot be ill; take fewer" --people 10 --infected 11
refused "--contacts: 3 people cannot have 2 others nearby, at most 0.97" --people 3 --contacts 2
refused "--radius and --contacts say the same; give one of them" --radius 0.1 --contacts 4
refused "--plain has no ranks; leave --ranks out" --plain --ranks 2
refused "$folder/none/x.csv: No such file or directory" --people 10 --ranks 3 --csv "$folder/none/x.csv"

"$epidemic" --help | grep -q "^Usage: epidemic" || { echo "--help does not help" >&2; exit 1; }
found=$("$epidemic" --people 1 --days 2 --ranks 2 --quiet 2>&1)
[ -z "$found" ] || { echo "--quiet printed: $found" >&2; exit 1; }

if "$epidemic" --ranks 3 --people 500 --days 20 --curve "$folder/c.png" --map "$folder/m.png" --quiet 2>"$folder/error"; then
    for picture in c m; do
        [ "$(head -c 4 "$folder/$picture.png" | tail -c 3)" = PNG ] || { echo "$picture.png is no PNG" >&2; exit 1; }
    done
else
    grep -q "build it with cairo" "$folder/error" || { cat "$folder/error" >&2; exit 1; }
fi
