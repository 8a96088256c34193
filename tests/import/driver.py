#!/usr/bin/python3
"""Plays networks on the model as drivers do: both groups of every engine armed, interrupts that merge or come twice, polls instead of
interrupts, tasks one after the other in the same buffers while an input changes. The logs of the accesses are imported and played. Every byte
that the design wrote must be written again (85-driver-sequences).

usage: driver.py NVCOSIM BUILD OUT [--rtl] [--seeds=A,B,...] TRACE...    traces of networks: layers one after the other
A trace that does not exist is skipped.  --rtl: traces of small are played on the RTL too, with back-pressure by seed.
"""
import os
import random
import re
import subprocess
import sys

from counts import check, finish, run, skip
from tracetext import TraceText

sys.path.insert(0, "scripts")
import tables

nvcosim, build, out = (os.path.abspath(path) for path in sys.argv[1:4])
device = os.path.join(build, "tests", "import_device")
flags = [a for a in sys.argv[4:] if a.startswith("--")]
traces = [a for a in sys.argv[4:] if not a.startswith("--")]
seeds = next((list(map(int, f.split("=")[1].split(","))) for f in flags if f.startswith("--seeds=")), [1, 2, 3])
os.makedirs(out, exist_ok=True)
CONV = ("CACC", "CMAC_A", "CMAC_B", "CSC", "CDMA")
RDMA = {"SDP": "SDP_RDMA", "PDP": "PDP_RDMA", "CDP": "CDP_RDMA"}
BIT = {"SDP": 0, "CDP": 2, "PDP": 4, "CONV": 20}


def registers(config):
    return {f"{register.unit}.{register.name}": register.offset for register in tables.load_registers()[config]}


class Operation:
    """A convolution with the units of its chain, or a layer of another engine."""

    def __init__(self, kind, units, writes):
        self.kind, self.units, self.writes = kind, units, writes
        self.state, self.group = "waits", None

    def address(self, unit, *names):
        """The memory base that registers give, None if they are not written."""
        found = [value for u, name, value in self.writes if u == unit and name in names]
        return found[-1] if found else None


def read_network(path, config):
    """Operations in order of their arming, and the images: {address: bytes}."""
    target = os.path.join(out, "network.nvt")
    subprocess.run([nvcosim, "convert", path, target], capture_output=True, check=True)
    text = TraceText(target)
    group, shadow, operations, open_conv = {}, {}, [], {}
    for words in text.lines:
        if words[0] == "reg_write":
            unit, name = words[1].split(".")
            value = int(words[2], 0)
            if name == "S_POINTER":
                group[unit] = value & 1
            elif name == "D_OP_ENABLE" and value & 1:
                mine = [(unit, n, v) for n, v in shadow.pop((unit, group.get(unit, 0)), {}).items()]
                open_conv.setdefault(unit, []).append(mine)
                if unit == "CDMA":
                    writes = [w for u in CONV for w in open_conv[u].pop(0)]
                    operations.append(Operation("CONV", CONV, writes))
                elif unit in RDMA:
                    rdma = open_conv.get(RDMA[unit], [])
                    units = ((RDMA[unit],) if rdma else ()) + (unit,)
                    operations.append(Operation(unit, units, (rdma.pop(0) if rdma else []) + open_conv[unit].pop(0)))
            elif name.startswith("D_"):
                shadow.setdefault((unit, group.get(unit, 0)), {})[name] = value
    return operations, [(a + o, c) for a, content in text.loads for o, c in content]


class Driver:
    def __init__(self, config, seed):
        self.random = random.Random(seed)
        self.offset = registers(config)
        self.log = open(os.path.join(out, "driver.log"), "w+b")
        self.process = subprocess.Popen([device, config, str(seed)], stdin=subprocess.PIPE, stdout=self.log, stderr=subprocess.PIPE, text=True)
        self.group = {}
        self.polls = self.random.random() < 0.25  # S_STATUS instead of interrupts
        self.status = 0

    def send(self, text):
        self.process.stdin.write(text + "\n")

    def write(self, name, value):
        self.send(f"w {self.offset[name]:x} {value:x}")

    def read(self, name):
        self.send(f"r {self.offset[name]:x}")
        self.process.stdin.flush()
        return int(self.process.stderr.readline(), 16)

    def program(self, op):
        op.group = self.group.get(op.kind, 0)
        self.group[op.kind] = 1 - op.group
        for unit in op.units:
            if self.random.random() < 0.5:
                self.read(f"{unit}.S_POINTER")
            self.write(f"{unit}.S_POINTER", op.unit_group(unit, self))
        if self.random.random() < 0.3:
            for unit in op.units:
                self.read(f"{unit}.S_STATUS")
        for n, (unit, name, value) in enumerate(op.writes):
            self.write(f"{unit}.{name}", value)
            if self.random.random() < 0.01:
                self.service()  # an interrupt in the middle of a burst
        op.state = "programmed"

    def enable(self, op):
        for unit in op.units:
            self.write(f"{unit}.S_POINTER", op.unit_group(unit, self))
        if op.kind == "CONV":
            self.read("CDMA.S_CBUF_FLUSH_STATUS")
        for unit in op.units:
            self.write(f"{unit}.D_OP_ENABLE", 1)
        op.state = "enabled"

    def service(self):
        """A run of the interrupt handler. The closing read may show the next event, which is read once more then."""
        self.read("GLB.S_INTR_MASK")
        seen = self.read("GLB.S_INTR_STATUS")
        self.status |= seen
        if seen:
            self.write("GLB.S_INTR_STATUS", 0xffffffff if self.random.random() < 0.1 else seen)
        self.read("GLB.S_INTR_MASK")
        if self.random.random() < 0.3:
            self.send("step 1")
        self.read("GLB.S_INTR_STATUS")

    def finish(self):
        self.process.stdin.close()
        self.process.wait()
        message = self.process.stderr.read()
        self.log.close()
        return self.process.returncode, message


def unit_group(op, unit, driver):
    """RDMA groups take turns of their own: a layer without RDMA does not toggle them."""
    if unit.endswith("_RDMA"):
        if not hasattr(op, "rdma_group"):
            op.rdma_group = driver.group.get(unit, 0)
            driver.group[unit] = 1 - op.rdma_group
        return op.rdma_group
    return op.group


Operation.unit_group = unit_group


def touches(op):
    """(what it reads, what it writes), by base address."""
    if op.kind == "CONV":
        return {op.address("CDMA", "D_DAIN_ADDR_LOW_0")}, set()
    rdma = RDMA[op.kind]
    flying = op.kind == "SDP" and (op.address("SDP", "D_FEATURE_MODE_CFG") or 0) & 1
    reads = set() if flying else {op.address(rdma, "D_SRC_BASE_ADDR_LOW")}
    if op.kind == "SDP" and (op.address(rdma, "D_ERDMA_CFG") or 1) & 1 == 0:
        reads.add(op.address(rdma, "D_EW_BASE_ADDR_LOW"))
    return reads - {None}, {op.address(op.kind, "D_DST_BASE_ADDR_LOW")}


def play(path, config, seed):
    """Tasks of the network, each with another input; the order of what the driver does is drawn."""
    driver = Driver(config, seed)
    draw = driver.random
    network, images = read_network(path, config)
    for address, content in images:
        for at in range(0, len(content), 4096):
            driver.send(f"load {address + at:x} {content[at:at + 4096].hex()}")
    produced = set().union(*(touches(op)[1] for op in network))
    source = next(a for op in network for a in touches(op)[0] if a not in produced)
    image = next((c for a, c in images if a == source), None)
    tasks = draw.choice((1, 2, 3))
    operations = []
    for task in range(tasks):
        ops = [Operation(op.kind, op.units, op.writes) for op in network]
        # A convolution and the SDP layer that takes it from the chain.
        for a in ops:
            a.task = task
            a.reads, a.does_write = touches(a)
        for i, a in enumerate(ops):
            a.partner = None
        convs = [a for a in ops if a.kind == "CONV"]
        flying = [a for a in ops if a.kind == "SDP" and not a.reads & {a.address("SDP_RDMA", "D_SRC_BASE_ADDR_LOW")}]
        for conv, sdp in zip(convs, flying):
            conv.partner, sdp.fused = sdp, conv
            conv.does_write = sdp.does_write
        # In the order of the data: drivers arm SDP layers early.
        operations += [o for op in ops if op not in flying for o in ([op.partner] if op.partner else []) + [op]]
    for n, op in enumerate(operations):
        op.after = [p for p in operations[:n] if p is not op.partner and getattr(p, "fused", None) is not op and
                    (p.does_write & (op.reads | op.does_write) or p.reads & op.does_write)]
    loaded = 0
    for _ in range(3000):
        if all(op.state == "done" for op in operations):
            break
        choices = []
        for kind in ("CONV", "SDP", "PDP", "CDP"):
            mine = [op for op in operations if op.kind == kind]
            busy = sum(op.state in ("programmed", "enabled") for op in mine)
            waiting = next((op for op in mine if op.state == "waits"), None)
            if waiting and busy < 2:
                choices += [("program", waiting)] * 2
            ready = next((op for op in mine if op.state == "programmed"), None)
            if ready and not any(op.state == "waits" for op in mine[:mine.index(ready)]):
                flies = hasattr(ready, "fused")
                free = all(p.state == "done" for p in ready.after) and (ready.partner is None or ready.partner.state != "programmed" and ready.partner.state != "waits")
                first_reads_input = source in ready.reads and ready.task >= loaded and tasks > 1
                if flies or (free and not first_reads_input):
                    choices += [("enable", ready)] * 2
                if free and first_reads_input:
                    choices += [("input", ready)] * 2
        if any(op.state == "enabled" for op in operations):
            choices += [("events", None)]
        if not choices:
            break
        what, op = draw.choice(choices)
        if what == "program":
            driver.program(op)
        elif what == "enable":
            driver.enable(op)
        elif what == "input":
            if image and op.task > 0:
                content = bytes(draw.randrange(256) for _ in image) if draw.random() < 0.5 else bytes((b + 1) & 255 for b in image)
                driver.send(f"load {source:x} {content.hex()}")
            loaded = op.task + 1
        else:
            driver.send(f"step {draw.choice((1, 1, 2, 4))}")
            if driver.polls:
                for o in operations:
                    if o.state == "enabled" and o.kind in RDMA:
                        field = 16 * o.group
                        if driver.read(f"{o.kind}.S_STATUS") >> field & 3 == 0:
                            o.state = "done"
                            if hasattr(o, "fused"):
                                o.fused.state = "done"
                if draw.random() < 0.2:
                    driver.service()
            else:
                driver.service()
                for o in operations:
                    if o.state == "enabled" and driver.status >> (BIT[o.kind] + o.group) & 1:
                        o.state = "done"
                        driver.status &= ~(1 << (BIT[o.kind] + o.group))
    status, message = driver.finish()
    name = f"{os.path.basename(path)} seed {seed} ({tasks} tasks{', S_STATUS' if driver.polls else ''})"
    check(f"{name}: the driver ends", status == 0 and all(op.state == "done" for op in operations),
          message + str([(o.kind, o.group, o.state, o.task) for o in operations if o.state != "done"]))
    return name


def last_bytes(log):
    """{address: byte}: what the design has written last."""
    memory = {}
    for line in open(log, encoding="latin-1"):
        found = re.search(r"dbb_adaptor: GP: iswrite=1 addr=(0x[0-9a-f]+) len=\d+ data=0x (.*) resp=", line)
        if found:
            at = int(found.group(1), 16)
            for word in found.group(2).split():
                content = word.split("_") if "_" in word or len(word) < 8 else [word[i:i + 2] for i in (6, 4, 2, 0)]
                for byte in content:
                    memory[at] = int(byte, 16)
                    at += 1
    return memory


PAIRS = {0: "SDP", 2: "CDP", 4: "PDP", 8: "RBK", 16: "CDMA", 18: "CDMA", 20: "CACC"}


def exchanged(log, config):
    """The log of the same driver where group 1 is first in turn: what is one group is the other."""
    names = {offset: name.split(".") for name, offset in registers(config).items()}
    accesses = re.compile(r"(csb_adaptor: GP: iswrite=[01] addr=)(0x[0-9a-f]+)( len=4 data=0x )([0-9a-f]{8})")
    text = open(log, encoding="latin-1").read()
    units = {names[int(m[2], 16)][0] for m in accesses.finditer(text) if names[int(m[2], 16)][1] == "D_OP_ENABLE"}

    def other(match):
        unit, name = names[int(match[2], 16)]
        value = int(match[4], 16)
        if unit in units and name == "S_POINTER":
            value ^= 1 if "iswrite=1" in match[1] else 0x10001
        elif unit in units and name == "S_STATUS":
            value = value >> 16 | (value & 0xffff) << 16
        elif unit == "GLB" and name.startswith("S_INTR"):
            for bit in [b for b, u in PAIRS.items() if u in units]:
                pair = value >> bit & 3
                value = value & ~(3 << bit) | (pair >> 1 | (pair & 1) << 1) << bit
        return f"{match[1]}{match[2]}{match[3]}{value:08x}"

    target = os.path.join(out, "exchanged.log")
    open(target, "w", encoding="latin-1").write(accesses.sub(other, text))
    return target


def accesses(trace):
    """The lines of a trace that are no memory: of launches that end together either may be checked first."""
    return [line for line in open(trace) if line.startswith(("reg_", "read_", "poll ", "wait "))]


def check_import(path, config, seed):
    name = play(path, config, seed)
    log, trace = os.path.join(out, "driver.log"), os.path.join(out, f"driver_{seed}.nvt")
    ran = run(nvcosim, "import", "--config", config, "-o", trace, log)
    check(f"{name}: import", ran.returncode == 0, ran.stdout[-300:] + ran.stderr)
    memory = last_bytes(log)
    found = re.search(r"(\d+) to be checked", ran.stdout)
    check(f"{name}: as many bytes are checked as are written", found and int(found.group(1)) >= len(memory), f"{len(memory)} bytes; {ran.stdout[:400]}")
    check(f"{name}: nothing is filled at random", " 0 filled at random" in ran.stdout, ran.stdout[:600])
    second = os.path.join(out, "exchanged.nvt")
    told = run(nvcosim, "import", "--config", config, "-o", second, exchanged(log, config))
    check(f"{name}: import where a driver ran before", told.returncode == 0 and "a driver ran before" in told.stdout, told.stdout[-300:] + told.stderr)
    check(f"{name}: the same accesses", accesses(trace) == accesses(second), f"diff {trace} {second}")
    played = run(nvcosim, "run", "-q", "--config", config, "--out", os.path.join(out, "reports"), "--dut", "model", second)
    check(f"{name}: where a driver ran before", played.returncode == 0, played.stdout[-1500:] + played.stderr[-500:])
    modes = [["--dut", "model"]]
    if "--rtl" in flags and config == "small":
        modes += [["--dut", "rtl", "--seed", str(seed), "--latency-kind", "uniform", "--latency-max", "150", "--stall", str(100 * (seed % 4)), "--reorder"]]
    for mode in modes:
        played = run(nvcosim, "run", "-q", "--config", config, "--out", os.path.join(out, "reports"), *mode, trace)
        check(f"{name}: {' '.join(mode)}", played.returncode == 0, played.stdout[-1500:] + played.stderr[-500:])


subprocess.run(["make", "--no-print-directory", "-s", f"{sys.argv[2]}/tests/import_device"], check=True)
for trace in traces:
    if not os.path.exists(trace):
        skip(f"there is no {trace}")
        continue
    for s in seeds:
        check_import(trace, "small" if "small" in trace else "full", s)
finish()
