#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: view.sh ORRERY ORRERY_VIEW BODIES.CSV
# The view computes what the orrery does, on any number of threads; it writes whole pictures or none, and bad options
# get a sentence and exit status 2. No window is opened.
set -u
orrery=$1 view=$2 bodies=$3
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failed=0

fail() {
    echo "FAILED: $*"
    failed=1
}

# The hash of the world, which both programs print last.
hash_of() { "$@" | sed -n 's/.*hash \(0x[0-9a-f]*\)$/\1/p'; }

expected=$(hash_of "$orrery" --data "$bodies" --from 2026-11-21 --days 40 --belt 500 --seed 7)
[ -n "$expected" ] || fail "the orrery prints no hash"
for threads in 1 2 4; do
    hash=$(hash_of "$view" --data "$bodies" --hash --days 40 --belt 500 --seed 7 --threads $threads)
    [ "$hash" = "$expected" ] || fail "$threads threads: hash $hash, but the orrery has $expected"
done
hash=$(hash_of "$view" --data "$bodies" --hash --days 41 --belt 500 --seed 7)
[ "$hash" != "$expected" ] || fail "a day more changes no hash"

# A picture: PNG's signature and the size in its header, and a body that is followed makes another one.
shot() { "$view" --data "$bodies" --belt 500 --size 320x240 --shot "$@"; }
shot "$folder/a.png" || fail "--shot"
head=$(od -An -tx1 -N 24 "$folder/a.png" | tr -d ' \n')
[ "$head" = 89504e470d0a1a0a0000000d4948445200000140000000f0 ] || fail "a.png is no PNG of 320x240"
shot "$folder/b.png" && cmp -s "$folder/a.png" "$folder/b.png" || fail "the same picture has other bytes"
shot "$folder/c.png" --follow Saturn --zoom 900 && ! cmp -s "$folder/a.png" "$folder/c.png" || fail "--follow changes nothing"

# refused WORDS OPTIONS...: exit status 2, and a message with these words
refused() {
    words=$1
    shift
    message=$("$view" --data "$bodies" "$@" 2>&1)
    status=$?
    [ $status -eq 2 ] || fail "$*: exit status $status"
    case $message in *"$words"*) ;; *) fail "$*: the message is '$message'" ;; esac
}
refused "'--nonsense' is not an option" --nonsense
refused '--belt needs a value' --belt
refused "'-3' is not a whole number" --hash --belt -3
refused "'x' is not a number" --hash --days x
refused "is not a size" --shot "$folder/d.png" --size 10x10
refused "is not a size" --shot "$folder/d.png" --size 640
refused "'2026-02-30' is not a date" --hash --from 2026-02-30
refused 'from 1800-01-01 to 2050-12-31 only' --hash --from 2050-12-30 --days 9
refused "has no body 'Vulcan'" --hash --follow Vulcan
refused "$folder/none.csv" --hash --data "$folder/none.csv"
refused "$folder/none/d.png" --shot "$folder/none/d.png"
refused '--inspect' --inspect --hash
[ ! -e "$folder/d.png" ] || fail "a refused run left a file"
exit $failed
