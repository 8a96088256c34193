#!/usr/bin/python3
"""Loadables of quantised networks, read here once more and field by field: what 87-loadables says of files that NVIDIA's runtime and driver
take. Ids, memories inside each other, address lists, events in pairs, submits, tensors, lists of operations, links and their counters.

usage: fields.py NVCOSIM NETWORK...      Ends with "N passed, N failed".
"""
import pathlib
import struct
import sys

from counts import check, finish, run, scratch

NVCOSIM = str(pathlib.Path(sys.argv[1]).resolve())
CONFIGS = {"small": 37, "small_256": 37, "large": 36, "full": 36}  # pixel formats of features
CONV, SDP, PDP = 1, 2, 3
CUBES = {CONV: (0, 3, 4), SDP: (0, 1, 2, 4), PDP: (0, 1)}  # of a surface, by their number: CONV has weights, wmb, wgs before src
PAGE = 4096


class Wrong(Exception):
    pass


def expect(good, what):
    if not good:
        raise Wrong(what)


class Table:
    def __init__(self, data, at):
        self.data, self.at = data, at
        self.layout = at - struct.unpack_from("<i", data, at)[0]

    def place(self, k):
        offset = struct.unpack_from("<H", self.data, self.layout + 4 + 2 * k)[0] if 4 + 2 * k < struct.unpack_from("<H", self.data, self.layout)[0] else 0
        return offset and self.at + offset

    def number(self, k, form):
        return struct.unpack_from("<" + form, self.data, self.place(k))[0] if self.place(k) else 0

    def follow(self, k):
        return self.place(k) and self.place(k) + struct.unpack_from("<I", self.data, self.place(k))[0]

    def list(self, k, form):
        at = self.follow(k)
        return list(struct.unpack_from(f"<{struct.unpack_from('<I', self.data, at)[0]}{form}", self.data, at + 4)) if at else []

    def tables(self, k):
        at = self.follow(k)
        count = struct.unpack_from("<I", self.data, at)[0] if at else 0
        return [Table(self.data, at + 4 + 4 * i + struct.unpack_from("<I", self.data, at + 4 + 4 * i)[0]) for i in range(count)]

    def text(self, k):
        return bytes(self.list(k, "B")).decode()

    def texts(self, k):
        at = self.follow(k)
        count = struct.unpack_from("<I", self.data, at)[0] if at else 0
        places = [at + 4 + 4 * i + struct.unpack_from("<I", self.data, at + 4 + 4 * i)[0] for i in range(count)]
        return [self.data[p + 4:p + 4 + struct.unpack_from("<I", self.data, p)[0]].decode() for p in places]


class Loadable:
    def __init__(self, data, config):
        expect(data[4:8] == b"NVDA", "identifier")
        self.root, self.config = Table(data, struct.unpack_from("<I", data, 0)[0]), config
        expect(tuple(data[self.root.place(0):self.root.place(0) + 3]) == (0, 7, 0), "version 0.7.0")
        self.tasks, self.memories, self.addresses, self.events, self.blobs, self.tensors = (self.root.tables(k) for k in range(1, 7))
        self.submits = self.root.tables(8)
        expect(self.root.tables(7) == [], "no relocations")

    def check(self):
        for name in ("tasks", "memories", "addresses", "events", "submits"):
            expect([t.number(0, "H") for t in getattr(self, name)] == list(range(len(getattr(self, name)))), f"ids of {name} from 0 on")
        self.content = {b.text(0): bytes(b.list(5, "B")) for b in self.blobs}
        expect(len(self.content) == len(self.blobs), "names of blobs differ")
        for b in self.blobs:
            expect(b.number(1, "Q") == len(self.content[b.text(0)]), f"size of blob {b.text(0)}")
        self.check_memories()
        self.check_events()
        for task in self.tasks:
            self.check_task(task)

    def check_memories(self):
        ends = {4: [], 8: []}
        for m in self.memories:
            flags, size = m.number(2, "H"), m.number(3, "Q")
            expect(m.number(1, "B") == 0 and flags & 1 and m.number(4, "I") == PAGE and size > 0, "memory in system memory, allocated, a page")
            names, offsets = m.texts(5), m.list(6, "Q")
            expect(len(names) == len(offsets) == (1 if flags & 2 else 0), "contents as the flags say")
            for name, offset in zip(names, offsets):
                expect(name in self.content and offset + len(self.content[name]) <= size, f"content {name} inside its memory")
            for bit, found in ends.items():
                if flags & bit:
                    found.append(m.number(7, "H"))
                    self.check_tensor(m, self.tensors[m.number(8, "H")])
        expect(ends[4] == list(range(len(ends[4]))) and ends[8] == list(range(len(ends[8]))), "bind ids from 0 on")
        expect(len(self.tensors) == len(ends[4]) + len(ends[8]), "a tensor for each end")
        for a in self.addresses:
            memory = self.memories[a.number(1, "H")]
            expect(a.number(2, "Q") + a.number(3, "Q") <= memory.number(3, "Q") and a.number(2, "Q") == 0, "address inside its memory")

    def check_tensor(self, memory, t):
        atom = 8 if CONFIGS[self.config] == 37 else 32
        n, c, h, w = (t.number(k, "i") for k in range(10, 14))
        strides = [t.number(k, "I") for k in range(14, 22)]
        expect(t.number(1, "H") == memory.number(8, "H") and t.number(2, "H") == memory.number(0, "H"), "ids of a tensor")
        expect([t.number(k, "B") for k in range(5, 10)] == [3, 4, 2, CONFIGS[self.config], 0], "form of a tensor: atoms, int8, feature")
        expect(n == 1 and strides[:3] == [1, w * atom, w * h * atom] and not any(strides[3:]), "strides of a tensor")
        expect(t.number(4, "Q") == 0 and t.number(3, "Q") == -(-c // atom) * strides[2] <= memory.number(3, "Q"), "size of a tensor")

    def check_events(self):
        waits = [(e.number(1, "B"), e.number(2, "H"), e.number(3, "I")) for e in self.events if e.number(4, "B") == 0]
        signals = [(e.number(1, "B"), e.number(2, "H"), e.number(3, "I")) for e in self.events if e.number(4, "B") == 1]
        expect(all(w in signals for w in waits), "an event that is waited for is signalled")
        expect([t for s in self.submits for t in s.list(1, "H")] == list(range(len(self.tasks))), "each task submitted once, in order")
        signalled = set()
        for task in self.tasks:
            for e in task.list(4, "H"):
                event = self.events[e]
                expect(event.number(4, "B") == 0 and (event.number(2, "H"), event.number(3, "I")) in signalled, "a task waits for one before it")
            for e in task.list(5, "H"):
                event = self.events[e]
                expect(event.number(4, "B") == 1, "events after a task are signals")
                signalled.add((event.number(2, "H"), event.number(3, "I")))

    def bytes_of(self, task, position):
        memory = self.memories[self.addresses[task.list(3, "H")[position]].number(1, "H")]
        return self.content[memory.texts(5)[0]]

    def check_task(self, task):
        positions = task.list(3, "H")
        expect(all(p < len(self.addresses) for p in positions) and len(set(positions)) == len(positions), "positions of an address list")
        head = self.bytes_of(task, 0)
        if task.number(1, "I") == 2:
            operations, buffers, count = struct.unpack_from("<hhH", head)
            lengths = len(self.bytes_of(task, operations)), len(self.bytes_of(task, buffers))
            expect(count > 0 and lengths == (24 * count, 512 * count), "a task of the CPU")
            return
        expect(task.number(1, "I") == 1 and len(head) == 40, "a task of the accelerator")
        operations, surfaces, links, tables = struct.unpack_from("<4h", head)
        heads, (rois, count, luts, addresses) = struct.unpack_from("<6h", head, 16), struct.unpack_from("<4H", head, 28)
        expect((tables, rois, luts, addresses) == (-1, 1, 0, len(positions)), "the network descriptor")
        lists = [self.bytes_of(task, p) for p in (operations, surfaces, links)]
        expect([len(x) for x in lists] == [116 * count, 644 * count, 36 * count], "lengths of the lists")
        self.check_links(count, heads, lists[2])
        for i in range(count):
            self.check_surface(task, positions, lists[2][36 * i + 3], lists[1][644 * i:644 * i + 644])

    def check_links(self, count, heads, data):
        kinds, named, first = [data[36 * i + 3] for i in range(count)], [0] * count, {}
        for i in range(count):
            first.setdefault(kinds[i], i)
            edges = [struct.unpack_from("<hB", data, 36 * i + 8 + 4 * k) for k in range(7)]
            for kind, (to, event) in enumerate(edges):
                if to < 0:
                    continue
                expect(to < count and 1 <= event <= 3, "an edge")
                expect(kinds[to] == (kind if kind < 6 else kinds[i] - 1), "type of an edge")
                named[to] += 1
        expect([data[36 * i + 4] for i in range(count)] == named, "counters are the numbers of edges")
        expect(list(heads) == [first.get(kind, -1) for kind in range(6)], "heads")

    def check_surface(self, task, positions, kind, data):
        expect(kind in CUBES, "a type of operation")
        cubes = 5 if kind in (CONV, SDP) else 2
        for k in range(cubes):
            form, position, offset, size, w, h, c, _, line, surface, _ = struct.unpack_from("<HhIIHHHHIII", data, 32 * k)
            if form != 0 or position < 0 or size == 0:
                continue
            memory = self.memories[self.addresses[positions[position]].number(1, "H")]
            expect(offset + size <= memory.number(3, "Q"), f"cube {k} of an operation of type {kind} inside its memory")
            expect(offset % 8 == 0 and (k or kind != CONV or offset % 128 == 0), "alignment")
            if k in CUBES[kind] and not (kind == SDP and k in (1, 2)):
                expect(1 <= w <= 8192 and 1 <= h <= 8192 and 1 <= c <= 8192 and line % 8 == 0 and surface % 8 == 0, "sides and strides of a cube")


with scratch() as work:
    for network in sys.argv[2:]:
        for name in CONFIGS:
            out = work / "net.nvdla"
            done = run(NVCOSIM, "compile", network, "--config", name, "-o", out)
            try:
                expect(done.returncode == 0, done.stderr)
                Loadable(out.read_bytes(), name).check()
                check(f"{network}, {name}", True)
            except Wrong as wrong:
                check(f"{network}, {name}", False, f"expected {wrong}")
finish()
