#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: planted.sh SOURCES LIBRARY COMPILER FLAGS...
# The seeded driver notices each defect that is planted in a file of src/rewind/: FILE@FROM@TO.
set -eu
sources=$1 library=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
while IFS='@' read -r file from to; do
    cp "$sources/src/rewind/$file" "$folder/$file"
    FROM=$from TO=$to perl -0pi -e 's/\Q$ENV{FROM}\E/$ENV{TO}/ or die "planted.sh: no such text\n"' "$folder/$file"
    "$@" -D_DEFAULT_SOURCE -I"$sources/include" -I"$sources/src" -I"$sources/tests" -I"$sources/tests/fuzz_image" \
        "$folder/$file" "$sources/tests/fuzz_image/load.c" "$sources/tests/fuzz_image/main.c" "$library" \
        -lpthread -lm -o "$folder/planted"
    if "$folder/planted" --rounds 6000 >/dev/null 2>&1; then
        echo "not noticed: $file: $from -> $to" >&2
        exit 1
    fi
done <<'END'
unpack.c@if (size > (uint64_t)(u->end - u->at)) {@if (0) {
unpack.c@return is_alive || keeli_unpack_wrong@return index < ix->size || keeli_unpack_wrong
unpack_edges.c@there && twin < there->used@there
unpack_edges.c@if (keeli_chains_have_target(&edges->chains, source))@if (0)
unpack_runs.c@if (!check_group(u, &u->groups.items[i]))@if (0)
unpack_values.c@if (*keeli_row_of(ix, index) != KEELI_NO_ROW)@if (0)
unpack_values.c@if (keeli_store_has(s, index))@if (0)
unpack_values.c@if (!is_index@if (0
END
