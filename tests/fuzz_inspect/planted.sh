#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: planted.sh SOURCES LIBRARIES COMPILER FLAGS...
# The seeded driver notices each defect that is planted in a copy of addons/inspect: FILE|FROM|TO. LIBRARIES: what
# the driver is linked to, in one word.
set -eu
sources=$1 libraries=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/inspect" "$folder/json"
cp "$sources"/addons/inspect/*.[ch] "$folder/inspect"
cp "$sources"/addons/json/*.h "$folder/json"
compile() { # COMPILER FLAGS...
    "$@" -D_GNU_SOURCE -I"$sources/include" -I"$folder" -I"$folder/inspect" -I"$sources/addons/json" \
        -I"$sources/addons/query" -I"$sources/addons/save" -I"$sources/tests" -I"$sources/tests/fuzz_inspect"
}
compile "$@" -c "$sources/tests/fuzz_inspect/ask.c" -o "$folder/ask.o"
compile "$@" -c "$sources/tests/fuzz_inspect/main.c" -o "$folder/main.o"
while IFS='|' read -r file from to; do
    cp "$sources/addons/inspect/$file" "$folder/inspect/$file"
    FROM=$from TO=$to perl -0pi -e 's/\Q$ENV{FROM}\E/$ENV{TO}/ or die "planted.sh: no such text\n"' "$folder/inspect/$file"
    compile "$@" -c "$folder/inspect/$file" -o "$folder/planted.o"
    "$@" "$folder/ask.o" "$folder/main.o" "$folder/planted.o" $libraries -o "$folder/planted"
    if "$folder/planted" --rounds 30000 >/dev/null 2>&1; then
        echo "not noticed: $file: $from -> $to" >&2
        exit 1
    fi
    cp "$sources/addons/inspect/$file" "$folder/inspect/$file"
done <<'END'
rules.c|!strcmp(head->origin + sizeof scheme - 1, head->host)|true
rules.c|!rules_host_is_right(rules, head->host)|false
rules.c|if (strstr(head->url, "%00")) return|if (0) return
rules.c|strcmp(head->fetch_site, "none")|strcmp(head->fetch_site, "none") && strcmp(head->fetch_site, "same-site")
path.c|length >= sizeof name) continue|0) continue
request.c|index = strtoul(text, &end, 10);|index = strtoul(text, &end, 16);
out.c|keeli_out_raw(out, sequence ? text : unknown, sequence ? sequence : 3);|keeli_out_raw(out, text, sequence ? sequence : 1);
END
