# SPDX-License-Identifier: MIT
"""The structs, enumerators and constants of the binding are those of the headers: the compiler is asked."""
import json
import os
import subprocess
import sys

import keel

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def main():
    with open(os.path.join(ROOT, "bindings", "api.json"), encoding="utf-8") as file:
        api = json.load(file)
    checks = []
    for struct in api["structs"]:
        if struct.get("private") or struct.get("opaque"):
            continue
        name = struct["name"]
        checks.append((f"sizeof({name})", keel.ffi.sizeof(name)))
        checks += [(f"offsetof({name}, {f['name']})", keel.ffi.offsetof(name, f["name"])) for f in struct["fields"]]
    for enum in api["enums"]:
        if not enum.get("private"):
            checks += [(v["name"], getattr(keel.lib, v["name"])) for v in enum["values"]]
    checks += [(c["name"], getattr(keel.core, c["name"])) for c in api["constants"]
               if not isinstance(c["value"], str)]
    text = "#include <keel/core.h>\n" + "".join(
        f'_Static_assert({what} == {value}{"u" if value > 2**31 else ""}, "{what}");\n' for what, value in checks)
    # each function as the binding declares it, once more
    public = [f for f in api["functions"] if f.get("exported", True)]
    text += "".join(f"#undef {f['name']}\n" for f in public)
    text += "\n".join(line for line in keel.core.DECLARATIONS.split("\n")
                      if line.endswith(");") and not line.startswith(("typedef", "struct"))) + "\n"
    command = [os.environ.get("CC", "cc"), "-std=c11", "-fsyntax-only", "-I", os.path.join(ROOT, "include"), "-xc", "-"]
    sys.exit(subprocess.run(command, input=text, text=True, check=False).returncode or
             (print(f"{len(checks)} figures and {len(public)} functions agree") or 0))


main()
