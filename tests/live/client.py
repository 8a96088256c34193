"""A client of nvcosim serve: vfio-user, guest memory, and traces played as a driver would.

Every wait is for an event; LIMIT seconds without one are a failure of the test, whatever the load.
"""
import array
import itertools
import json
import mmap
import os
import pathlib
import select
import socket
import struct
import subprocess
import sys
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests/import")]
import tables
from tracetext import TraceText

LIMIT = 300

VERSION, DMA_MAP, DMA_UNMAP, GET_INFO, GET_REGION_INFO = 1, 2, 3, 4, 5
GET_IRQ_INFO, SET_IRQS, REGION_READ, REGION_WRITE, DMA_READ, DMA_WRITE, RESET = 7, 8, 9, 10, 11, 12, 13
REPLY, NO_REPLY, ERROR = 1, 0x10, 0x20
BAR0, CONFIG_SPACE = 0, 7
INTX, MSI = 0, 1
NONE, BOOL, EVENTFD, MASK, UNMASK, TRIGGER = 1, 2, 4, 8, 16, 32
INTR_MASK, INTR_STATUS = 0x1004, 0x100c


class Refused(Exception):
    """A reply with an error number."""


class Closed(Exception):
    """The server ended the connection."""


class Guest:
    """Memory of a guest: ranges of addresses, each in a file of its own."""

    def __init__(self, ranges):
        self.ranges = []
        for address, size in ranges:
            fd = os.memfd_create("guest")
            os.ftruncate(fd, size)
            self.ranges.append((address, size, fd, mmap.mmap(fd, size)))

    def find(self, address, n):
        for start, size, _, content in self.ranges:
            if start <= address and address + n <= start + size:
                return content, address - start
        raise KeyError(f"0x{address:x} is not in the guest's memory")

    def read(self, address, n):
        content, at = self.find(address, n)
        return content[at:at + n]

    def write(self, address, data):
        content, at = self.find(address, len(data))
        content[at:at + len(data)] = data

    def close(self):
        for _, _, fd, content in self.ranges:
            content.close()
            os.close(fd)


class Client:
    def __init__(self, path, guest=None, shared=True, version=True, limit=1048576):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(LIMIT)
        self.socket.connect(str(path))
        self.guest, self.next, self.dma_reads, self.dma_writes, self.longest = guest, 1, 0, 0, 0
        self.events = {}
        if version:
            self.capabilities = self.version(text=json.dumps({"capabilities": {"max_msg_fds": 16, "max_data_xfer_size": limit}}))
        for address, size, fd, _ in guest.ranges if guest else ():
            self.map(address, size, fd if shared else None)

    # messages

    def send(self, command, payload=b"", fds=(), flags=0, size=None, ident=None):
        ident = self.next if ident is None else ident
        self.next = (self.next + 1) & 0xffff
        header = struct.pack("<HHIII", ident, command, 16 + len(payload) if size is None else size, flags, 0)
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
        try:
            self.socket.sendmsg([header + payload], rights)
        except (BrokenPipeError, ConnectionResetError) as e:
            raise Closed from e
        return ident

    def bytes(self, n):
        data = b""
        while len(data) < n:
            try:
                part = self.socket.recv(n - len(data))
            except ConnectionError as e:
                raise Closed from e
            if not part:
                raise Closed
            data += part
        return data

    def message(self):
        ident, command, size, flags, error = struct.unpack("<HHIII", self.bytes(16))
        return ident, command, flags, error, self.bytes(size - 16)

    def serve_dma(self, ident, command, payload):
        address, n = struct.unpack("<QQ", payload[:16])
        self.longest = max(self.longest, n)
        if command == DMA_READ:
            self.dma_reads += 1
            self.send(command, payload[:16] + self.guest.read(address, n), flags=REPLY, ident=ident)
        else:
            assert command == DMA_WRITE and len(payload) == 16 + n, (command, len(payload), n)
            self.dma_writes += 1
            self.guest.write(address, payload[16:])
            self.send(command, flags=REPLY, ident=ident)  # as QEMU: no payload

    def call(self, command, payload=b"", fds=()):
        sent = self.send(command, payload, fds)
        while True:
            ident, got, flags, error, data = self.message()
            if not flags & REPLY:
                self.serve_dma(ident, got, data)
                continue
            assert (ident, got) == (sent, command), (ident, got, sent, command)
            if flags & ERROR:
                raise Refused(error)
            return data

    # commands

    def version(self, major=0, text='{"capabilities":{"max_msg_fds":16,"max_data_xfer_size":1048576}}'):
        data = self.call(VERSION, struct.pack("<HH", major, 0) + text.encode() + b"\0")
        assert data[:4] == b"\0\0\0\0" and data[-1] == 0
        return json.loads(data[4:-1])["capabilities"]

    def map(self, address, size, fd=None, offset=0, flags=3):
        self.call(DMA_MAP, struct.pack("<IIQQQ", 32, flags, offset, address, size), [fd] if fd is not None else ())

    def unmap(self, address, size, flags=0):
        self.call(DMA_UNMAP, struct.pack("<IIQQ", 24, flags, address, size))

    def read_region(self, region, offset, n):
        data = self.call(REGION_READ, struct.pack("<QII", offset, region, n))
        assert len(data) == 16 + n, (len(data), n)
        return data[16:]

    def write_region(self, region, offset, data, posted=False):
        payload = struct.pack("<QII", offset, region, len(data)) + data
        if posted:
            self.send(REGION_WRITE, payload, flags=NO_REPLY)
        else:
            self.call(REGION_WRITE, payload)

    def read(self, offset):
        return struct.unpack("<I", self.read_region(BAR0, offset, 4))[0]

    def read_early(self, offset):
        """A register, by a client that answers no DMA message while it waits."""
        sent = self.send(REGION_READ, struct.pack("<QII", offset, BAR0, 4))
        while True:
            ident, _, flags, _, data = self.message()
            if flags & REPLY:
                assert ident == sent
                return struct.unpack("<I", data[16:])[0]

    def write(self, offset, value, posted=True):
        self.write_region(BAR0, offset, struct.pack("<I", value), posted)

    def set_irqs(self, index, flags, count=1, start=0, data=b"", fds=()):
        self.call(SET_IRQS, struct.pack("<IIIII", 20, flags, index, start, count) + data, fds)

    def enable(self, index):
        """Takes interrupts by INTx or MSI."""
        self.events[index] = os.eventfd(0, os.EFD_CLOEXEC)
        self.set_irqs(index, EVENTFD | TRIGGER, fds=[self.events[index]])
        if index == MSI:
            self.write_region(CONFIG_SPACE, 0x52, b"\x81\0")

    def disable(self, index):
        if index == MSI:
            self.write_region(CONFIG_SPACE, 0x52, b"\x80\0")
        self.set_irqs(index, NONE | TRIGGER, count=0)
        os.close(self.events.pop(index))

    def interrupt(self, limit=LIMIT):
        """Waits for an interrupt, serving the device's memory accesses meanwhile. None if there is none in `limit` seconds."""
        index, fd = next(iter(self.events.items()))
        while True:
            ready, _, _ = select.select([fd, self.socket], [], [], limit)
            if not ready:
                assert limit < LIMIT, "no interrupt"
                return None
            if self.socket in ready:
                ident, command, flags, _, data = self.message()
                assert not flags & REPLY
                self.serve_dma(ident, command, data)
                continue
            os.eventfd_read(fd)
            return index

    def pending(self):
        """Whether an interrupt was sent that was not taken; a read of a register has made the server look."""
        fd = next(iter(self.events.values()))
        return bool(select.select([fd], [], [], 0)[0])

    def close(self):
        for fd in self.events.values():
            os.close(fd)
        self.socket.close()


# ---- traces ----

def register_addresses(config):
    return {f"{register.unit}.{register.name}": register.offset for register in tables.load_registers()[config]}


class Trace:
    """A trace in one sequence, as `nvcosim export --to nvt` writes it."""

    def __init__(self, nvcosim, path, folder):
        out = pathlib.Path(folder) / "sequence.nvt"
        subprocess.run([nvcosim, "export", "--to", "nvt", path, "-o", out], check=True, capture_output=True, timeout=LIMIT)
        text = TraceText(out)
        self.config = next(words[1] for words in text.lines if words[0] == "config")
        addresses = register_addresses("full" if self.config == "full" else "small")
        self.status = addresses["GLB.S_INTR_STATUS"]
        self.blobs, self.commands, contents = {}, [], {"mem_load": iter(text.loads), "mem_check": iter(text.checks)}
        for words in text.lines:
            if words[0] in contents:
                self.blobs[words[3].removeprefix("blob=")] = next(contents[words[0]])[1]
            if words[0] not in ("nvt", "config", "mode") and words[0][0] != "#":
                self.commands.append([str(addresses.get(word, word)) for word in words if word != "end"])

    def exchanged(self, units):
        """The same for the other register group of these units, of which each ends its layers with bit 0 or 1 of S_INTR_STATUS, or none."""
        pointers = [register_addresses("small")[f"{unit}.S_POINTER"] for unit in units]
        for words in self.commands:
            if words[0] == "reg_write" and int(words[1], 0) in pointers:
                words[2] = str(int(words[2], 0) ^ 1)
            elif words[0] == "poll" and int(words[1], 0) == self.status:
                words[3:5] = "2", "mask=2"
            elif words[0] == "reg_write" and int(words[1], 0) == self.status and int(words[2], 0) == 1:
                words[2] = "2"
        return self

    def until_at_work(self, client):
        """Plays it up to the first wait for a layer."""
        self.commands = self.commands[:next(i for i, words in enumerate(self.commands) if words[0] == "poll")]
        self.play(client)
        client.read(self.status)  # all writes have arrived

    def play(self, client, interrupts=True, tries=None):
        """Plays it on a server, waiting for an interrupt before each poll of S_INTR_STATUS. A line that is up rises no further: after a short
        time it looks again. tries: reads of a poll after which it gives up. Returns the number of checks."""
        guest, checks = client.guest, 0
        for words in self.commands:
            kind = words[0]
            options = dict(w.split("=", 1) for w in words if "=" in w and not w.startswith("="))
            if kind == "mem_fill":
                assert len(words[4]) == 4, words
                guest.write(int(words[2], 0), bytes([int(words[4], 0)]) * int(words[3], 0))
            elif kind == "mem_load":
                for at, data in self.blobs[options["blob"]]:
                    guest.write(int(words[2], 0) + at, data)
            elif kind == "reg_write":
                client.write(int(words[1], 0), int(words[2], 0), posted="nposted" not in words)
            elif kind == "poll":
                address, mask = int(words[1], 0), int(options.get("mask", "0xffffffff"), 0)
                assert words[2] == "==", words
                for number in itertools.count(1):
                    if client.read(address) & mask == int(words[3], 0) & mask:
                        break
                    assert number != tries, f"{words} never holds"
                    if interrupts and address == self.status:
                        index = client.interrupt(0.1)
                        if index == INTX:
                            client.set_irqs(INTX, NONE | UNMASK)
            elif kind == "mem_crc":
                address, n = int(words[2], 0), int(words[3], 0)
                assert zlib.crc32(guest.read(address, n)) == int(words[4], 0), f"memory at 0x{address:x} differs"
                checks += 1
            elif kind == "mem_check":
                for at, data in self.blobs[options["blob"]]:
                    assert guest.read(int(words[2], 0) + at, len(data)) == data, f"memory at {words[2]} + {at} differs"
                checks += 1
            else:
                assert kind in ("read_check", "mem_reserve", "reg_read", "wait"), words
        return checks
