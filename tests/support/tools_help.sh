#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks that each tool prints its usage with --help, and has a line in tools/README.md. Called by ctest;
# it runs no tool's work.
set -u
cd "$(dirname "$0")/../.." || exit 2
failed=0
for tool in tools/*; do
    name=${tool#tools/}
    [ "$name" = README.md ] || [ -d "$tool" ] && continue
    grep -q "^| \`$name\` |" tools/README.md || { echo "$name: no line in tools/README.md"; failed=1; }
    case $name in *.py) continue ;; esac
    "$tool" --help | head -n 1 | grep -q "^usage: $tool" || { echo "$name --help: no usage"; failed=1; }
done
exit $failed
