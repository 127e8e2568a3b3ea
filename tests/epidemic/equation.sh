#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: equation.sh EPIDEMIC
# Where everybody travels every day people are well mixed: the final size and the peak are those of the
# SIR equations. Where nobody travels they are not.
set -eu
epidemic=$1
check='{ for (i = 1; i <= NF; i++) {
             if ($i == "size") { size = $(i + 1); size_equation = $(i + 3) + 0 }
             if ($i == "peak") { peak = $(i + 1); peak_equation = substr($(i + 5), 2) + 0 } } }
       END { if (size_equation <= 0.1 || peak_equation <= 0.01) { print "no summary"; exit 2 }
             off = size - size_equation; off = off < 0 ? -off : off
             wrong = peak / peak_equation - 1; wrong = wrong < 0 ? -wrong : wrong
             exit !(off <= 0.05 && wrong <= 0.15) }'
for chance in 0.025 0.04; do
    summary=$("$epidemic" --ranks 2 --people 10000 --days 150 --infected 50 --travel 1 --chance $chance)
    echo "$summary"
    echo "$summary" | head -n 1 | awk "$check" ||
        { echo "chance $chance: too far from the equations" >&2; exit 1; }
done
summary=$("$epidemic" --ranks 2 --people 10000 --days 150 --travel 0)
if echo "$summary" | head -n 1 | awk "$check"; then
    echo "without travel people are not mixed, but the equations hold: $summary" >&2
    exit 1
fi
