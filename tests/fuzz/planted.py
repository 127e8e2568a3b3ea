#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""planted.py REPOSITORY LIBRARY OBJECTS... -- COMPILER FLAGS...

Puts each defect of planted.txt into its source, links the fuzzer with that one object in place of
the library's, and fails unless the fuzzer finds it."""
import pathlib
import subprocess
import sys
import tempfile

root, library = pathlib.Path(sys.argv[1]), sys.argv[2]
split = sys.argv.index("--")
objects, compiler = sys.argv[3:split], sys.argv[split + 1:]
missed = 0
for line in (root / "tests/fuzz/planted.txt").read_text().splitlines():
    if line.startswith("#"):
        continue
    name, there, instead = line.split("\t")
    source = (root / name).read_text()
    if source.count(there) != 1:
        sys.exit(f"planted.txt: '{there.strip()}' stands {source.count(there)} times in {name}, not once")
    with tempfile.TemporaryDirectory() as folder:
        changed, program = pathlib.Path(folder) / pathlib.Path(name).name, pathlib.Path(folder) / "fuzz"
        changed.write_text(source.replace(there, instead))
        include = ["-I", str(root / "include"), "-I", str(root / "src"), "-I", str((root / name).parent)]
        subprocess.run([*compiler, "-std=c11", "-w", *include, str(changed), *objects, library,
                        "-o", str(program), "-lpthread", "-lm"], check=True)
        found = subprocess.run([program, "--seed", "1", "--seconds", "60", "--keep-long"], cwd=folder,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    print(f"{name}: {'found' if found.returncode == 1 else 'NOT FOUND'}")
    missed += found.returncode != 1
sys.exit(f"{missed} planted defects were not found" if missed else 0)
