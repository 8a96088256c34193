#!/usr/bin/python3
"""nvcosim serve: a client of our own does what QEMU does, and what a hostile client would, with model and RTL behind the socket.

usage: serve.py BUILD [SEED]      SEED of the random messages, default 1

All servers end with this program, whichever way it ends.
"""
import collections
import contextlib
import ctypes
import gzip
import json
import os
import pathlib
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

from counts import check, finish, runs, until
from inputs import idle_loads
from client import (BAR0, BOOL, CONFIG_SPACE, DMA_MAP, DMA_UNMAP, EVENTFD, GET_INFO, GET_IRQ_INFO, GET_REGION_INFO, INTR_MASK, INTR_STATUS, INTX,
                    LIMIT, MASK, MSI, NONE, REGION_READ, REGION_WRITE, RESET, ROOT, SET_IRQS, TRIGGER, UNMASK, VERSION, Client, Closed, Guest,
                    Refused, Trace)

build = pathlib.Path(sys.argv[1]).resolve()
seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
nvcosim = str(build / "nvcosim")
work = tempfile.TemporaryDirectory()
folder = pathlib.Path(work.name)
traces = ROOT / "traces/conformance"
INTR_SET = 0x1008
MEMORY = [(0x80000000, 1 << 30), (0xc0000000, 1 << 29)]
ENGINES = {"small": ("dc", "img", "sdp", "pdp", "cdp", "dc_pdp"), "full": ("bdma", "rubik")}  # conformance/CONFIG/rand_ENGINE_NNN
LAYERS = {"convolution": "rand_dc_000", "image": "rand_img_000", "pooling": "rand_pdp_000", "normalisation": "rand_cdp_000",
          "pointwise": "rand_sdp_000", "convolution and pooling": "rand_dc_pdp_000"}


def end_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


@contextlib.contextmanager
def limited(process):
    """Ends a process that does not do in LIMIT seconds what is waited for: the wait ends, and the check after it fails."""
    timer = threading.Timer(LIMIT, process.kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def run_nvcosim(*arguments):
    """A run that has to end by itself; exit status None if it did not."""
    try:
        return subprocess.run([nvcosim, *arguments], capture_output=True, text=True, cwd=folder, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(arguments, None, "", f"did not end in {LIMIT} s")


class Server:
    count = 0

    def __init__(self, *options):
        Server.count += 1
        self.path = folder / f"s{Server.count}"
        self.errors = open(folder / f"errors{Server.count}", "w+", encoding="utf-8")
        self.process = subprocess.Popen([nvcosim, "serve", "--socket", self.path, *options], stdout=subprocess.PIPE, stderr=self.errors,
                                        text=True, preexec_fn=end_with_parent, cwd=folder)
        with limited(self.process):
            self.first = self.process.stdout.readline()
        self.out = []
        self.reader = threading.Thread(target=lambda: self.out.append(self.process.stdout.read()), daemon=True)
        self.reader.start()

    def said(self):
        self.errors.seek(0)
        return self.errors.read()

    def wait_for(self, text):
        """Whether it prints the text to stderr within LIMIT seconds."""
        return until(lambda: text in self.said(), LIMIT)

    def end(self, number=signal.SIGTERM):
        """Ends it. Returns its exit status and what it printed."""
        if number:
            self.process.send_signal(number)
        with limited(self.process):
            self.reader.join()
            return self.process.wait(), self.out[0]

    def left(self, client):
        """The same when its only client has left."""
        client.close()
        return self.end(None)

    def memory(self):
        """KiB of memory that it holds."""
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as f:
            return int(re.search(r"VmRSS:\s+(\d+) kB", f.read())[1])

    def cpu(self):
        """Seconds of CPU time so far."""
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def idle(self, title, seconds, most):
        """Checks that it takes at most so much CPU time meanwhile."""
        before = self.cpu()
        time.sleep(seconds)
        check(title, self.cpu() - before <= most, self.cpu() - before)


def begin(*options):
    """A server, and a client with memory of its own."""
    server = Server(*options)
    return server, Client(server.path, Guest(MEMORY))


def stored(name, config="small"):
    """A trace of the conformance traces."""
    return Trace(nvcosim, traces / f"{config}/{name}.nvt.gz", folder)


def refused(call, *arguments, **named):
    try:
        call(*arguments, **named)
    except Refused as e:
        return e.args[0]
    return 0


def closed(call, *arguments):
    """Whether the server ends the connection meanwhile."""
    try:
        call(*arguments)
    except Closed:
        return True
    return False


def test_description(client):
    check("capabilities", client.capabilities["max_data_xfer_size"] == 65536, client.capabilities)
    flags, regions, irqs = struct.unpack("<IIII", client.call(GET_INFO, struct.pack("<IIII", 16, 0, 0, 0)))[1:]
    check("it is a PCI function that can be reset", (flags, regions, irqs) == (3, 9, 5))
    sizes = [struct.unpack("<IIIIQQ", client.call(GET_REGION_INFO, struct.pack("<IIIIQQ", 32, 0, i, 0, 0, 0)))[4] for i in range(9)]
    check("BAR0 and configuration space are its regions", sizes == [0x40000, 0, 0, 0, 0, 0, 0, 256, 0], sizes)
    counts = [struct.unpack("<IIII", client.call(GET_IRQ_INFO, struct.pack("<IIII", 16, 0, i, 0)))[3] for i in range(5)]
    check("it has INTx and one MSI vector", counts == [1, 1, 0, 0, 0], counts)
    space = client.read_region(CONFIG_SPACE, 0, 256)
    check("vendor and class", space[:4] == b"\x1d\x1d\x1a\x5d" and space[9:12] == b"\0\0\x12", space[:16].hex())
    client.write_region(CONFIG_SPACE, 0x10, b"\xff" * 4)
    check("size of BAR0", client.read_region(CONFIG_SPACE, 0x10, 4) == struct.pack("<I", 0xfffc0000))
    client.write_region(CONFIG_SPACE, 0, b"\0\0")
    check("the vendor is read-only", client.read_region(CONFIG_SPACE, 0, 2) == b"\x1d\x1d")


def test_registers(client):
    client.write(INTR_MASK, 0x3f03ff)
    check("a posted write is read back", client.read(INTR_MASK) == 0x3f03ff)
    check("a byte and a half word are parts of the word",
          client.read_region(BAR0, INTR_MASK + 2, 1) == b"\x3f" and client.read_region(BAR0, INTR_MASK, 2) == b"\xff\x03")
    check("two words at a time", client.read_region(BAR0, INTR_MASK, 8)[:4] == struct.pack("<I", 0x3f03ff))
    check("a smaller write is refused", refused(client.write_region, BAR0, INTR_MASK, b"\0") == 22)
    check("it changed nothing", client.read(INTR_MASK) == 0x3f03ff)
    client.call(RESET)
    check("reset", client.read(INTR_MASK) == 0)


def test_interrupts(client, index, name):
    client.enable(index)
    client.write(INTR_MASK, 0)
    client.write(INTR_SET, 1)
    check(f"{name}: it comes", client.interrupt() == index)
    client.read(INTR_STATUS)
    check(f"{name}: it comes once", not client.pending())
    if index == INTX:
        client.set_irqs(INTX, NONE | UNMASK)
        check("INTx: again after unmask, as the line is high", client.interrupt() == index)
    client.write(INTR_SET, 2)
    client.write(INTR_STATUS, 1)
    client.read(INTR_STATUS)
    if index == MSI:
        check("MSI: again when the line survives an acknowledge", client.interrupt() == index)
    client.write(INTR_STATUS, 2)
    client.read(INTR_STATUS)
    if index == INTX:
        client.set_irqs(INTX, NONE | UNMASK)
    check(f"{name}: no more after the last acknowledge", not client.pending())
    client.write(INTR_MASK, 1)
    client.write(INTR_SET, 1)
    client.read(INTR_STATUS)
    check(f"{name}: a masked source is silent", not client.pending())
    client.write(INTR_MASK, 0)
    check(f"{name}: until it is unmasked", client.interrupt() == index)
    client.write(INTR_STATUS, 1)
    if index == INTX:
        client.set_irqs(INTX, NONE | UNMASK)
        client.set_irqs(INTX, BOOL | MASK, data=b"\1")
        client.write(INTR_SET, 1)
        client.read(INTR_STATUS)
        check("INTx: masked by the client", not client.pending())
        client.write(INTR_STATUS, 1)
        client.set_irqs(INTX, NONE | UNMASK)
    client.set_irqs(index, NONE | TRIGGER)
    check(f"{name}: the client's own trigger", client.interrupt() == index)
    client.disable(index)


def test_layers(config, dut, count, engines=None, shared=True):
    """Layers of each engine, by MSI and INTx, with memory that is shared or goes by messages."""
    engines = engines or ENGINES[config]
    about = f"{config}, {dut}" if shared else f"{config}, {dut}, by messages"
    server = Server(f"--dut={dut}", f"--config={config}")
    guest = Guest([*MEMORY, (0x50000000, 1 << 28)])
    for engine in engines:
        for first, index in enumerate((MSI, INTX)):
            client = Client(server.path, guest, shared)
            client.enable(index)
            for i in range(first, count, 2):
                client.call(RESET)
                try:
                    checks = stored(f"rand_{engine}_{i:03d}", config).play(client)
                    check(f"{about}: rand_{engine}_{i:03d}", checks > 0)
                except AssertionError as e:
                    check(f"{about}: rand_{engine}_{i:03d}", False, e)
            if not shared:
                check("memory went by messages of at most 64 KiB", client.dma_reads > 0 and client.dma_writes > 0 and client.longest <= 65536)
            client.close()
    guest.close()
    status, out = server.end()
    check(f"{about}: a clean end", status == 0, (status, server.said()))
    sessions = re.findall(rf"session: layers=(\d+) .*findings=0 \({config}, {dut}\)", out)
    check(f"{about}: a summary for each client", len(sessions) == 2 * len(engines) and all(int(n) >= count // 2 for n in sessions), out)
    check(f"{about}: the socket is removed", not server.path.exists())


def test_verbose():
    server, client = begin("--dut=model", "-v", "--once")
    stored("rand_sdp_000").play(client, interrupts=False)
    status, out = server.left(client)
    check("--once ends after the client", status == 0, status)
    check("-v prints launches", re.search(r"SDP #0 armed at clock \d+\nSDP #0 done at clock \d+\n", out), out)


def test_uncleared():
    """A driver that never clears CACC's interrupt: its layers end all the same, and then the clock stands still."""
    server, client = begin("--dut=rtl", "-v", "--once")
    stored("rand_multi_000").play(client, interrupts=False)
    for _ in range(100):
        client.read(INTR_MASK)
    server.idle("idle with interrupts that were not cleared", 0.5, 0.03)
    _, out = server.left(client)
    armed, done = (re.findall(rf"^(\w+ #\d+) {what} at clock", out, re.M) for what in ("armed", "done"))
    check("every launch that was armed is done", len(armed) == 6 and sorted(armed) == sorted(done), out)


def test_findings(dut):
    """A layer whose memory is missing: findings, and the guest lives on."""
    server, client = begin(f"--dut={dut}", "--once")
    client.unmap(0x80000000, 1 << 30)
    trace = stored("rand_sdp_000")
    try:
        trace.play(client, interrupts=False)
        check("what was not written is missed", False)
    except AssertionError as e:
        check("what was not written is missed", "differs" in str(e), e)
    check("the guest lives on", client.read(INTR_MASK) is not None)
    status, _ = server.left(client)
    said = server.said()
    check(f"findings end with status 1, {dut}", status == 1, status)
    check("a finding names client and clock", re.search(r"finding at clock \d+ \(region-(read|write)\): SDP", said), said[:300])


def test_maps():
    server = Server("--dut=model")
    guest = Guest([(0, 1 << 20)])
    client = Client(server.path, guest)
    _, _, fd, _ = guest.ranges[0]
    check("an overlap is refused", refused(client.map, 0x1000, 4096, fd) == 17)
    client.unmap(0, 1 << 20)
    client.unmap(0x5000000, 4096)  # was never mapped: fine
    for title, arguments in {"an odd size": (0, 100, fd), "an odd address": (5, 4096, fd), "no size": (0, 0, fd),
                             "past the end of the file": (0, 1 << 20, fd, 4096), "an odd offset": (0, 4096, fd, 5),
                             "around the address space": (2**64 - 4096, 8192, fd), "no memory": (0, 4096, 0)}.items():
        check(f"{title} is refused", refused(client.map, *arguments) == 22)
    client.map(2**64 - 4096, 4096, fd)
    client.map(0, 8192, fd, 4096, 1)
    check("a part of a map is refused", refused(client.unmap, 0, 4096) == 22)
    client.unmap(0, 0, flags=2)
    client.map(0, 1 << 20, fd)
    os.ftruncate(fd, 0)
    pipes = os.pipe()
    check("a pipe is no memory", refused(client.map, 0x10000000, 4096, pipes[0]) == 22)
    check("a pipe is no event", refused(client.set_irqs, MSI, EVENTFD | TRIGGER, fds=[pipes[1]]) == 22)
    for title, arguments in {"two vectors": (MSI, NONE | TRIGGER, 2), "index 9": (9, NONE | TRIGGER, 1), "no action": (MSI, NONE, 1),
                             "no data": (MSI, TRIGGER, 1), "start 1": (MSI, NONE | TRIGGER, 1, 1), "mask of MSI": (MSI, NONE | MASK, 1),
                             "all": (INTX, 63, 1)}.items():
        check(f"SET_IRQS, {title}, is refused", refused(client.set_irqs, *arguments) == 22)
    client.close()
    check("reasons are printed", "DMA_MAP: 0x1000 overlaps the map at 0x0" in server.said(), server.said())
    status, _ = server.end(signal.SIGINT)
    check("SIGINT ends it", status == 0, status)


def test_truncated():
    """Memory that vanishes below the device reads as 0."""
    server, client = begin("--dut=model")
    trace = stored("rand_sdp_000")
    trace.play(client, interrupts=False)
    client.call(RESET)
    for _, _, fd, _ in client.guest.ranges:
        os.ftruncate(fd, 0)
    for words in trace.commands:
        if words[0] == "reg_write":
            client.write(int(words[1], 0), int(words[2], 0))
    check("memory that was cut off does not end the server", client.read(INTR_STATUS) is not None and server.process.poll() is None)
    client.close()
    status, _ = server.end()
    check("and it ends well", status == 0, status)


# ---- memory by messages ----

SOURCE, RESULT, LINE = 0x80000000, 0xa0000000, 65536


def arm_copy(client, lines, stride=LINE, rdma=True):
    """SDP adds a cube of one column, `lines` lines and 8 channels to itself."""
    for offset, value in ((0x0c, 0), (0x10, lines - 1), (0x14, 7), (0x18, SOURCE), (0x20, stride), (0x24, 32), (0x70, 0), (0x74, 1)):
        client.write(0x8000 + offset, value)
    for offset, value in ((0x3c, 0), (0x40, lines - 1), (0x44, 7), (0x48, RESULT), (0x50, 8), (0x54, 32), (0xb4, 1), (0xbc, 0), (0xc4, 2), (0xc8, 0)):
        client.write(0x9000 + offset, value)
    if rdma:
        client.write(0x8008, 1)
    client.write(0x9038, 1)


def test_messages(dut, size, limit):
    """A layer that reads much, by messages: at most two are open, and the result is right."""
    lines = size // LINE
    server = Server(f"--dut={dut}", "--once")
    guest = Guest([(SOURCE, size), (RESULT, 1 << 20)])
    want = b""
    for line in range(lines):
        atom = bytes((line + channel) % 64 for channel in range(8))
        guest.write(SOURCE + line * LINE, atom)
        want += bytes(2 * byte for byte in atom)
    client = Client(server.path, guest, shared=False, limit=limit)
    client.enable(MSI)
    arm_copy(client, lines)
    time.sleep(0.2)  # whatever is sent at once
    open_ = len(client.socket.recv(1 << 20, socket.MSG_PEEK)) / 32
    check(f"{dut}: two messages are open", open_ == 2, open_)
    check(f"{dut}: {size >> 20} MiB in messages of {limit} bytes", client.interrupt() == MSI and client.longest <= limit)
    check(f"{dut}: it is right", guest.read(RESULT, len(want)) == want)
    check(f"{dut}: a clean end after messages", server.left(client)[0] == 0, server.said())
    guest.close()


def test_hostile_launch():
    """A launch that says it reads half the address space costs nothing but the client's own time."""
    server = Server("--dut=model", "--once")
    client = Client(server.path)
    client.map(0, 1 << 62)
    before = server.memory()
    for offset in (0x0c, 0x10, 0x14):
        client.write(0x8000 + offset, 0x1fff)
    for offset in (0x20, 0x24):
        client.write(0x8000 + offset, 0xffffffe0)
    client.write(0x8008, 1)
    check("a register is read while memory is asked for", client.read_early(INTR_MASK) is not None)
    check("memory of the server", server.memory() - before < 4096, server.memory() - before)
    server.left(client)


def test_zeros():
    """Maps in which another process works in copies hold only zeros: told at the first launch."""
    for byte in (0, 1):
        server = Server("--dut=model", "--once")
        guest = Guest([(SOURCE, 1 << 29), (RESULT, 1 << 20)])
        guest.write(SOURCE + (1 << 28), bytes([byte]))
        client = Client(server.path, guest)
        arm_copy(client, 2)
        client.read(INTR_MASK)
        status, _ = server.left(client)
        guest.close()
        check("memory of zeros is a finding", (status, server.said().count("memory-empty): the memory that the client gave holds only zeros")) ==
              ((0, 0) if byte else (1, 1)), (status, server.said()))


def test_hang():
    """A layer that never ends is reported, as in run; --stop ends with status 3, and a driver that continues is no hang."""
    servers = [Server("--dut=model", "--once", "--stop"), Server("--judge", "--stop", f"--record={folder / 'hang.nvt.gz'}"), Server("--dut=model", "--once")]
    clients = [Client(server.path, Guest(MEMORY)) for server in servers]
    fourth = Server("--dut=model", "--once")  # an interrupt that no one clears hides the end of a launch of CACC
    done = Client(fourth.path, Guest(MEMORY))
    stored("rand_multi_002").play(done, interrupts=False)
    begin = time.monotonic()
    for client in clients:
        client.guest.write(SOURCE, b"12345678")
        arm_copy(client, 2, rdma=False)
    told = [server.wait_for("hang: SDP #0, armed at clock ") for server in servers]
    check("a hang is reported within 10 s", all(told) and time.monotonic() - begin < 15, (told, time.monotonic() - begin))
    check("what it waits for", "SDP_RDMA" in servers[0].said() and "SDP_RDMA" in servers[1].said(), servers[0].said() + servers[1].said())
    for client, judged in (clients[0], "without"), (clients[1], "with"):
        check(f"--stop ends a hung session {judged} --judge", closed(client.message))
    clients[2].write(0x8008, 1)
    clients[2].read(INTR_STATUS)
    for client in clients:
        client.close()
    ends = [server.end(None)[0] for server in servers]
    check("exit status of hung sessions", ends == [3, 3, 0], ends)
    done.close()
    check("layers that have ended do not hang", fourth.end(None)[0] == 0 and fourth.said() == "", fourth.said())
    check("said once", servers[0].said().count("hang: SDP #0") == 1, servers[0].said())
    check("a hung session is recorded", (folder / "hang.nvt.gz").exists())


def test_second():
    """A second client is sent away with a message, and does not disturb the first; the next one is served."""
    server = Server("--dut=model", "--once")
    first = Client(server.path)
    first.write(INTR_MASK, 5)
    second = Client(server.path, version=False)
    check("a second client", refused(second.version) == 16)
    check("the server says so", "refused a second client: the server serves one at a time" in server.said(), server.said())
    second.close()
    check("the first is served", first.read(INTR_MASK) == 5)
    first.close()
    server.end(None)


def test_inputs():
    """Each input of the programs that are played here and in the guest's self-test matters."""
    programs = re.search(r"small/rand_\{([^}]*)\}", (ROOT / "scripts/linux/guest.sh").read_text(encoding="utf-8"))[1].split(",")
    for name in sorted({*LAYERS.values(), *(f"rand_{program}" for program in programs)}):
        idle, count = idle_loads(nvcosim, traces / f"small/{name}.nvt.gz")
        check(f"each input of {name} matters", count and not idle, (count, idle))


def test_hostile():
    """Messages that make no sense: refused, or the session ends; the server serves the next client."""
    server = Server("--dut=model")

    def ends(title, send):
        client = Client(server.path, version=False)
        check(title, closed(send, client) or closed(client.message))
        client.close()

    ends("no version first", lambda c: c.send(GET_INFO, bytes(16)))
    ends("a size below the header", lambda c: c.send(VERSION, size=3))
    ends("a huge size", lambda c: c.send(VERSION, size=0xffffffff))
    ends("a reply to nothing", lambda c: (c.version(), c.send(REGION_READ, bytes(16), flags=1)))
    ends("half a header", lambda c: (c.socket.send(b"\1\0\1"), c.socket.shutdown(1)))
    ends("half a payload", lambda c: (c.version(), c.send(REGION_READ, b"1234", size=32), c.socket.shutdown(1)))
    for text in ("nonsense", "[]", '{"capabilities":{"max_data_xfer_size":0}}'):
        client = Client(server.path, version=False)
        check(f"capabilities {text}", refused(client.version, 0, text) == 22)
        client.close()
    client = Client(server.path, version=False)
    check("version 1.0", refused(client.version, 1) == 22)
    client.close()
    client = Client(server.path)
    check("an unknown command", refused(client.call, 99) == 38)
    check("a short payload", refused(client.call, DMA_MAP, b"12") == 22)
    check("more bytes than there are", refused(client.call, REGION_WRITE, struct.pack("<QII", 0, 0, 100) + bytes(4)) == 7)
    for offset, region, count in ((0x40000, 0, 4), (2**64 - 4, 0, 8), (0x3fffc, 0, 8), (0, 0, 0), (254, 7, 4), (0, 3, 4), (0, 9, 16), (2, 0, 4)):
        check(f"{count} bytes at 0x{offset:x} of region {region}",
              refused(client.call, REGION_READ, struct.pack("<QII", offset, region, count)) == 22)
    check("a read of many bytes", refused(client.call, REGION_READ, struct.pack("<QII", 0, 0, 1 << 31)) == 7)
    fds = [os.open("/dev/null", os.O_RDONLY) for _ in range(16)]
    client.call(GET_INFO, bytes(16), fds)
    held = len(os.listdir(f"/proc/{server.process.pid}/fd"))
    for _ in range(20):
        client.call(GET_INFO, bytes(16), fds)
    check("descriptors that no one asked for are closed", len(os.listdir(f"/proc/{server.process.pid}/fd")) == held)
    client.close()
    return server


def test_random(server, count):
    """Random messages, most of them nearly right."""
    rng = random.Random(seed)
    sizes = collections.Counter({VERSION: 4, 2: 32, 3: 24, GET_INFO: 16, GET_REGION_INFO: 32, GET_IRQ_INFO: 16, SET_IRQS: 20, REGION_READ: 16,
                                 REGION_WRITE: 20, 11: 16, 12: 24, RESET: 0, 14: 8})
    numbers = [0, 1, 2, 3, 4, 7, 8, 255, 256, 4096, 0x1004, 0x100c, 0x3fffc, 0x40000, 1 << 31, 2**32 - 1]
    sent, client = 0, None
    guest = Guest([(0, 1 << 20)])
    while sent < count:
        client = Client(server.path, guest if rng.random() < 0.5 else None)
        client.socket.setblocking(False)
        try:
            for _ in range(rng.randrange(1, 2000)):
                command = rng.choice(list(sizes))
                words = [rng.choice(numbers) if rng.random() < 0.9 else rng.getrandbits(32) for _ in range(sizes[command] // 4)]
                payload = struct.pack(f"<{len(words)}I", *words)
                if rng.random() < 0.01:
                    payload = payload[:rng.randrange(len(payload) + 1)]
                fds = [guest.ranges[0][2]] * rng.randrange(3) if rng.random() < 0.05 else ()
                size = rng.getrandbits(rng.choice((8, 32))) if rng.random() < 0.0005 else None
                flags = rng.choice((0, 0, 0x10, 0x10, 0x10, 1, rng.getrandbits(8))) if rng.random() < 0.001 else 0x10 * (rng.random() < 0.9)
                client.send(command, payload, fds, flags, size)
                sent += 1
                try:
                    while client.socket.recv(1 << 16):
                        pass
                except BlockingIOError:
                    pass
        except (BlockingIOError, ConnectionError, Closed):
            sent += 1
        client.close()
    check(f"{count} random messages", server.process.poll() is None, f"seed {seed}: status {server.process.poll()}: {server.said()[-500:]}")
    client = Client(server.path)
    client.call(RESET)
    check("the next client is served", client.read(INTR_MASK) == 0)
    client.close()
    guest.close()
    server.end()


def test_two():
    one, two = Server("--dut=model"), Server("--dut=model", "--config=full")
    first, second = Client(one.path), Client(two.path)
    first.write(INTR_MASK, 5)
    second.write(4, 6)
    check("two servers side by side", (first.read(INTR_MASK), second.read(4)) == (5, 6))
    third = run_nvcosim("serve", "--socket", one.path, "--dut=model")
    check("a socket that is in use", third.returncode == 2 and "another server listens there" in third.stderr, third.stderr)
    one.process.kill()
    one.process.wait()
    check("a killed server is noticed", closed(first.read, INTR_MASK))
    again = subprocess.Popen([nvcosim, "serve", "--socket", one.path, "--dut=model", "--once"], stdout=subprocess.PIPE, text=True,
                             preexec_fn=end_with_parent)
    with limited(again):
        check("the socket of a killed server is used again", again.stdout.readline().startswith("listening on "))
    client = Client(one.path)
    check("and served", client.read(INTR_MASK) == 0)
    client.close()
    with limited(again):
        again.stdout.read()
        check("until the client leaves", again.wait() == 0)
    first.close()
    second.close()
    two.end()

def test_idle(dut):
    """A guest that does nothing costs nothing: the clock stands still."""
    server, client = begin(f"--dut={dut}")
    client.enable(MSI)
    stored("rand_sdp_000").play(client)
    client.close()
    client = Client(server.path)
    server.idle(f"idle, {dut}", 1, 0.05)
    client.close()
    server.end()


def test_record(dut):
    """A session of several layers, and a part after a reset, recorded: model and RTL replay them to the same bytes."""
    path = folder / f"session_{dut}.nvt.gz"
    leaves = dut == "rtl"  # the client ends the session; else a signal does
    timeline = folder / "session.json"
    server, client = begin(f"--dut={dut}", f"--record={path}", *["--once", f"--timeline={timeline}"] * leaves)
    client.enable(MSI)
    for title in ("convolution", "pooling", "normalisation"):
        stored(LAYERS[title]).play(client)
    client.call(RESET)
    check(f"{dut}: a reset ends the trace", path.exists())
    client.disable(MSI)
    client.enable(INTX)
    stored(LAYERS["pointwise"]).play(client)
    if leaves:
        client.close()
    status, out = server.end(None if leaves else signal.SIGINT)
    check(f"{dut}: a recorded session ends well", status == 0, (status, server.said()))
    second = folder / f"session_{dut}.2.nvt.gz"
    found = [int(n) for n in re.findall(r"recorded: .*: launches=(\d+) ", out)]
    check(f"{dut}: a trace for each part", len(found) == 2 and min(found) > 0 and second.exists(), out)
    if leaves:
        slices = [[event["name"] for event in json.loads(part.read_text())["traceEvents"] if event.get("cat") == "layer"]
                  for part in (timeline, folder / "session.2.json")]
        check(f"{dut}: a timeline of each part has its layers", [len(part) for part in slices] == [3, 1], slices)
    left = sorted(p.name for p in folder.glob(f"session_{dut}.*"))
    check(f"{dut}: nothing else is left", left == [second.name, path.name], left)
    run = run_nvcosim("run", "--config", "small", "--dut", "both", path, second)
    check(f"{dut}: model and RTL replay it", run.returncode == 0 and len(re.findall("^PASS", run.stdout, re.M)) == 2, run.stdout + run.stderr)
    with gzip.open(path, "rt") as f:
        text = f.read()
    check(f"{dut}: it checks what each layer wrote", len(re.findall("^mem_check", text, re.M)) >= 3, text[:500])
    check(f"{dut}: it waits for interrupts", len(re.findall(r"^poll GLB\.S_INTR_STATUS", text, re.M)) >= 3, text[:500])


def test_last(dut):
    """The last layers of a longer session, which begin with either group: model and RTL replay them."""
    for last in (2, 3):
        path = folder / f"last{last}_{dut}.nvt.gz"
        server, client = begin(f"--dut={dut}", "--once", f"--record={path}", f"--last={last}")
        client.enable(MSI)
        for i in range(7):
            trace = stored(f"rand_sdp_{3 + i % 5:03d}")
            (trace.exchanged(("SDP", "SDP_RDMA")) if i % 2 else trace).play(client)
        client.close()
        status, out = server.end(None)
        check(f"{dut}: the last {last} layers are kept", status == 0 and f"(the last {last} of 7 layers)" in out, (status, out, server.said()))
        with gzip.open(path, "rt") as f:
            armed = len(re.findall(r"^reg_write SDP\.D_OP_ENABLE", f.read(), re.M))
        check(f"{dut}: and no others, {last}", armed == last, armed)
        run = run_nvcosim("run", "--strict", path)
        check(f"{dut}: model and RTL replay the last {last}", run.returncode == 0 and run.stdout.startswith("PASS"), run.stdout + run.stderr)


def test_last_network():
    """Runs of a network, whose layers are armed ahead: the last run is kept."""
    digits, compiled, path = ROOT / "traces/networks/digits", folder / "digits.nvt.gz", folder / "last_run.nvt.gz"
    run_nvcosim("compile", digits / "digits.nvdla", "--input", digits / "7.png", "-o", compiled)
    server, client = begin("--once", f"--record={path}", "--last=5")
    client.enable(MSI)
    for _ in range(3):
        Trace(nvcosim, compiled, folder).play(client)
    status, out = server.left(client)
    check("the last run of a network is kept", status == 0 and "(the last 6 of 18 layers)" in out, (status, out, server.said()))
    run = run_nvcosim("run", "--strict", path)
    check("model and RTL replay it", run.returncode == 0 and run.stdout.startswith("PASS"), run.stdout + run.stderr)


def test_usage():
    """Options and sockets that are refused."""
    for options, text in {"--dut=model": "--socket is missing", f"--dut=model --socket {'x' * 200}": "expected at most 107",
                          "--dut=model --socket errors1": "found a file that is not a socket",
                          "--dut=model --socket no/such/folder": "No such file or directory",
                          "--dut=both --socket x": "found 'both', expected rtl, model or rtl:NAME",
                          "--dut=model --socket x --timeline=t.json": "--timeline: the model has no clock; use --dut rtl",
                          "--dut=model --socket x --last=2": "--last: expected --record with it",
                          "--dut=model --socket x --last=0 --record=s.nvt": "expected a number from 1 to 10000",
                          "--dut=model --socket x --record no/such/folder/s.nvt": "--record: ",
                          "--dut=model --socket x --record session.txt": "expected a name that ends in .nvt or .nvt.gz",
                          "--dut=model --socket x --judge": "--judge compares an RTL with the model; use --dut rtl",
                          "--dut=model --socket x --tap=SDP": "--tap: the streams of the RTL are recorded",
                          "--socket x --stop=hold": "--stop=hold: expected --judge with it",
                          "--socket x --debug --judge": "--debug: expected --judge and --record with it",
                          "--socket x --judge --stop=go": "--stop: found 'go', expected hold or nothing"}.items():
        run = run_nvcosim("serve", *options.split())
        check(f"serve {options}", run.returncode == 2 and text in run.stderr, (run.returncode, run.stderr))


def judged(server, status):
    """Layers that the judge of a server that has ended compared, found wrong, and left out; exit status and messages."""
    end, out = status
    found = re.search(r" judged=(\d+) wrong=(\d+) unjudged=(\d+) \(small, rtl\)", out)
    return tuple(int(n) for n in found.groups()) if found else None, end, server.said()


def play_anyway(client, names):
    """Plays layers whose results need not be right."""
    for name in names:
        try:
            stored(name).play(client, interrupts=False)
        except AssertionError:
            pass


def test_judge(shared):
    """Layers with and without a reset between them: all are judged, none is wrong."""
    server = Server("--judge", "--once")
    guest = Guest(MEMORY)
    client = Client(server.path, guest, shared)
    for title, name in LAYERS.items():
        if title not in ("pooling", "normalisation"):
            client.call(RESET)
        stored(name).play(client, interrupts=False)
    counts, status, said = judged(server, server.left(client))
    check(f"every layer is judged{'' if shared else ', by messages'}", counts and counts[0] >= len(LAYERS) and counts[1:] == (0, 0), (counts, said))
    check("nothing is wrong", status == 0 and said == "", (status, said))


def test_judge_faults():
    """Faults on purpose: each wrong layer is reported with its element; --stop ends at the first."""
    wrong = r"wrong layer: SDP #0: \d+ bytes? differs?, first 0x[0-9a-f]+ \(surface \d+, line \d+, column \d+, channel \d+.*\) by the beat at clock"
    for fault in ("lost-beat:3", "swapped", "repeated-beat:3"):
        server, client = begin("--judge", "--once", f"--bus-fault={fault}")
        play_anyway(client, [LAYERS["pointwise"]])
        counts, status, said = judged(server, server.left(client))
        check(f"{fault} is reported", re.search(wrong, said) and counts and counts[1] == 1 and status == 1, (counts, status, said))
    recording = folder / "wrong.nvt.gz"
    server, client = begin("--judge", "--stop", "--bus-fault=repeated-beat:3", f"--record={recording}")
    check("--stop closes the connection", closed(play_anyway, client, [LAYERS["pointwise"]] * 2))
    counts, status, said = judged(server, server.left(client))
    check("--stop ends at the first wrong layer", counts == (1, 1, 0) and status == 1 and "the session ends at the first wrong layer" in said,
          (counts, status, said))
    run = run_nvcosim("run", "--config", "small", "--dut", "both", "--bus-fault=repeated-beat:3", recording)
    check("its recording shows the same", run.returncode == 1 and run.stdout.startswith("FAIL"), run.stdout + run.stderr)

def test_taps():
    """The streams of each session, equal to the model's; and the first element of one that is not."""
    server, client = begin("--judge", "--once", "--tap=CDMA,SDP,PDP")
    for title in ("convolution", "pooling"):
        client.call(RESET)
        stored(LAYERS[title]).play(client, interrupts=False)
    status, out = server.left(client)
    sessions = [set(re.findall(r"^tap (\S+): [1-9]\d* elements equal$", part, re.M)) for part in out.split("streams: ")[:2]]
    check("streams are recorded and equal", status == 0 and {"CDMA.CBUF_DAT", "SDP.SDP_OUT"} <= sessions[0] and
          {"PDP.PDP_IN", "PDP.PDP_OUT"} <= sessions[1], (status, out, server.said()))
    there = [(folder / f"nvcosim-out/live/taps.{n}/{side}/{name}.tap").exists() for n, name in ((1, "SDP.SDP_OUT"), (2, "PDP.PDP_OUT"))
             for side in ("rtl", "model")]
    left = sorted(os.listdir(folder / "nvcosim-out/live"))
    check("in a folder for each session", all(there) and left == ["taps.1", "taps.2"], (there, left))
    server, client = begin("--judge", "--once", "--tap=SDP", "--bus-fault=swapped")
    play_anyway(client, [LAYERS["pointwise"]])
    _, out = server.left(client)
    check("a stream that differs is named", re.search(r"^tap SDP.SDP_IN: \d+ elements equal, then launch 0, channel \d+, .*: RTL -?\d+, model", out, re.M),
          out)

def test_planted(wanted=3):
    """Faults in a copy of the RTL: the judge reports the first wrong layer while the client runs, and --debug names the folder of the fault."""
    faults = json.loads((build / "tests/planted/faults.json").read_text(encoding="utf-8"))["faults"]
    seen = named = 0
    for fault in faults:
        if seen == wanted:
            break
        recording = folder / f"fault{fault['number']}.nvt.gz"
        server, client = begin("--dut=rtl:planted", f"--fault={fault['number']}", "--judge", "--stop", "--debug", f"--record={recording}")
        try:
            for title in ("convolution and pooling", "pooling", "normalisation", "pointwise", "image"):
                client.call(RESET)
                stored(LAYERS[title]).play(client, interrupts=False, tries=500)
        except (AssertionError, Closed):
            pass
        client.close()
        _, status, said = judged(server, server.end())
        if "wrong layer: " not in said:
            continue
        seen += 1
        check(f"fault {fault['number']} ends the session", status == 1 and "the session ends at the first wrong layer" in said, (status, said))
        named += f"  {fault['folder']} is to blame" in said
    check(f"{wanted} faults are noticed while the client runs", seen == wanted, seen)
    check("--debug names their folders", named == seen, (named, seen))


def test_hold():
    """--stop=hold: the guest waits at the wrong layer, with what debug says of the recording so far, until it may run on."""
    recording = folder / "held.nvt.gz"
    server, client = begin("--judge", "--once", "--stop=hold", "--debug", "--bus-fault=swapped", f"--record={recording}")
    player = threading.Thread(target=play_anyway, args=(client, [LAYERS["pointwise"]]))
    player.start()
    held = server.wait_for("--stop=hold: the device is stopped")
    check("--stop=hold waits", held and player.is_alive(), server.said())
    check("the recording so far is there", recording.exists(), os.listdir(folder))
    server.idle("a held device costs nothing", 0.3, 0.02)
    check("and waits on", player.is_alive())
    server.process.send_signal(signal.SIGUSR1)
    player.join(LIMIT)
    check("SIGUSR1 lets it run on", not player.is_alive(), server.said())
    counts, status, said = judged(server, server.left(client))
    check("one layer is wrong", counts == (1, 1, 0) and status == 1, (counts, status, said))
    check("--debug finds the beat", "FAIL held: first wrong beat at cycle" in server.out[0], server.out[0])
    check("and says that the memory is broken, once", said.count("its memory is broken on purpose: --bus-fault swapped") == 1, said)
    check("and leaves waves", (folder / "nvcosim-out/held/wave.fst").stat().st_size > 0)
    for how in ("a signal", "the client"):
        server, client = begin("--judge", "--once", "--stop=hold", "--bus-fault=swapped")
        player = threading.Thread(target=closed, args=(play_anyway, client, [LAYERS["pointwise"]]))
        player.start()
        check(f"held, {how}", server.wait_for("--stop=hold: the device is stopped"), server.said())
        if how == "the client":
            client.socket.shutdown(2)
        status, _ = server.end(signal.SIGTERM if how == "a signal" else None)
        player.join(LIMIT)
        check(f"{how} ends a hold", status == 1, (status, server.said()))
        client.close()

# A client that arms a layer, says so, and waits to be killed.
KILLED_CLIENT = """
import sys, time
sys.path.insert(0, sys.argv[1])
from client import Client, Guest, MSI, Trace
client = Client(sys.argv[2], Guest(eval(sys.argv[3])))
client.enable(MSI)
Trace(sys.argv[4], sys.argv[5], sys.argv[6]).until_at_work(client)
print("at work", flush=True)
time.sleep(600)
"""


def slow(dut):
    """Options of a device of which a layer takes long."""
    return [f"--dut={dut}", *["--latency=1000000"] * (dut == "rtl"), f"--record={folder}/killed.nvt.gz"]


def test_killed_server(dut, times=10):
    """kill -9 of the server, which is the simulator, in the middle of a layer: the client notices, and nothing is left behind."""
    guest = Guest(MEMORY)
    for _ in range(times):
        server = Server(*slow(dut))
        before = set(os.listdir(folder)) - {server.path.name}
        client = Client(server.path, guest)
        client.enable(MSI)
        stored(LAYERS["pointwise"]).until_at_work(client)
        with open(f"/proc/{server.process.pid}/task/{server.process.pid}/children", encoding="utf-8") as f:
            others = f.read().split()
        server.process.kill()
        check(f"a client notices that the {dut} was killed", closed(client.message))
        server.left(client)
        check(f"no process is left of a killed {dut}", until(lambda: not any(map(runs, others)), LIMIT), others)
        check(f"no file is left of a killed {dut}", set(os.listdir(folder)) <= before | {"sequence.nvt"}, set(os.listdir(folder)) - before)
    guest.close()


def test_killed_client(dut, times=10):
    """kill -9 of the client in the middle of a layer: the server says how far it was, and serves the next one."""
    server = Server(*slow(dut))
    for _ in range(times):
        with subprocess.Popen([sys.executable, "-c", KILLED_CLIENT, ROOT / "tests/live", server.path, str(MEMORY), nvcosim,
                               traces / f"small/{LAYERS['pointwise']}.nvt.gz", folder], stdout=subprocess.PIPE, text=True) as process:
            with limited(process):
                check("the client is at work", process.stdout.readline() == "at work\n")
            process.kill()
        client = Client(server.path)
        check(f"the next client finds the {dut} after reset", client.read(INTR_MASK) == 0 and client.read(INTR_STATUS) == 0)
        client.close()
    descriptors = len(os.listdir(f"/proc/{server.process.pid}/fd"))
    status, out = server.end()
    check(f"{dut}: a session for each client", status == 0 and out.count("session: ") == 2 * times, (status, out, server.said()))
    check(f"{dut}: no descriptor is left of killed clients", descriptors < 20, descriptors)
    check(f"{dut}: nor the socket", not server.path.exists())


def test_judge_changed():
    """The guest changes the input of a layer that is at work: recognised. The server stands still until launch and change are in its
    socket, and the memory answers so late that the RTL reads after both."""
    server = Server("--judge", "--once", "--latency=100000")
    address, size = MEMORY[0]
    guests = Guest(MEMORY), Guest(MEMORY)
    client = Client(server.path, guests[0])
    trace = stored(LAYERS["pointwise"])
    begin = next(i for i, words in enumerate(trace.commands) if words[0] == "poll")
    last = max(i for i, words in enumerate(trace.commands[:begin]) if words[0] == "reg_write")
    tail, trace.commands = trace.commands[last:], trace.commands[:last]
    trace.play(client)
    for words in trace.commands:
        if words[0] == "mem_load":
            for at, data in trace.blobs[words[3].split("=")[1]]:
                guests[1].write(int(words[2], 0) + at, bytes(255 - byte for byte in data))
    client.read(INTR_MASK)  # all writes have arrived
    server.process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, server.process.pid, os.WSTOPPED | os.WNOWAIT)
    client.write(int(tail[0][1], 0), int(tail[0][2], 0))
    sent = [client.send(DMA_UNMAP, struct.pack("<IIQQ", 24, 0, address, size)),
            client.send(DMA_MAP, struct.pack("<IIQQQ", 32, 3, 0, address, size), [guests[1].ranges[0][2]])]
    server.process.send_signal(signal.SIGCONT)
    check("the memory is another", [client.message()[0] for _ in sent] == sent)
    trace.commands = [words for words in tail[1:] if not words[0].startswith("mem_")]
    trace.play(client, interrupts=False)
    counts, status, said = judged(server, server.left(client))
    check("a changed input is not blamed on the RTL", counts == (0, 0, 1) and status == 0, (counts, status, said))
    check("a message says so", re.search(r"SDP #0 was not judged: the byte at 0x9[0-9a-f]+ changed between the launch and its read", said), said)


def main():
    for dut in ("model", "rtl"):
        server = Server(f"--dut={dut}")
        check("it says where it listens", server.first.startswith(f"listening on {server.path} (small, {dut})"), server.first)
        for index, name in ((MSI, "MSI"), (INTX, "INTx")):
            client = Client(server.path)
            if index == MSI:
                test_description(client)
                test_registers(client)
            test_interrupts(client, index, f"{dut}, {name}")
            client.close()
        check(f"a clean end of the {dut}", server.end()[0] == 0, server.said())
        for test in (test_findings, test_idle, test_record, test_last, test_killed_server, test_killed_client):
            test(dut)
        test_layers("small", dut, 5)
    test_layers("full", "model", 5)
    test_layers("small", "model", 2, ("dc", "img", "pdp"), shared=False)
    test_layers("small", "rtl", 2, ("sdp", "dc_pdp"), shared=False)
    test_inputs()
    test_messages("model", 32 << 20, 65536)
    test_messages("model", 8 << 20, 4096)
    test_messages("rtl", 4 << 20, 4096)
    test_hostile_launch()
    test_zeros()
    test_hang()
    test_second()
    test_verbose()
    test_uncleared()
    test_maps()
    test_truncated()
    test_random(test_hostile(), 1000000 if os.environ.get("NIGHTLY") else 20000)
    test_two()
    test_last_network()
    test_usage()
    test_judge(True)
    test_judge(False)
    test_judge_faults()
    test_judge_changed()
    test_hold()
    test_taps()
    test_planted()
    finish()


main()
