#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: tests/planted/planted.py [WORD]
Puts each defect of planted.txt into a copy of the sources, builds it, and fails unless its finder fails: the tests
of `make test`, or random_rewind within a minute. WORD: only defects whose line has it. A minute for each defect."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / "build/planted"
BUILD = COPY / "build/debug"
JOBS = str(os.cpu_count())
PLAYED = subprocess.run([ROOT / "tools/ci_tests", "test", "ctest"], check=True, capture_output=True, text=True).stdout.split()
BUILT = subprocess.run([ROOT / "tools/ci_tests", "test", "cmake"], check=True, capture_output=True, text=True).stdout.split()


def copy_sources():
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, files.split("\0")):
        there = COPY / name
        there.parent.mkdir(parents=True, exist_ok=True)
        if not there.exists() or there.read_bytes() != (ROOT / name).read_bytes():
            shutil.copy(ROOT / name, there)
    subprocess.run(["cmake", "--preset", "debug", *BUILT], cwd=COPY, check=True, stdout=subprocess.DEVNULL)


def build():
    subprocess.run(["cmake", "--build", "--preset", "debug", "-j", JOBS], cwd=COPY, check=True, stdout=subprocess.DEVNULL)


def fails(command, seconds):
    finder = subprocess.Popen(command, cwd=COPY, env={**os.environ, "KEEL_TEST_PART": "8"}, start_new_session=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        return finder.wait(seconds) != 0
    except subprocess.TimeoutExpired:
        os.killpg(finder.pid, signal.SIGKILL)  # tests that it started, too
        return False


def is_found(finder):
    if finder == "random_rewind":
        return fails([BUILD / "tests/random_rewind/random_rewind", "--seed", "1", "--rounds", "1000000"], 60)
    return fails(["ctest", "--preset", "debug", "-j", JOBS, "--stop-on-failure", *PLAYED], 300)


def plant(line):
    finder, name, there, instead = (part.replace("\\n", "\n") for part in line.split("\t"))
    source = COPY / name
    text = source.read_text()
    if text.count(there) != 1:
        sys.exit(f"planted.txt: '{there.strip()}' stands {text.count(there)} times in {name}, not once")
    source.write_text(text.replace(there, instead))
    build()
    found = is_found(finder)
    source.write_text(text)
    print(f"{finder}: {name}: {instead.strip() or there.strip()}: {'found' if found else 'NOT FOUND'}", flush=True)
    return found


def main():
    if sys.argv[1:] and sys.argv[1].startswith("-"):
        print(__doc__)
        return 0
    lines = [line for line in (ROOT / "tests/planted/planted.txt").read_text().splitlines()
             if not line.startswith("#") and "".join(sys.argv[1:2]) in line]
    copy_sources()
    build()
    if is_found("tests"):
        sys.exit("the tests fail without a defect")
    missed = sum(not plant(line) for line in lines)
    return f"{missed} planted defects were not found" if missed else 0


sys.exit(main())
