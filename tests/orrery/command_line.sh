#!/bin/sh
# SPDX-License-Identifier: MIT
# The command line of the orrery: what works, and what is refused with exit status 2, one line on
# stderr, nothing on stdout and no file left behind.
# Usage: command_line.sh ORRERY BODIES
set -u
orrery=$1
bodies=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/in" "$work/out"
cd "$work" || exit 1
failures=0

complain() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# refuses TEXT ARGUMENT...: the message must contain the text.
refuses() {
    text=$1
    shift
    "$orrery" "$@" >stdout 2>stderr
    status=$?
    [ $status -eq 2 ] || complain "exit status $status instead of 2: $*"
    [ "$(wc -l <stderr)" -eq 1 ] || complain "not one line on stderr: $*: $(cat stderr)"
    [ -s stdout ] && complain "something on stdout: $*"
    grep -qF -e "$text" stderr || complain "'$text' is not in the message: $(cat stderr)"
    [ -z "$(ls -A out)" ] || complain "files left behind: $*: $(ls -A out)"
    rm -rf out
    mkdir out
}

# refuses_data TEXT: standard input is a file of bodies that is refused.
refuses_data() {
    cat >in/bad.csv
    refuses "$1" --data in/bad.csv --from 2026-11-21 --days 3 --csv out/o.csv --image out/o.png
}

header=$(grep '^name,' "$bodies")
zeros=0,0,0,0,0,0,0,0,0,0,0,0
one=1,0,0,0,0,0,0,0,0,0,0,0

# ---- bad data: file and line are named
refuses "orrery: in/none.csv: No such file or directory" --data in/none.csv --from 2026-11-21 \
    --csv out/o.csv
refuses "orrery: in: Is a directory" --data in --from 2026-11-21 --csv out/o.csv
printf '%s\nSun,,%s\nMoon,Earth,%s\n' "$header" $zeros $one |
    refuses_data "in/bad.csv:3: unknown parent 'Earth' of 'Moon'"
printf '%s\nSun,,%s\nA,B,%s\nB,A,%s\n' "$header" $zeros $one $one |
    refuses_data "in/bad.csv:3: parent cycle: 'A' -> 'B' -> 'A'"
printf '# comment\n\n%s\nSun,,%s\nSun,,%s\n' "$header" $zeros $zeros |
    refuses_data "in/bad.csv:5: duplicate name 'Sun', first on line 4"
printf '%s\nSun,,%s\nX,Sun,one,0,0,0,0,0,0,0,0,0,0,0\n' "$header" $zeros |
    refuses_data "in/bad.csv:3: a: 'one' is not a number"
printf '%s\nSun,,%s\nX,Sun,1,NaN,0,0,0,0,0,0,0,0,0,0\n' "$header" $zeros |
    refuses_data "in/bad.csv:3: e: 'NaN' is not a number"
for e in 1 1.5 -0.1; do
    printf '%s\nSun,,%s\nX,Sun,1,%s,0,0,0,0,0,0,0,0,0,0\n' "$header" $zeros $e |
        refuses_data "in/bad.csv:3: e: the eccentricity $e of 'X' is not in [0, 1)"
done
printf '%s\nSun,,%s\nX,Sun,1,0.5,0,0,0,0,0,9,0,0,0,0\n' "$header" $zeros |
    refuses_data "in/bad.csv:3: the eccentricity of 'X' is"
printf '%s\nSun,,0\n' "$header" | refuses_data "in/bad.csv:2: 3 fields, but the header has 14"
printf '' | refuses_data "in/bad.csv:1: the file ends before a header line"

# ---- bad options
for date in 2026-02-29 2026-13-01 26-11-21 today ''; do
    refuses "orrery: --from: '$date' is not a date" --data "$bodies" --from "$date" --csv out/o.csv
done
refuses "orrery: --days: 'x' is not a number" --data "$bodies" --from 2026-11-21 --days x \
    --csv out/o.csv
refuses "orrery: --days: -1 is not 0 or more" --data "$bodies" --from 2026-11-21 --days -1 \
    --csv out/o.csv
refuses "orrery: --step: 0 is not above 0" --data "$bodies" --from 2026-11-21 --step 0
refuses "orrery: --step: 'inf' is not a number" --data "$bodies" --from 2026-11-21 --step inf
refuses "orrery: --belt: '-1' is not a whole number" --data "$bodies" --from 2026-11-21 --belt -1
for threads in 0 -1 x 1025; do
    refuses "orrery: --threads: '$threads' is not a whole number from 1 to 1024" \
        --data "$bodies" --from 2026-11-21 --threads $threads
done
refuses "orrery: --seed: 'x' is not a whole number" --data "$bodies" --from 2026-11-21 --seed x
refuses "orrery: '--speed' is not an option" --speed 3
refuses "orrery: --data is missing" --from 2026-11-21
refuses "orrery: --from is missing" --data "$bodies"

# ---- output that cannot be written
run="--data $bodies --from 2026-11-21 --days 3"
mkdir in/directory
for option in csv image; do
    other=image
    [ $option = image ] && other=csv
    # shellcheck disable=SC2086 # the words of $run are meant to be split
    refuses "orrery: in/none/o: No such file or directory" $run --$option in/none/o --$other out/o
    # shellcheck disable=SC2086
    refuses "orrery: in/directory: Is a directory" $run --$option in/directory --$other out/o
    # shellcheck disable=SC2086
    [ -w /dev/full ] && refuses "orrery: /dev/full: No space left on device" $run \
        --$option /dev/full --$other out/o
done
refuses "orrery: --changed-only says what --csv writes" --data "$bodies" --from 2026-11-21 --changed-only
# shellcheck disable=SC2086
refuses "orrery: --image: './out/o' is the file of --csv" $run --csv out/o --image ./out/o
cp "$bodies" in/copy.csv
ln -s copy.csv in/link.csv
refuses "orrery: --csv: 'in/link.csv' is the file of --data" --data in/copy.csv --from 2026-11-21 \
    --csv in/link.csv --image out/o
cmp -s "$bodies" in/copy.csv || complain "the data was overwritten"
if [ "$(id -u)" -ne 0 ]; then # nothing is unwritable for root
    mkdir in/locked && chmod 555 in/locked
    # shellcheck disable=SC2086
    refuses "orrery: in/locked/o: Permission denied" $run --csv in/locked/o
fi

# A failure leaves the old files as they were.
echo old >out/o.csv
"$orrery" --data "$bodies" --from 2026-11-21 --days 3 --csv out/o.csv --image in/none/o 2>/dev/null
[ "$(cat out/o.csv)" = old ] || complain "a failed run replaced an old file"
[ "$(ls -A out)" = o.csv ] || complain "a failed run left files: $(ls -A out)"

# ---- what works
"$orrery" --help >stdout 2>stderr || complain "--help fails"
for option in data from days step belt seed threads csv sqlite changed-only image help; do
    grep -q -e "--$option" stdout || complain "--help does not tell about --$option"
done
"$orrery" --data "$bodies" --from 2026-11-21 --days 2 --step 0.5 --belt 100 --seed 7 \
    --csv out/a.csv --image out/a.png >stdout 2>stderr || complain "a good run fails: $(cat stderr)"
[ -s stderr ] && complain "a good run writes to stderr: $(cat stderr)"
[ "$(wc -l <stdout)" -eq 1 ] || complain "not one line of summary"
"$orrery" --data "$bodies" --from 2026-11-21 --days 2 --step 0.5 --belt 100 --seed 7 \
    --csv out/c.csv --changed-only >/dev/null 2>stderr || complain "--changed-only fails: $(cat stderr)"
[ "$(grep -c ',Sun,' out/c.csv)" -eq 1 ] || complain "the Sun does not move, but is written again"
grep -v ',Sun,' out/a.csv | sort >out/a.rows
grep -v ',Sun,' out/c.csv | sort >out/c.rows
cmp -s out/a.rows out/c.rows || complain "what moves is not written with --changed-only"
rm -f out/a.rows out/c.rows out/c.csv
"$orrery" --data "$bodies" --from 2026-11-21 --days 2 --belt 10 --sqlite out/s.db >/dev/null 2>stderr ||
    grep -q 'built without SQLite' stderr || complain "--sqlite fails: $(cat stderr)"
[ ! -e out/s.db ] || [ "$(head -c 15 out/s.db)" = "SQLite format 3" ] || complain "no database: out/s.db"
rm -f out/s.db
grep -Eq '^121 entities, 5 steps in [0-9.]+ s: [0-9.]+ steps per second, [0-9.]+ million entity updates per second, hash 0x[0-9a-f]{16}$' \
    stdout || complain "summary: $(cat stdout)"
[ "$(head -1 out/a.csv)" = "jd,name,x,y,z" ] || complain "header: $(head -1 out/a.csv)"
[ "$(wc -l <out/a.csv)" -eq 106 ] || complain "$(wc -l <out/a.csv) rows instead of 106"
grep -Eq '^2461367\.5,Triton,(-?[0-9]+\.[0-9]{9,},?){3}$' out/a.csv || complain "no last Triton"
[ "$(head -c 4 out/a.png | od -An -c | tr -d ' ')" = '211PNG' ] || complain "not a PNG file"

# The same seed gives the same bytes, another one another picture; the table has no asteroids.
"$orrery" --data "$bodies" --from 2026-11-21 --days 2 --step 0.5 --belt 100 --seed 7 \
    --csv out/b.csv --image out/b.png >stdout
"$orrery" --data "$bodies" --from 2026-11-21 --days 2 --step 0.5 --belt 100 --seed 8 \
    --csv out/c.csv --image out/c.png >stdout
cmp -s out/a.csv out/b.csv || complain "the same seed gives another table"
cmp -s out/a.png out/b.png || complain "the same seed draws another picture"
cmp -s out/a.csv out/c.csv || complain "the seed changes the table"
cmp -s out/a.png out/c.png && complain "another seed draws the same picture"

# The number of threads changes nothing but the time.
for threads in 1 2 3 8; do
    "$orrery" --data "$bodies" --from 2026-11-21 --days 3 --belt 3000 --threads $threads \
        --csv out/t$threads.csv >stdout || complain "--threads $threads fails"
    sed 's/.*hash/hash/' stdout >hash$threads
    cmp -s out/t1.csv out/t$threads.csv || complain "--threads $threads gives another table"
    cmp -s hash1 hash$threads || complain "--threads $threads: $(cat hash$threads), not $(cat hash1)"
done
"$orrery" --data "$bodies" --from 2026-11-21 --days 3 --belt 3000 --seed 2 >stdout
grep -qF -e "$(cat hash1)" stdout && complain "the hash knows nothing of the seed"

# Dates that the elements are not made for get a warning, and are computed.
"$orrery" --data "$bodies" --from 1700-01-01 --days 1 --csv out/d.csv >stdout 2>stderr ||
    complain "an early date is refused"
grep -q "warning: .* 1800 to 2050" stderr || complain "no warning about an early date"

# A run that is stopped leaves nothing behind.
rm -rf out && mkdir out
"$orrery" --data "$bodies" --from 1900-01-01 --days 50000 --step 0.001 --csv out/s.csv \
    >stdout 2>stderr &
victim=$!
sleep 1
kill -TERM $victim
wait $victim
status=$?
[ $status -eq 143 ] || complain "a stopped run ends with $status instead of 143"
[ -z "$(ls -A out)" ] || complain "a stopped run leaves files: $(ls -A out)"

[ $failures -eq 0 ] || exit 1
echo "the command line does what it should"
