#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: check.py LEVELS: the schema that a world writes takes what the loader takes, and no more.

Each of `GOOD` and `BAD` is a component of one entity, or a whole level. What only the loader can
know, such as that an entity is there, is in `BEYOND`: the schema takes it."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    debian = "/usr/bin/python3"  # the first one may be another one than Debian's
    if pathlib.Path(debian).exists() and pathlib.Path(sys.executable).resolve() != pathlib.Path(debian).resolve():
        os.execv(debian, [debian, *sys.argv])
    print("skipped: python3-jsonschema is missing")
    sys.exit(77)

GOOD = [
    {"Orc": {}}, {"Orc": {"mood": "CALM"}}, {"Orc": {"mood": 3}}, {"Orc": {"can": "SWIM | FLY"}},
    {"Orc": {"can": 0}}, {"Orc": {"target": None}}, {"Orc": {"xs": [1, 2.5, "inf"]}},
    {"Orc": {"slots": [{"count": 255}, {}]}}, {"Orc": {"speed": 99.5}}, {"Orc": {"pace": 1}},
    {"Orc": {"i8": -128, "u16": 0}}, {"Orc": {"i64": "-9223372036854775808"}}, {"Orc": {"i64": 5}},
    {"Orc": {"hash": "AQIDBA=="}}, {"Goblin": {}}, {"Raw": "AQL/"}, {"Asleep": True}, {"Likes": []},
    {"Likes": ["a"]}, {"Follows": "a"}, {"DockedAt": {"to": "a", "value": {"since": 3}}},
    {"Holds": []}, {"Holds": [{"to": "a", "value": {"count": 3}}]},
    {"@sources": {}}, {"@sources": {"Likes": []}},
    {"Orc": {}, "@disabled": ["Orc"]}, {"@handle": "@7v1"},
]
BAD = [
    {"Ork": {}}, {"Cache": True}, {"Orc": 1}, {"Orc": {"mod": 1}}, {"Orc": {"mood": "SAD"}},
    {"Orc": {"mood": 1.5}}, {"Orc": {"can": True}}, {"Orc": {"target": 5}}, {"Orc": {"xs": [1, 2]}},
    {"Orc": {"xs": 1}}, {"Orc": {"slots": [{"count": 256}, {}]}}, {"Orc": {"slots": [{}, {}, {}]}},
    {"Orc": {"slots": [{"label": "123456789"}, {}]}}, {"Orc": {"speed": 100}}, {"Orc": {"speed": -1}},
    {"Orc": {"awake": 1}}, {"Orc": {"i8": 128}}, {"Orc": {"u16": -1}}, {"Orc": {"i8": "5"}},
    {"Orc": {"hash": "AQID"}}, {"Raw": "AQL"}, {"Raw": {}}, {"Asleep": {}}, {"Asleep": False},
    {"Likes": "a"}, {"Likes": [None]}, {"Follows": ["a"]}, {"DockedAt": "a"},
    {"DockedAt": {"to": "a"}}, {"DockedAt": {"to": "a", "value": {}, "more": 1}},
    {"Holds": {"to": "a", "value": {"count": 3}}}, {"Holds": ["a"]},
    {"Holds": [{"to": "a", "value": {"count": 300}}]},
    {"@sources": ["Likes"]}, {"@sources": {"Orc": []}}, {"@sources": {"Likes": "a"}}, {"@sources": {"Likes": [None]}},
    {"@disabled": "Orc"}, {"@disabled": ["Ork"]}, {"@handle": "7v1"}, {"@handle": 7},
]
GOOD_LEVELS = [
    {}, {"entities": {}}, {"$schema": "x", "handles": True, "uniques": {}, "entities": {}},
    {"uniques": {"Round": {"number": "18446744073709551615"}}}, {"uniques": {"Round": None}},
]
BAD_LEVELS = [
    [], {"entitys": {}}, {"entities": []}, {"handles": 1}, {"uniques": {"Orc": {}}},
    {"uniques": {"Round": 1}}, {"entities": {"a": 1}}, {"$schema": 1},
]
BEYOND = [{"@sources": {"Likes": ["nobody"]}}, {"Likes": ["nobody"]}, {"Follows": "nobody"}, {"Orc": {"target": "nobody"}}, {"@disabled": ["Raw"]},
          {"@handle": "@9999999v0"}, {"Orc": {"can": "SING"}}, {"Orc": {"i64": "many"}}]


def main():
    levels = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "level.json"
        subprocess.run([levels, "schema", path], check=True)
        schema = json.loads(path.read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        subprocess.run([levels, "write", path], check=True)
        written = json.loads(path.read_text(encoding="utf-8"))
        failures = 0

        def check(level, schema_takes, loader_takes):
            nonlocal failures
            path.write_text(json.dumps(level), encoding="utf-8")
            loaded = subprocess.run([levels, "load", path], capture_output=True, text=True, check=False)
            takes = validator.is_valid(level)
            if takes == schema_takes and (loaded.returncode == 0) == loader_takes:
                return
            failures += 1
            print(f"{json.dumps(level)}: the schema {'takes' if takes else 'refuses'} it, "
                  f"the loader says '{loaded.stdout.strip() or 'fine'}'")

        check(written, True, True)
        for level in GOOD_LEVELS:
            check(level, True, True)
        for level in BAD_LEVELS:
            check(level, False, False)
        for components, schema_takes, loader_takes in (
                [(c, True, True) for c in GOOD] + [(c, False, False) for c in BAD] + [(c, True, False) for c in BEYOND]):
            check({"entities": {"a": {}, "b": components}}, schema_takes, loader_takes)
        print(f"{len(GOOD) + len(BAD) + len(BEYOND) + len(GOOD_LEVELS) + len(BAD_LEVELS) + 1} levels, {failures} failures")
        sys.exit(1 if failures else 0)


main()
