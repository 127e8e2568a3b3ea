#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_table.py REPOSITORY FUZZ: fails unless the fuzzer calls every exported function, and where two
arguments of one call, or two values of one initialiser, eat bytes: C leaves their order open, and a
kept string would mean something else to each compiler."""
import json
import pathlib
import re
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


def lists_of(text):
    """For each bracket that opens arguments or an initialiser: where, and the texts between its commas."""
    stack = []
    for at, sign in enumerate(text):
        if sign in "({":
            stack.append((at, [at + 1]))
        elif sign == "," and stack:
            stack[-1][1].append(at + 1)
        elif sign in ")}" and stack:
            start, begins = stack.pop()
            yield start, [text[a:b - 1] for a, b in zip(begins, begins[1:] + [at + 1])]


# Who eats: functions of the fuzzer that reach fuzz_byte, wherever they stand.
sources = {path: re.sub(r"//[^\n]*", "", path.read_text()) for path in (root / "tests/fuzz").glob("*.c")}
function = re.compile(r"^\w[^;{}()\n]*?\b(\w+)\([^;{}]*\) \{(.*?)(?:^\}| \}$)", re.M | re.S)
bodies = [found for text in sources.values() for found in function.findall(text) if found[0] != "FUZZ"]
eaters, known = {"fuzz_byte"}, 0
while known != len(eaters):
    known = len(eaters)
    eats = re.compile(r"\b(?:%s)\(" % "|".join(eaters))
    eaters |= {name for name, body in bodies if eats.search(body)}
open_orders = 0
for path, text in sources.items():
    for start, parts in lists_of(text):
        if sum(bool(eats.search(part)) for part in parts) > 1 and not any(";" in part for part in parts):
            line = text.count("\n", 0, start) + 1
            print(f"{path.name}:{line}: eats bytes in an order that C leaves open")
            open_orders += 1
sys.exit(exported != called or open_orders > 0)
