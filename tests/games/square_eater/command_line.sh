#!/bin/sh
# SPDX-License-Identifier: MIT
# The command line of Square Eater without a window: records and replays, and what is refused, with one line on
# stderr and the exit status 1 or 2.
# Usage: command_line.sh SQUARE_EATER_HEADLESS [INSPECTS], the second one empty without the inspector
set -u
game=$1
inspects=${2-}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

complain() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# refuses STATUS TEXT ARGUMENT...: the message must contain the text.
refuses() {
    wanted=$1 text=$2
    shift 2
    "$game" "$@" >stdout 2>stderr
    status=$?
    [ $status -eq "$wanted" ] || complain "exit status $status instead of $wanted: $*"
    [ "$(wc -l <stderr)" -eq 1 ] || complain "not one line on stderr: $*: $(cat stderr)"
    grep -qF -e "$text" stderr || complain "'$text' is not in the message: $(cat stderr)"
}

refuses 2 "'5' is not a whole number from 1 to 4" --players 5
refuses 2 "at one keyboard two can play" --players 3
refuses 2 "a machine does one of them" --host 7791 --join localhost:7791
refuses 2 "'70000' is not a whole number from 0 to 65535" --host 70000
refuses 2 "'localhost' is not HOST:PORT" --join localhost
refuses 2 "'localhost:x' is not HOST:PORT" --join localhost:x
refuses 2 "the host decides" --join localhost:7791 --players 2
refuses 2 "--watch needs --join" --watch
refuses 2 "'loss=101' is none of loss=0..100" --host 7791 --simulate delay=5,loss=101
refuses 2 "--simulate needs --host" --simulate loss=5
refuses 2 "has no records" --host 7791 --record game
refuses 2 "'-1' is not a whole number" --frames -1
refuses 2 "'' is not a whole number" --seed ''
refuses 2 "'5x' is not a whole number" --seed 5x
refuses 2 "'0' is not a whole number" --threads 0
refuses 2 "--fast is not an option" --fast
refuses 2 "--seed needs a value" --seed
refuses 2 "'now' is not an option" now
refuses 2 "none of menu, play, pause and over" --state won
refuses 2 "leave out --auto" --replay game --auto
if [ -n "$inspects" ]; then
    refuses 2 "leave out --record and --replay" --inspect-edits --record game
    refuses 2 "leave out --replay, --frames" --inspect --frames 10
else
    refuses 2 "built without the inspector" --inspect
fi
refuses 2 "needs SDL" --shot picture.png
refuses 1 "missing/game cannot be written" --frames 10 --record missing/game
refuses 1 "game cannot be opened" --replay game
refuses 1 "another state than --state says" --state over --frames 10

"$game" --help | grep -q -e '--replay FILE' || complain "--help does not name --replay"
first=$("$game" --headless --frames 600 --seed 3 --hash --record game | tail -n 1) || complain "a game is not played"
again=$("$game" --headless --replay game --threads 2 | tail -n 1) || complain "a record is not replayed"
[ "$first" = "$again" ] || complain "the replay ends with $again instead of $first"
for state in menu play pause over; do
    "$game" --state $state --frames 2400 --seed 5 >stdout || complain "--state $state does not end there"
done
[ -e game.part ] && complain "a half record was left behind"

# A record whose third hash is another one, with a checksum that fits: a game that plays in another way. Each input
# has 32 bytes behind a head of 28; each hash has 8.
python3 - game other <<'PYTHON' || complain "no python3"
import sys
data = bytearray(open(sys.argv[1], "rb").read()[:-8])
data[28 + 600 * 32 + 2 * 8] ^= 1
total = 14695981039346656037
for byte in data:
    total = (total ^ byte) * 1099511628211 % 2**64
open(sys.argv[2], "wb").write(data + total.to_bytes(8, "little"))
PYTHON
refuses 1 "differs at frame 180:" --replay other
[ $failures -eq 0 ]
