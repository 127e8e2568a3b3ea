#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: planted.sh SOURCES LIBRARIES STORMS COMPILER FLAGS...
# Each defect of planted.txt in a copy of addons/mpi is noticed within so many storms. LIBRARIES: what mpi_storms is
# linked to, but for keel::mpi, in one word. By hand, after `cmake --build --preset debug`:
#   tests/mpi/storms/planted.sh . "$(find build/debug -name libkeel_save.a) $(find build/debug -name libkeel.a) \
#       -lzstd -lpthread -lm" 40 gcc -std=c11 -g -O1
set -eu
sources=$1 libraries=$2 storms=$3
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/mpi" "$folder/objects"
cp "$sources"/addons/mpi/*.[ch] "$folder/mpi"
compile() { # FILE OBJECT COMPILER FLAGS...
    from_file=$1 to_file=$2
    shift 2
    "$@" -D_POSIX_C_SOURCE=200809L -I"$sources/include" -I"$folder/mpi" -I"$sources/addons/save" -I"$sources/src" \
        -I"$sources/tests" -c "$from_file" -o "$to_file"
}
for file in "$folder"/mpi/*.c "$sources"/tests/mpi/storms/*.c; do
    compile "$file" "$folder/objects/$(basename "$(dirname "$file")")_$(basename "$file" .c).o" "$@"
done
grep -v '^#' "$sources/tests/mpi/storms/planted.txt" >"$folder/planted.txt"
missed=0
while IFS='@' read -r file from to; do
    cp "$folder/mpi/$file" "$folder/kept"
    FROM=$from TO=$to perl -0pi -e 's/\Q$ENV{FROM}\E/$ENV{TO}/ or die "planted.sh: no such text: $ENV{FROM}\n"' "$folder/mpi/$file"
    object=$folder/objects/mpi_${file%.c}.o
    cp "$object" "$folder/kept.o"
    compile "$folder/mpi/$file" "$object" "$@"
    # shellcheck disable=SC2086 # a list
    "$@" "$folder"/objects/*.o $libraries -o "$folder/planted"
    if timeout 600 "$folder/planted" --storms "$storms" --quiet --first >"$folder/log" 2>&1; then
        echo "not noticed in $storms storms: $file: $from -> $to" >&2
        missed=1
    else
        echo "$file: $(grep -m 1 '^storm' "$folder/log" || echo 'it crashes, or hangs')"
    fi
    cp "$folder/kept" "$folder/mpi/$file"
    cp "$folder/kept.o" "$object"
done <"$folder/planted.txt"
exit $missed
