#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: planted.sh SOURCES LIBRARY COMPILER FLAGS...
# The seeded driver notices each defect that is planted in a copy of addons/save: FILE|FROM|TO.
set -eu
sources=$1 library=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
while IFS='|' read -r file from to; do
    rm -rf "$folder/save"
    cp -r "$sources/addons/save" "$sources/addons/replace_file.h" "$sources/addons/stage.h" "$folder"
    FROM=$from TO=$to perl -0pi -e 's/\Q$ENV{FROM}\E/$ENV{TO}/ or die "planted.sh: no such text\n"' "$folder/save/$file"
    "$@" -D_POSIX_C_SOURCE=200809L -I"$sources/include" -I"$folder/save" -I"$sources/tests" -I"$sources/tests/fuzz_save" \
        "$folder"/save/*.c "$sources/tests/fuzz_save/load.c" "$sources/tests/fuzz_save/main.c" "$library" \
        -lzstd -lpthread -lm -o "$folder/planted"
    if "$folder/planted" --rounds 6000 >/dev/null 2>&1; then
        echo "not noticed: $file: $from -> $to" >&2
        exit 1
    fi
done <<'END'
sections.c|while (size > r->body.size - r->offset)|while (0)
sections.c|if (size > (uint64_t)(end - r->at)) return|if (0) return
rows.c|if (row[i] > 1) return false;|
END
