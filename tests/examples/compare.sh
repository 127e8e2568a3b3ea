#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/examples/compare.sh EXPECTED PROGRAM [ARGUMENT...]
# Runs PROGRAM and compares what it prints with the file EXPECTED. It must also end with status 0.
set -u
expected=$1
shift
output=$(mktemp)
trap 'rm -f "$output"' EXIT
"$@" >"$output"
status=$?
[ "$status" -eq 0 ] || { echo "FAILED: $1 ended with status $status" >&2; exit 1; }
[ -f "$expected" ] || { echo "FAILED: $expected is missing" >&2; exit 1; }
diff -u "$expected" "$output"
