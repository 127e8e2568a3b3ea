#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: planted.sh SOURCES LIBRARIES COMPILER FLAGS...
# The seeded driver notices each defect of planted.txt in a copy of addons/session. LIBRARIES: what the driver is
# linked to, in one word.
set -eu
sources=$1 libraries=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/session"
cp "$sources"/addons/session/*.[ch] "$folder/session"
compile() { # COMPILER FLAGS...
    "$@" -D_POSIX_C_SOURCE=200809L -I"$sources/include" -I"$folder/session" -I"$sources/addons/maths" -I"$sources/tests" \
        -I"$sources/tests/fuzz_session"
}
for part in attack game main packets replays; do
    compile "$@" -c "$sources/tests/fuzz_session/$part.c" -o "$folder/$part.o"
done
grep -v '^#' "$sources/tests/fuzz_session/planted.txt" >"$folder/planted.txt"
while IFS='@' read -r part file from to; do
    cp "$sources/addons/session/$file" "$folder/session/$file"
    FROM=$from TO=$to perl -0pi -e 's/\Q$ENV{FROM}\E/$ENV{TO}/ or die "planted.sh: no such text\n"' "$folder/session/$file"
    compile "$@" -c "$folder/session/$file" -o "$folder/planted.o"
    # shellcheck disable=SC2086 # a list
    "$@" "$folder/attack.o" "$folder/game.o" "$folder/main.o" "$folder/packets.o" "$folder/replays.o" "$folder/planted.o" \
        $libraries -o "$folder/planted"
    case $part in packet) rounds=60000 ;; session) rounds=2500 ;; *) rounds=3000 ;; esac
    if "$folder/planted" "$part" --rounds $rounds >/dev/null 2>&1; then
        echo "not noticed: $part: $file: $from -> $to" >&2
        exit 1
    fi
    cp "$sources/addons/session/$file" "$folder/session/$file"
done <"$folder/planted.txt"
