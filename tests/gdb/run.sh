#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/gdb/run.sh GDB PROGRAM
# Runs the program under gdb with tools/keel_gdb.py; what is printed must be as in expected.txt, apart
# from addresses, sizes of what holds handles, and what gdb says of itself.
set -u
here=$(cd "$(dirname "$0")" && pwd)
printed=$(mktemp)
trap 'rm -f "$printed"' EXIT
"$1" -batch -nx -x "$here/../../tools/keel_gdb.py" -x "$here/commands.gdb" "$2" >"$printed" 2>&1 </dev/null
sed -n '/^==/,$p' "$printed" | sed -E \
    -e '/^$/d; /^(Breakpoint|Thread) [0-9]/d; /^#[0-9]/d; /^[0-9]+\t/d' \
    -e 's/0x[0-9a-f]+/0x.../g; s/process [0-9]+/process/' |
    diff -u "$here/expected.txt" - && exit 0
echo "all that gdb printed:" >&2
cat "$printed" >&2
exit 1
