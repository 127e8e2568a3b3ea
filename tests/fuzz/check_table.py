#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_table.py REPOSITORY FUZZ: fails unless the fuzzer calls every exported function."""
import json
import pathlib
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
api = json.loads((root / "bindings/api.json").read_text())
exported = {function["name"] for function in api["functions"]}
called = set(subprocess.run([sys.argv[2], "--list"], stdout=subprocess.PIPE, text=True,
                            check=True).stdout.split())
for name in sorted(exported - called):
    print(f"{name}: the fuzzer does not call it; add it to tests/fuzz/calls_*.c")
for name in sorted(called - exported):
    print(f"{name}: the fuzzer calls it, and bindings/api.json does not know it")
print(f"{len(exported & called)} of {len(exported)} exported functions are called")
sys.exit(exported != called)
