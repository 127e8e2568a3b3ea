#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: planted.sh SOURCES LIBRARY COMPILER FLAGS...
# The seeded driver notices each defect that is planted in a copy of addons/query: FILE|FROM|TO.
set -eu
sources=$1 library=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
while IFS='|' read -r file from to; do
    rm -rf "$folder/query"
    cp -r "$sources/addons/query" "$folder"
    FROM=$from TO=$to perl -0pi -e 's/\Q$ENV{FROM}\E/$ENV{TO}/ or die "planted.sh: no such text\n"' "$folder/query/$file"
    "$@" -I"$sources/include" -I"$folder/query" -I"$sources/tests" -I"$sources/tests/fuzz_query" \
        "$folder"/query/*.c "$sources/tests/fuzz_query/query.c" "$sources/tests/fuzz_query/main.c" "$library" \
        -lpthread -lm -o "$folder/planted"
    if "$folder/planted" --rounds 100000 >/dev/null 2>&1; then
        echo "not noticed: $file: $from -> $to" >&2
        exit 1
    fi
done <<'END'
parse.c|if (p->query->term_count == KEEL_MAX_QUERY_TERMS)|if (0)
parse.c|if (p->term->component_count == QUERY_ANY_MOST)|if (0)
parse.c|if (strlen(text) > KEEL_MAX_QUERY_TEXT)|if (0)
text.c|if (c == '\0')|if (0)
walk.c|keel_entity_index(e) > keel_entity_index(list->after)|keel_entity_index(e) >= keel_entity_index(list->after)
walk.c|walk->visits < walk->max_visits|walk->visits <= walk->max_visits
walk.c|qsort(|(void)(
END
