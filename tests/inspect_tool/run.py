#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: run.py KEEL_INSPECT MAKE_SAVES
Starts keel-inspect over a save that MAKE_SAVES writes, asks it as the page does, and stops it. Then: bad options, missing and damaged
files, a port in use."""
import gzip
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request

TOOL, MAKE_SAVES = sys.argv[1:3]
TOKEN = "a-token-of-the-test-of-keel-inspect-0123456789"
failures = 0


def check(is_right, what):
    global failures
    if not is_right:
        failures += 1
        print(f"FAILED: {what}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def start(*arguments):
    """Returns the program and the address that it prints."""
    program = subprocess.Popen([TOOL, *arguments], stderr=subprocess.PIPE, text=True)
    line = program.stderr.readline()
    check(" is inspected at http://" in line, f"{arguments}: {line}{program.stderr.read() if program.poll() is not None else ''}")
    return program, line.rpartition(" ")[2].strip()


def ask(address, path, body=None, token=TOKEN):
    """Returns the status and what was answered."""
    headers = {"X-Keel-Token": token, "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address.partition("#")[0] + "api/v1/" + path, data, headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def asked(address, path):
    status, text = ask(address, path)
    check(status == 200, f"{path}: {status} {text}")
    return json.loads(text)


def query(address, text):
    return asked(address, "query?text=" + urllib.parse.quote(text))


def test_answers(folder):
    port = free_port()
    program, address = start("--port", port, "--token", TOKEN, os.path.join(folder, "before.keel"))
    world = asked(address, "world")
    check(world["program"] == "before.keel", f"the program is {world['program']}")
    check(world["paused"] and not world["allowed"]["edits"], "the world is neither paused nor safe from edits")
    names = [component["name"] for component in world["components"]]
    check({"Orc", "Note", "DockedAt", "Likes"} <= set(names), f"components: {names}")
    check([unique["name"] for unique in world["uniques"]] == ["Round"], f"uniques: {world['uniques']}")
    frame = world["frame"]
    found = query(address, "Orc.mood = ANGRY")
    check(found["rows"] and found["finished"], f"query: {found}")
    entity = asked(address, "entity/" + found["rows"][0]["entity"])
    orc = [component for component in entity["components"] if component["name"] == "Orc"]
    check(orc and any(leaf["path"] == "mood" and leaf["text"] == "ANGRY" for leaf in orc[0]["fields"]), f"entity: {entity}")
    page = gzip.decompress(urllib.request.urlopen(address.partition("#")[0], timeout=20).read())
    check(b"<html" in page, "there is no page")
    check(asked(address, "world")["frame"] == frame, "frames run")

    check(ask(address, "delete", {"entity": found["rows"][0]["entity"]})[0] == 403, "an edit is allowed")
    check(ask(address, "world", token="x" * 40)[0] == 401, "another token is good")
    status, saved = ask(address, "save")
    check(status == 200, f"save: {status}")
    with open(os.path.join(folder, "again.keel"), "wb") as file:
        file.write(saved)

    refused(["--port", port, os.path.join(folder, "after.keel")], port)
    program.send_signal(signal.SIGINT)
    check(program.wait(20) == 0, f"it ends with {program.returncode}")
    program.stderr.close()

    # what the page has saved can be shown again, at the port that is free now
    program, address = start("--port", port, "--token", TOKEN, os.path.join(folder, "again.keel"))
    check(f":{port}/" in address, f"--port: the address is {address}")
    check(len(query(address, "Orc.mood = ANGRY")["rows"]) == len(found["rows"]), "the save of the page has other entities")
    program.terminate()
    check(program.wait(20) == 0, f"SIGTERM: it ends with {program.returncode}")
    program.stderr.close()


def refused(arguments, words):
    """The program must end with 2, after a sentence with these words."""
    try:
        result = subprocess.run([TOOL, *arguments], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, timeout=20, check=False)
    except subprocess.TimeoutExpired:
        check(False, f"{arguments}: it runs")
        return
    check(result.returncode == 2, f"{arguments}: status {result.returncode}")
    check(result.stderr.startswith("keel-inspect: ") and words in result.stderr, f"{arguments}: '{words}' is not in: {result.stderr}")


def test_refusals(folder):
    save = os.path.join(folder, "before.keel")
    refused([], "which save?")
    refused(["--fast", save], "'--fast' is not an option")
    refused([save, save], "is a second file")
    refused([save, "--port"], "'--port' needs a value")
    for port in ["0", "-1", "65536", "x", "", "99999999999999999999"]:
        refused(["--port", port, save], f"--port: '{port}' is not a whole number from 1 to 65535")
    refused(["--max-entities", "0", save], "--max-entities: '0' is not")
    refused(["--token", "short", save], "32 to 128")
    refused(["--address", "0.0.0.0", save], "token")
    refused(["--address", "nowhere", "--token", TOKEN, save], "address")
    refused([os.path.join(folder, "missing.keel")], "missing.keel")
    refused([folder], folder)
    refused(["--max-entities", "3", save], "max_entities")
    refused(["--max-bytes", "100", save], "max_bytes")
    with open(save, "rb") as file:
        good = file.read()
    damaged = os.path.join(folder, "damaged.keel")
    for at in range(0, len(good), 37):
        with open(damaged, "wb") as file:
            file.write(good[:at] + bytes([good[at] ^ 0x5A]) + good[at + 1:])
        refused([damaged], "damaged.keel")
    with open(damaged, "wb") as file:
        file.write(good[: len(good) // 2])
    refused([damaged], "damaged.keel")
    result = subprocess.run([TOOL, "--help"], stdout=subprocess.PIPE, text=True, check=False)
    check(result.returncode == 0 and result.stdout.startswith("usage: keel-inspect"), "no help")


with tempfile.TemporaryDirectory() as work:
    subprocess.run([MAKE_SAVES, work], check=True)
    test_answers(work)
    test_refusals(work)
sys.exit(1 if failures else 0)
