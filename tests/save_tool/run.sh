#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: run.sh KEEL_SAVE MAKE_SAVES FOLDER [--write]
# What keel-save prints is what stands in FOLDER/expected.txt; --write writes that.
set -eu
tool=$1 make_saves=$2 folder=$3 write=${4:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

die() {
    echo "FAILED: $1" >&2
    exit 1
}
try() { # ARGUMENTS: prints them, what comes out, and the exit status
    echo "\$ keel-save $*"
    status=0
    (cd "$work" && "$tool" "$@" 2>&1) || status=$?
    [ $status -eq 0 ] || echo "exit $status"
}

"$make_saves" "$work"
for file in "$folder"/../data/saves/*.keel; do cp "$file" "$work"; done
{
    try check before.keel
    try list after.keel | sed 's/[0-9]* bytes, \([0-9]* unpacked\)/N bytes, \1/'
    try print before.keel
    try diff before.keel after.keel
    try diff after.keel after.keel
    try diff after.keel rename_component.keel
    try diff kind_before.keel kind_after.keel
    for file in "$folder"/../data/saves/*.keel; do try check "$(basename "$file")"; done
    try --max-entities 3 check before.keel
    try --max-bytes 100 check before.keel
    try check missing.keel
    try diff before.keel missing.keel
} >"$work/printed.txt"
if [ -n "$write" ]; then
    cp "$work/printed.txt" "$folder/expected.txt"
else
    diff -u "$folder/expected.txt" "$work/printed.txt" >&2 || die "what it prints is not expected.txt"
fi

# wrong arguments say how it is used
for words in "" "show before.keel" "check" "check a b" "diff before.keel" "--max-bytes 0 check before.keel"; do
    # shellcheck disable=SC2086 # words
    if "$tool" $words >/dev/null 2>"$work/said"; then die "'$words' is fine"; fi
    grep -q '^usage:' "$work/said" || die "'$words' does not say how it is used"
done
"$tool" --help | grep -q '^usage:' || die "no help"

# what cannot be printed is an error
if [ -e /dev/full ] && "$tool" print "$work/before.keel" >/dev/full 2>/dev/null; then die "/dev/full is fine"; fi

# damaged saves: an error, and nothing worse
size=$(wc -c <"$work/before.keel")
at=0
while [ $at -lt "$size" ]; do
    cp "$work/before.keel" "$work/damaged.keel"
    printf '\252' | dd of="$work/damaged.keel" bs=1 seek=$at conv=notrunc 2>/dev/null
    cmp -s "$work/before.keel" "$work/damaged.keel" || {
        status=0
        "$tool" list "$work/damaged.keel" >/dev/null 2>&1 || status=$?
        [ $status -eq 2 ] || die "byte $at was changed: $status"
    }
    head -c $at "$work/before.keel" >"$work/damaged.keel"
    status=0
    "$tool" print "$work/damaged.keel" >/dev/null 2>&1 || status=$?
    [ $status -eq 2 ] || die "cut at $at: $status"
    at=$((at + 13))
done
