#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: tests/session_net/run.py TEST SESSION_PEER
Plays games over ENet with several processes of session_peer on this machine, and compares what they say.
TEST: two real_time mesh late killed refused port hostile"""
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time

import attack

PATIENCE = 90  # seconds that a machine may take for anything, since others may use this one
WEATHER = ("--simulate", "loss=5,delay=100,jitter=10,duplicate=1")
peers = []


class Failed(Exception):
    pass


class Peer:
    """A process of session_peer, and the lines that it has printed."""

    def __init__(self, name, *arguments):
        self.name = name
        self.lines = []
        self.news = queue.Queue()
        self.process = subprocess.Popen([PROGRAM, "--hash", *map(str, arguments)], stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
        threading.Thread(target=self.read, daemon=True).start()
        peers.append(self)

    def read(self):
        for line in self.process.stdout:
            self.news.put(line.rstrip("\n"))
        self.news.put(None)

    def wait_for(self, pattern):
        """Returns the match of the first line, old or new, that has the pattern."""
        end = time.monotonic() + PATIENCE
        for line in self.lines:
            if re.search(pattern, line):
                return re.search(pattern, line)
        while True:
            try:
                line = self.news.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise Failed(f"{self.name} does not say '{pattern}' in {PATIENCE} seconds") from None
            if line is None:
                self.news.put(None)
                raise Failed(f"{self.name} ended and did not say '{pattern}'")
            self.lines.append(line)
            if re.search(pattern, line):
                return re.search(pattern, line)

    def port(self):
        return int(self.wait_for(r"^port (\d+)$")[1])

    def finish(self):
        """Waits for the end, and returns the exit code."""
        try:
            code = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise Failed(f"{self.name} does not end") from None
        while (line := self.news.get(timeout=PATIENCE)) is not None:
            self.lines.append(line)
        self.news.put(None)
        return code

    def says(self, pattern):
        """Returns whether a line that was printed so far has the pattern."""
        while not self.news.empty():
            line = self.news.get()
            if line is None:
                self.news.put(None)
                break
            self.lines.append(line)
        return any(re.search(pattern, line) for line in self.lines)

    def number(self, pattern):
        """Returns the last number that the pattern finds."""
        found = [int(m[1]) for line in self.lines if (m := re.search(pattern, line))]
        if not found:
            raise Failed(f"{self.name} prints no '{pattern}'")
        return found[-1]


def check(condition, text):
    if not condition:
        raise Failed(text)


def host(*arguments):
    return Peer("host", "--host", 0, *arguments)


def join(port, number, *arguments):
    return Peer(f"guest {number}", "--join", f"127.0.0.1:{port}", "--seed", number + 1, *arguments)


def same_end(those):
    """All of them reached the end in peace, with the same world."""
    hashes = set()
    for peer in those:
        check(peer.finish() == 0, f"{peer.name} failed")
        check(not peer.says("DIFFERS|CHEATS|FAILED|dropped"), f"{peer.name} tells of trouble")
        hashes.add(peer.wait_for(r"^hash (0x[0-9a-f]{16})$")[1])
    check(len(hashes) == 1, f"the worlds differ: {hashes}")


def test_two():
    options = ("--frames", 600, "--fast", *WEATHER)
    first = host(*options)
    same_end([first, join(first.port(), 1, *options)])
    check(not first.says("left player 1 frame [1-5]?[0-9]?[0-9]:"), "the guest was lost")


def test_real_time():
    options = ("--frames", 90)
    first = host(*options)
    same_end([first, join(first.port(), 1, *options)])


def test_mesh():
    options = ("--frames", 300, "--players", 4, "--fast", *WEATHER)
    first = host(*options)
    port = first.port()
    same_end([first] + [join(port, i, *options) for i in (1, 2, 3)])


def test_late():
    options = ("--frames", 600, "--players", 3, "--start", 2, "--rate", 120, "--stats")
    first = host(*options)
    port = first.port()
    second = join(port, 1, *options)
    second.wait_for(r"^stats frame 1\d\d")
    third = join(port, 2, *options)
    frame = int(third.wait_for(r"^event joined player 2 frame (\d+)")[1])
    check(frame > 100, f"player 2 did not join late, but in frame {frame}")
    same_end([first, second, third])
    check(first.says(f"joined player 2 frame {frame}:"), "the host names another frame of joining")


def test_killed():
    options = ("--frames", 600, "--players", 3, "--rate", 120, "--timeout", 1500, "--stats")
    first = host(*options)
    port = first.port()
    guests = [join(port, i, *options) for i in (1, 2)]
    first.wait_for(r"^stats frame 1\d\d")
    os.kill(first.process.pid, signal.SIGKILL)
    same_end(guests)
    frames = {guest.wait_for(r"^event left player 0 frame (\d+)")[1] for guest in guests}
    check(len(frames) == 1, f"the guests do not agree when the host left: {frames}")


def refused(options, sentence, more=()):
    """A guest that does not fit is told why, and so is the host."""
    first = host("--frames", 100000)
    port = first.port()
    for one in more:
        join(port, one, "--frames", 100000).wait_for("^event started")
    guest = join(port, 5, *options)
    check(guest.finish() == 1, f"a guest with {options} was not refused")
    check(guest.says(f"^event refused.*: {sentence}"), f"the guest does not hear: {sentence}")
    first.wait_for(f"^event warning.*a machine was refused; it is told: {sentence}")


def test_refused():
    refused(("--ballast", 8), "component 'Ballast': 8 bytes here, 4 there")
    refused(("--input-size", 8), "an input has 8 bytes here, 4 there")
    refused(("--rate", 30), "30 frames a second here, 60 there")
    refused((), "all places are taken", more=(1,))


def test_port():
    first = host()
    port = first.port()
    for arguments, sentence in (
            (("--host", port), f"port {port} is in use by another program; take another port"),
            (("--join", "::1:7791"), "'::1' is an address of IPv6"),
            (("--join", "no.such.host.invalid:7791"), "no machine with the name or address 'no.such.host.invalid' is found"),
            (("--join", "127.0.0.1:0"), "the port of 127.0.0.1 is missing")):
        peer = Peer("one that cannot begin", *arguments)
        check(peer.finish() == 1, f"{arguments} is no error")
        check(peer.says("^event warning.*: " + re.escape(sentence)), f"{arguments}: not said: {sentence}")
    nobody = Peer("one without a host", "--join", f"127.0.0.1:{attack.free_port()}", "--timeout", 500)
    check(nobody.finish() == 1, "a host that is not there is no error")
    check(nobody.says("refused.*nothing is heard of the host"), "it is not said that there is no host")


def test_hostile():
    options = ("--frames", 1800, "--stats")
    first = host(*options)
    port = first.port()
    relay = attack.Relay(port)
    guest = join(relay.port, 1, *options)
    first.wait_for(r"^stats frame \d\d")
    own_port = guest.port()
    begin = time.monotonic()
    for target in (port, own_port):
        attack.packets_of_strangers(target, relay)
        attack.bombs(target)
        attack.random_datagrams(target, 5000)
        attack.connects(target, 200)
    relay.replay_old(500)
    relay.forge(500)
    relay.replay_with_other_session(500)
    check(relay.connection and relay.session, "the relay did not understand what it passed on")
    print(f"attacked for {time.monotonic() - begin:.1f} s")
    check(not first.says("^end"), "the game was over before the attacks were")
    same_end([first, guest])
    for peer in (first, guest):
        check(not peer.says("event left .* frame (1[0-7])?[0-9]?[0-9]?[0-9]:"), f"{peer.name} lost the other one")
        check(peer.number(r"refused packets (\d+)") > 200, f"{peer.name} did not notice the strangers")
        memory = peer.number(r"^stats .* rss (\d+) KiB")
        check(memory < 60000, f"{peer.name} has {memory} KiB")
        refused_packets = peer.number(r"refused packets (\d+)")
        print(f"{peer.name}: {memory} KiB, {refused_packets} refused packets")


def main():
    global PROGRAM
    tests = {name[5:]: function for name, function in globals().items() if name.startswith("test_")}
    if len(sys.argv) != 3 or sys.argv[1] not in tests:
        sys.exit(__doc__)
    PROGRAM = sys.argv[2]
    try:
        tests[sys.argv[1]]()
    except Failed as failure:
        for peer in peers:
            print(f"--- {peer.name}", *peer.lines, sep="\n")
        sys.exit(f"FAILED: {failure}")
    finally:
        for peer in peers:
            peer.process.kill()
            peer.process.wait()


main()
