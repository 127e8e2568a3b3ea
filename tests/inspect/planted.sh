#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: planted.sh SOURCES LIBRARIES COMPILER FLAGS...
# Takes one rule after the other out of a copy of addons/inspect, as planted.txt says, and has the test that
# is named there notice it. LIBRARIES: what the
# programs are linked to, in one word.
set -eu
sources=$1 libraries=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/inspect"
cp "$sources"/addons/inspect/*.[ch] "$folder/inspect"
mkdir "$folder/json"
cp "$sources"/addons/json/*.h "$folder/json"
compile() { # FILE OUT
    "$compiler" $flags -I"$sources/include" -I"$sources/addons/json" -I"$sources/addons/query" -I"$sources/addons/save" \
        -I"$folder/inspect" -I"$sources/tests" -I"$sources/tests/inspect" -c "$1" -o "$2"
}
compiler=$1
shift
flags="$* -D_GNU_SOURCE -DKEELI_INSPECT_SAVES"
compile "$sources/tests/inspect/program.c" "$folder/program.o"
compile "$sources/tests/inspect/client.c" "$folder/client.o"
compile "$sources/tests/inspect/watchers.c" "$folder/watchers.o"
helpers="$folder/program.o $folder/client.o $folder/watchers.o"
missed=0 count=0
while IFS='	' read -r test file from to; do
    case $test in '' | '#'*) continue ;; esac
    count=$((count + 1))
    wraps=
    [ "$test" = memory ] && wraps=-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc
    if [ ! -e "$folder/$test.o" ]; then
        compile "$sources/tests/inspect/test_$test.c" "$folder/$test.o"
        "$compiler" $flags "$folder/$test.o" $helpers $wraps $libraries -o "$folder/test"
        "$folder/test" >/dev/null # without a defect it passes
    fi
    cp "$sources/addons/inspect/$file" "$folder/inspect/$file"
    FROM=$from TO=$to perl -0pi -e 's/\Q$ENV{FROM}\E/$ENV{TO}/ or die "planted.sh: no such text: $ENV{FROM}\n"' "$folder/inspect/$file"
    compile "$folder/inspect/$file" "$folder/planted.o"
    cp "$sources/addons/inspect/$file" "$folder/inspect/$file"
    # An object stands before the archive that has the same functions, so it is the one that is linked.
    "$compiler" $flags "$folder/$test.o" $helpers "$folder/planted.o" $wraps $libraries -o "$folder/test"
    if timeout 60 "$folder/test" >/dev/null 2>&1; then
        echo "not noticed by test_$test.c: $file: $from -> $to" >&2
        missed=1
    fi
done <"$sources/tests/inspect/planted.txt"
echo "$count defects planted"
exit $missed
