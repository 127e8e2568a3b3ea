# SPDX-License-Identifier: MIT
"""What strangers may send to a session over UDP: noise, connections of ENet that nobody wants, packets of
sessions with lies, and old packets once more. run.py uses it against a running game."""
import random
import socket
import struct
import threading
import time
import zlib

HERE = "127.0.0.1"
ACK, SENT_TIME = 0x80, 0x8000
ACKNOWLEDGE, CONNECT, VERIFY, DISCONNECT, RELIABLE, UNRELIABLE, FRAGMENT, UNSEQUENCED = 1, 2, 3, 4, 6, 7, 8, 9
SIZES = {1: 8, 2: 48, 3: 44, 4: 8, 5: 4, 6: 6, 7: 8, 8: 24, 9: 8, 10: 12, 11: 16, 12: 24}
dice = random.Random(7)


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind((HERE, 0))
        return s.getsockname()[1]


def with_checksum(head, commands, connection):
    """Returns a datagram. The checksum is that of ENet, in which the connection's number takes part."""
    return head + struct.pack(">I", zlib.crc32(head + connection + commands)) + commands


def breathe(i):
    """A flood that fills the system's buffers shows nothing but that they are full."""
    if i % 50 == 0:
        time.sleep(0.005)


def random_datagrams(port, count):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        for i in range(count):
            size = dice.choice((0, 1, 2, 3, 4, 8, 48, 100, 1400))
            data = bytearray(dice.randbytes(size))
            if size > 4 and i % 2:  # a head that ENet reads, and a command that it knows
                data[0:2] = struct.pack(">H", dice.choice((0xfff, 0, 1)) | SENT_TIME)
                data[4] = dice.choice((1, 2, 3, 4, 6, 7, 8, 9, 0x82, 0x86, 0x88))
                data = with_checksum(bytes(data[:4]), bytes(data[4:]), bytes(4))
            s.sendto(data, (HERE, port))
            breathe(i)


class Client:
    """A connection of ENet that knows just enough to be taken for one."""

    def __init__(self, port):
        self.to = (HERE, port)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((HERE, 0))
        self.head = None
        self.group = self.sequence = 0
        self.connection = dice.randbytes(4)
        body = struct.pack(">HBBIIIIIIII", 0, 0xff, 0xff, 1392, 65536, 2, 0, 0, 5000, 2, 2) + self.connection + bytes(4)
        self.socket.sendto(with_checksum(struct.pack(">HH", 0xfff | SENT_TIME, 0),
                                         struct.pack(">BBH", CONNECT | ACK, 0xff, 1) + body, bytes(4)), self.to)

    def accept(self):
        """Answers the other side's VERIFY_CONNECT, if it sent one. False: there is none."""
        self.socket.settimeout(0.001)
        try:
            data = self.socket.recv(2000)
        except OSError:
            return False
        head_size = head_of(data) + 4
        command, _, sequence = struct.unpack_from(">BBH", data, head_size)
        if command & 15 != VERIFY:
            return False
        peer, _, session = struct.unpack_from(">HBB", data, head_size + 4)
        self.head = struct.pack(">HH", peer | session << 12 | SENT_TIME, 0)
        sent_time = data[2:4] if head_size == 8 else bytes(2)
        self.send(struct.pack(">BBHH", ACKNOWLEDGE, 0xff, sequence, sequence) + sent_time)
        return True

    def send(self, commands):
        self.socket.sendto(with_checksum(self.head, commands, self.connection), self.to)

    def unsequenced(self, data):
        self.group += 1
        return struct.pack(">BBHHH", UNSEQUENCED | 0x40, 1, 0, self.group & 0xffff, len(data)) + data

    def reliable(self, data):
        self.sequence += 1
        return struct.pack(">BBHH", RELIABLE | ACK, 0, self.sequence & 0xffff, len(data)) + data

    def close(self):
        self.socket.close()


def connected(port, count):
    """Connects so many times at once; returns those that found a place."""
    clients = [Client(port) for _ in range(count)]
    time.sleep(0.3)
    accepted = [client for client in clients if client.accept()]
    for client in clients:
        if client not in accepted:
            client.close()
    return accepted


def connects(port, count):
    for client in connected(port, count):
        client.close()


def packets_of_strangers(port, relay):
    """Packets of all types: with noise, with another session, and with the right number but from a stranger."""
    for client in connected(port, 8):
        for i in range(400):
            session = relay.session if i % 3 == 0 and relay.session else dice.getrandbits(32)
            data = struct.pack("<BI", dice.randrange(0, 24), session)
            data += dice.randbytes(dice.choice((0, 1, 8, 40, 200)))
            client.send(client.unsequenced(data) if i % 2 else client.reliable(data))
            breathe(i)
        client.close()


def bombs(port):
    """Small datagrams for which ENet 1.3.17 by itself would take much memory."""
    for client in connected(port, 4):
        for i in range(0, 1200, 8):
            commands = b""
            for k in range(8):  # a packet of one byte, in a million pieces
                commands += struct.pack(">BBHHHIIII", FRAGMENT | ACK, 0, i + k + 1, i + k + 1, 1, 1 << 20, 0, 1, 0) + b"x"
            client.send(commands)
        for i in range(0, 2000):  # packets without a byte, and short ones, a hundred in each datagram
            data = b"" if i % 2 else dice.randbytes(6)
            client.send(b"".join(client.unsequenced(data) for _ in range(100)))
            breathe(i)
        client.close()


class Relay:
    """Stands between a guest and the host, and remembers what went through."""

    def __init__(self, port):
        self.host = (HERE, port)
        self.guest = None
        self.front, self.back = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
        for s in (self.front, self.back):
            s.bind((HERE, 0))
        self.port = self.front.getsockname()[1]
        self.to_host, self.to_guest = [], []
        self.session = 0
        self.connection = None  # the number of the guest's connection
        for pump in (self.pump_to_host, self.pump_to_guest):
            threading.Thread(target=pump, daemon=True).start()

    def pump_to_host(self):
        while True:
            data, self.guest = self.front.recvfrom(2000)
            self.connection = self.connection or connection_of(data)
            self.to_host.append(data)
            self.back.sendto(data, self.host)

    def pump_to_guest(self):
        while True:
            data, _ = self.back.recvfrom(2000)
            self.to_guest.append(data)
            self.session = self.session or session_of(data)
            self.front.sendto(data, self.guest)

    def replay_old(self, count):
        for i in range(count):
            self.back.sendto(dice.choice(self.to_host[:-60]), self.host)
            self.front.sendto(dice.choice(self.to_guest[:-60]), self.guest)
            breathe(i)

    def forge(self, count):
        """Sends what somebody could who knows both addresses, but does not see the packets: ends of the
        connection, and packets far ahead of the real ones, for each of ENet's four sessions."""
        for i in range(count):
            session = i % 4 << 12
            end = struct.pack(">BBHI", DISCONNECT | 0x40, 0xff, 1, 0)
            ahead = struct.pack(">BBHHH", UNSEQUENCED | 0x40, 1, 0, dice.getrandbits(16), 8) + dice.randbytes(8)
            for number in (0, 1):
                data = with_checksum(struct.pack(">H", number | session), end if i % 2 else ahead, dice.randbytes(4))
                self.back.sendto(data, self.host)
                self.front.sendto(data, self.guest)
            breathe(i)

    def replay_with_other_session(self, count):
        """Sends packets as new ones of the same connection, whose session is another one."""
        for i in range(count):
            self.back.sendto(self.with_other_session(self.to_host[-1], i), self.host)
            self.front.sendto(self.with_other_session(self.to_guest[-1], i), self.guest)
            breathe(i)

    def with_other_session(self, data, i):
        at = unsequenced_at(data)
        if at is None or len(data) < at + 13:
            return data
        changed = bytearray(data)
        group = struct.unpack_from(">H", changed, at + 4)[0]
        struct.pack_into(">H", changed, at + 4, (group + 1 + i % 10) & 0xffff)
        struct.pack_into("<I", changed, at + 9, dice.getrandbits(32))
        head = head_of(data)
        return with_checksum(bytes(changed[:head]), bytes(changed[head + 4:]), self.connection)


def head_of(data):
    """Returns the bytes of a datagram's head, without the checksum."""
    return 4 if data[0] & 0x80 else 2


def connection_of(data):
    """Returns the number of the connection that a datagram begins, or None."""
    at = head_of(data) + 4
    return data[at + 40:at + 44] if len(data) >= at + 48 and data[at] & 15 == CONNECT else None


def unsequenced_at(data):
    """Returns where the first unsequenced command of a datagram begins, or None."""
    at = head_of(data) + 4
    while at + 4 <= len(data):
        kind = data[at] & 15
        if kind == UNSEQUENCED:
            return at
        size = SIZES.get(kind, 0)
        where = {RELIABLE: 4, UNRELIABLE: 6, FRAGMENT: 6}.get(kind)
        if not size:
            return None
        at += size + (struct.unpack_from(">H", data, at + where)[0] if where else 0)
    return None


def session_of(data):
    at = unsequenced_at(data)
    return struct.unpack_from("<I", data, at + 9)[0] if at is not None and len(data) >= at + 13 else 0
