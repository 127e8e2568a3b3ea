#!/bin/sh
# SPDX-License-Identifier: MIT
# Square Eater over the network: two processes end with the same hash although packets are late, lost and doubled; and
# what cannot be joined is said. The system chooses the port.
# Usage: together.sh SQUARE_EATER_HEADLESS
set -u
game=$1
work=$(mktemp -d) || exit 1
cd "$work" || exit 1
host=''
trap '[ -z "$host" ] || kill "$host"; rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    cat host joiner errors >&2
    exit 1
}

"$game" --headless --host 0 --players 2 --frames 600 --seed 5 --simulate loss=5,delay=60,jitter=10,duplicate=1 --hash >host 2>errors &
host=$!
port=''
for _ in $(seq 100); do
    port=$(sed -n 's/^port //p' host)
    [ -z "$port" ] || break
    sleep 0.1
done
[ -n "$port" ] || fail "the host tells no port"
"$game" --headless --join "127.0.0.1:$port" --frames 600 --seed 6 --simulate loss=5,delay=60 --hash >joiner 2>>errors || fail "the joiner"
wait "$host" || fail "the host"
hash=$(tail -n 1 host)
[ "$hash" = "$(tail -n 1 joiner)" ] || fail "the hashes differ"
case $hash in 0x????????????????) ;; *) fail "there is no hash" ;; esac
grep -q ' [1-9][0-9]* played again' host || fail "nothing was played again: the network was not bad"
host=''

"$game" --headless --join "no host.invalid:7791" >joiner 2>errors && fail "a host that is not there is joined"
[ "$(wc -l <errors)" -eq 1 ] || fail "not one line on stderr"
