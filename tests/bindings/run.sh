#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/bindings/run.sh LIBRARY PROGRAM [EXPECTED]
# Runs PROGRAM, in Python or Lua, with the bindings over the shared LIBRARY, and compares what it prints with
# EXPECTED if that is given. Status 77 when what it needs is not installed.
set -u
library=$1
program=$2
here=$(cd "$(dirname "$0")/../.." && pwd)
export LIBKEEL="$library" PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$here/bindings/python"
export LUA_PATH="$here/bindings/lua/?.lua"
case $program in
*.py)
    package=python3-cffi
    for run in python3 /usr/bin/python3 ""; do # the first one may be another one than Debian's
        [ -n "$run" ] && "$run" -c "import cffi" >/dev/null 2>&1 && break
    done
    ;;
*)
    package=luajit
    run=$(command -v luajit)
    ;;
esac
[ -n "$run" ] || { echo "skipped: $package is not installed (tools/install_packages test)"; exit 77; }
[ $# -gt 2 ] || exec "$run" "$program"
exec "$here/tests/examples/compare.sh" "$3" "$run" "$program"
