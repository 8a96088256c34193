"""A model of NVIDIA's driver and of the device's units, for logs with known causes: what the driver prints (86-driver-log section 2) while it
works off the tasks of a loadable on a device that is broken on purpose. Written from the specification; times are random by a seed."""
import heapq
import random
import struct

UNITS = ["BDMA", "Convolution", "SDP", "PDP", "CDP", "RUBIK"]
BDMA, CONV, SDP, PDP, CDP, RUBIK = range(6)
DONE, PROGRAMMED, ARMED, WEIGHTS, DATA = range(1, 6)
SIZE_OF_DEPENDENCY = 36


# ---- a loadable ----

class Flat:
    """Tables of a FlatBuffer."""

    def __init__(self, data):
        self.data = data

    def number(self, at, form):
        return struct.unpack_from("<" + form, self.data, at)[0]

    def root(self):
        return self.number(0, "I")

    def field(self, table, index):
        """Where a field is, 0: it is absent."""
        names = table - self.number(table, "i")
        if 4 + 2 * index >= self.number(names, "H"):
            return 0
        offset = self.number(names + 4 + 2 * index, "H")
        return table + offset if offset else 0

    def value(self, table, index, form):
        at = self.field(table, index)
        return self.number(at, form) if at else 0

    def target(self, table, index):
        at = self.field(table, index)
        return at + self.number(at, "I") if at else 0

    def vector(self, table, index):
        at = self.target(table, index)
        return (at + 4, self.number(at, "I")) if at else (0, 0)

    def tables(self, table, index):
        at, count = self.vector(table, index)
        return [at + 4 * i + self.number(at + 4 * i, "I") for i in range(count)]

    def text(self, at):
        return self.data[at + 4:at + 4 + self.number(at, "I")].decode()


class Operation:
    def __init__(self, index, kind, counter, consumers, parent):
        self.index, self.kind, self.counter, self.consumers, self.parent = index, kind, counter, consumers, parent


def read_tasks(path):
    """(heads, operations) of each task for the engines, in the order of submission."""
    flat = Flat(path.read_bytes())
    root = flat.root()
    blobs = {}
    for blob in flat.tables(root, 5):
        at, count = flat.vector(blob, 5)
        blobs[flat.text(flat.target(blob, 0))] = flat.data[at:at + count]
    memories = {}
    for memory in flat.tables(root, 2):
        names = [flat.text(at) for at in flat.tables(memory, 5)]
        memories[flat.value(memory, 0, "H")] = names
    addresses = {flat.value(a, 0, "H"): (flat.value(a, 1, "H"), flat.value(a, 2, "Q")) for a in flat.tables(root, 3)}

    def content(address):
        names = memories[addresses[address][0]]
        return blobs[names[0]][addresses[address][1]:]

    tasks = []
    for task in flat.tables(root, 1):
        if flat.value(task, 1, "I") != 1:
            continue
        at, count = flat.vector(task, 3)
        ids = struct.unpack_from(f"<{count}H", flat.data, at)
        head = content(ids[0])
        dependencies = content(ids[struct.unpack_from("<h", head, 4)[0]])
        heads = struct.unpack_from("<6h", head, 16)
        operations = []
        for i in range(struct.unpack_from("<H", head, 30)[0]):
            entry = struct.unpack_from("<hbBB3x" + "hBx" * 7, dependencies, SIZE_OF_DEPENDENCY * i)
            edges = list(zip(entry[4::2], entry[5::2]))
            operations.append(Operation(i, entry[2], entry[3], edges[:6], edges[6]))
        tasks.append((heads, operations))
    return tasks


# ---- the device ----

class Stop(Exception):
    """The driver does not come back from where it is."""


class Device:
    """Units with two groups each. faults: a dictionary, see FAULTS of logs_made.py."""

    def __init__(self, faults, rng):
        self.faults, self.rng = faults, rng
        self.consumer = [0] * 6
        self.enabled = [[None, None] for _ in range(6)]
        self.times = []            # heap of (time, number, what)
        self.number = 0
        self.status = set()        # (unit, group, event)
        self.started = set()
        self.operations = []
        self.interrupts = 0

    def is_lost(self, kind, part, operation):
        """Whether a fault takes away that thing: ("arming", "SDP_RDMA", from operation on)."""
        fault = self.faults.get(kind)
        return fault is not None and fault[0] == part and operation.index in fault[1]

    def at(self, time, what):
        self.number += 1
        heapq.heappush(self.times, (time, self.number, what))

    def arm(self, operation, group, now):
        parts = {CONV: ("CDMA", "CSC", "CMAC_A", "CACC"), SDP: ("SDP", "SDP_RDMA"), PDP: ("PDP", "PDP_RDMA"),
                 CDP: ("CDP", "CDP_RDMA")}.get(operation.kind, ())
        operation.lost = [p for p in parts if self.is_lost("arming", p, operation)]
        self.enabled[operation.kind][group] = operation
        self.start(now)

    def running(self, unit):
        operation = self.enabled[unit][self.consumer[unit]]
        if operation and operation.kind != CONV and operation.lost:
            return None
        return operation

    def fed(self, operation):
        """The operation that takes the results of this one on the fly."""
        return next((o for o in self.operations if o.parent[0] == operation.index), None)

    def start(self, now):
        """Starts what can run."""
        for unit in range(6):
            operation = self.running(unit)
            if not operation:
                continue
            if unit == CONV:
                self.start_conv(operation, now)
            elif operation.parent[0] < 0 and ("run", operation.index) not in self.started:
                taker = self.fed(operation)
                if taker is None or self.running(taker.kind) is taker:
                    self.started.add(("run", operation.index))
                    end = now + self.rng.uniform(0.0002, 0.003)
                    self.at(end, ("done", operation))
                    if taker:
                        self.at(end + self.rng.uniform(0, 0.001), ("done", taker))

    def start_conv(self, operation, now):
        index = operation.index
        if not {"CDMA", "CSC"} & set(operation.lost) and ("fetch", index) not in self.started:
            self.started.add(("fetch", index))
            for event in (WEIGHTS, DATA):
                if not self.is_lost("fetch", UNITS_EVENT[event], operation):
                    self.at(now + self.rng.uniform(0.0002, 0.002), ("fetched", operation, event))
        taker = self.fed(operation)
        if operation.lost or ("run", index) in self.started or "fetch" in self.faults:
            return
        last = self.fed(taker) if taker else None
        if taker and self.running(SDP) is taker and (last is None or self.running(last.kind) is last):
            self.started.add(("run", index))
            end = now + self.rng.uniform(0.002, 0.02)
            self.at(end, ("done", operation))
            for following in (taker, last):
                if following:
                    end += self.rng.choice([0, self.rng.uniform(0, 0.002)])
                    self.at(end, ("done", following))

    def happen(self, what, now):
        """Bits that appear by an event; whether there are any."""
        operation = what[1]
        unit, group = operation.kind, self.consumer[operation.kind]
        if what[0] == "fetched":
            if "fetch-bits" in self.faults:
                return False
            self.status.add((CONV, self.enabled[CONV].index(operation), what[2]))
            return True
        self.enabled[unit][group] = None
        self.consumer[unit] ^= 1
        lost = self.is_lost("done", UNITS[unit], operation)
        if not lost:
            self.status.add((unit, group, DONE))
        self.start(now)
        return not lost


UNITS_EVENT = {WEIGHTS: "weights", DATA: "data"}


# ---- the driver ----

class Driver:
    """Prints into self.lines: (time, text)."""

    def __init__(self, faults, seed, compatible="nvidia,nv_small", slow=False):
        self.rng = random.Random(seed)
        self.faults, self.slow = faults, slow
        self.device = Device(faults, self.rng)
        self.now, self.lines = self.rng.uniform(2, 40), []
        self.wakeups, self.seen = 0, set()
        self.last = [1] * 6
        self.compatible = compatible
        self.groups = [[None, None] for _ in range(6)]
        self.outcome = {}
        self.acknowledges = 0
        self.ones = self.zeros = False

    def say(self, text):
        self.now += self.rng.uniform(0.003, 0.007) if self.slow else self.rng.uniform(0.000008, 0.00004)
        self.lines.append((self.now, text))
        self.advance(self.now)

    def break_device(self, faults):
        self.faults = self.device.faults = faults
        self.acknowledges = self.device.interrupts = 0

    def probe(self):
        self.say(f"Probe NVDLA config {self.compatible}")
        self.say("0 . 12 . 5")
        self.say("reset engine done")
        self.say("[drm] Initialized nvdla 0.0.0 20171017 for 50000000.nvdla on minor 0")
        self.now += self.rng.uniform(0.2, 30)

    # -- interrupts --

    def advance(self, until):
        device = self.device
        while device.times and device.times[0][0] <= until:
            time, _, what = heapq.heappop(device.times)
            if device.happen(what, time):
                self.interrupt()

    def interrupt(self):
        limit = self.faults.get("interrupts")
        if limit is not None and self.device.interrupts >= limit:
            return
        self.device.interrupts += 1
        self.wakeups += 1
        if "status-zero" in self.faults or self.zeros:
            return
        sticky = self.faults.get("sticky")
        self.seen |= self.device.status
        self.device.status = {bit for bit in self.device.status if sticky is not None and bit[0] == sticky and bit[2] == DONE}
        self.acknowledges += 1
        if self.acknowledges == self.faults.get("ones-from"):
            self.ones = True
        if self.acknowledges == self.faults.get("zeros-from"):
            self.zeros = True

    def wait(self):
        """Until the handler has woken the driver. False: it never does."""
        while not self.wakeups:
            if ("status-zero" in self.faults or self.zeros) and self.device.status and self.faults.get("interrupts") is None:
                self.now += self.rng.uniform(0.0001, 0.001)
                self.advance(self.now)
                self.wakeups += 1
                continue
            if not self.device.times:
                return False
            self.now = max(self.now, self.device.times[0][0])
            self.advance(self.now)
        return True

    # -- operations --

    def submit(self, index):
        operation = self.operations[index]
        unit = operation.kind
        self.say("Enter: dla_submit_operation")
        self.say(f"Prepare {UNITS[unit]} operation index {index} ROI 0 dep_count {operation.counter}")
        self.say("Enter: dla_prepare_operation")
        if self.faults.get("dead-read") == index:
            raise Stop
        taken = [g for g in (0, 1) if self.groups[unit][g] is not None]
        if len(taken) == 2:
            self.say(f"processor:{UNITS[unit]} register groups are busy")
            self.say("Exit: dla_prepare_operation status=-12")
            self.say("Exit: dla_submit_operation")
            return 0
        if not taken:
            group = 1 if self.faults.get("pointer") == unit or self.ones else 0 if self.zeros else self.device.consumer[unit]
        else:
            group = 1 - taken[0]
        self.groups[unit][group] = operation
        operation.group = group
        operation.state = "prepared"
        self.say(f"processor:{UNITS[unit]} group:{group}, rdma_group:{group if unit in (SDP, PDP, CDP) else 0} available")
        for line in ("Enter: dla_read_config", "Exit: dla_read_config", "Exit: dla_prepare_operation status=0", "Enter: dla_program_operation"):
            self.say(line)
        self.say(f"Program {UNITS[unit]} operation index {index} ROI 0 Group[{group}]")
        if self.faults.get("dead-write") == index:
            raise Stop
        error = self.program(operation, unit, group)
        if error:
            self.say(f"Exit: dla_program_operation status={error}")
            self.say("Exit: dla_submit_operation")
            return error
        operation.state = "programmed"
        absent = sum(e[0] < 0 for e in operation.consumers) + (operation.parent[0] < 0)
        for _ in range(absent):
            self.say("no desc get due to index==-1")
        self.say("Enter: dla_op_programmed")
        self.release(operation, PROGRAMMED)
        self.say("Exit: dla_op_programmed")
        self.say("Exit: dla_program_operation status=0")
        if operation.counter == 0 and operation.state != "armed":
            self.enable(operation)
        self.say("Exit: dla_submit_operation")
        return 0

    def program(self, operation, unit, group):
        if unit == CONV and self.ones:
            self.say('Assertion Fail("drivers/nvdla/kmd/firmware/conv.c"344):(reg == ((0x0UL)))')
            return -3
        if unit == CONV and self.faults.get("still-busy") == operation.index:
            self.say('Assertion Fail("../kmd/firmware/conv.c"%d):(reg == ((0x0UL)))' % self.rng.choice([344, 353, 380]))
            return -3
        if self.faults.get("stride") == operation.index and unit == CONV:
            self.say('Assertion Fail("kmd/firmware/conv.c"410):(conv_surface->dst_data.line_stride == '
                     '((uint32_t)(conv_surface->dst_data.width * atom_size)))')
            return -3
        if unit == PDP:
            self.say(f"group id {group} rdma id {group}")
        if unit == CDP:
            for line in ("Enter: dla_cdp_program", "Enter: processor_cdp_program", "Exit: processor_cdp_program", "Exit: dla_cdp_program"):
                self.say(line)
        if unit == BDMA:
            self.say("Enter: dla_bdma_program")
            if "small" in self.compatible:
                self.say("BDMA is not supported for this configuration")
                self.say("Exit: dla_bdma_program")
                return -3
            for line in ("Num of transfers 1", "Enter: processor_bdma_program_slot", "Exit: processor_bdma_program_slot", "Exit: dla_bdma_program"):
                self.say(line)
        if unit == RUBIK and "small" in self.compatible:
            self.say("RUBIK is not supported for this configuration")
            return -3
        return 0

    def release(self, operation, event):
        for index, when in operation.consumers + [operation.parent]:
            if index < 0 or when != event:
                continue
            if self.error:
                self.say("Skip update as engine has reported error")
                continue
            other = self.operations[index]
            self.say(f"Update dependency operation index {index} ROI 0 DEP_COUNT={other.counter}")
            other.counter = (other.counter - 1) & 255
            if other.counter == 0:
                self.say(f"enable {UNITS[other.kind]} in dla_update_dependency as depdency are resolved")
                self.enable(other)

    def enable(self, operation):
        unit, index = operation.kind, operation.index
        self.say("Enter: dla_enable_operation")
        if operation.state not in ("programmed", "armed"):
            self.say("exit dla_enable_operation without actual enable due to processor hasn't been programmed")
        elif operation.state == "armed":
            self.say(f"Processor:{UNITS[unit]} already enabled on group:{operation.group}")
        else:
            self.say(f"Enable {UNITS[unit]} operation index {index} ROI 0")
            if unit == PDP:
                self.say(f"group id {operation.group} rdma id {operation.group}")
                self.say(f"rdma needed {int(operation.parent[0] < 0)}")
            if unit == CONV and (self.zeros or index in self.faults.get("flush", ())):
                self.outcome["polls"] = index
                raise Stop
            operation.state = "armed"
            self.device.arm(operation, operation.group, self.now)
            self.say("Enter: dla_op_enabled")
            self.release(operation, ARMED)
            self.say("Exit: dla_op_enabled")
        self.say("Exit: dla_enable_operation status=0")

    def dequeue(self, unit, operation):
        self.say("Enter: dla_dequeue_operation")
        following = operation.consumers[unit][0]
        error = 0
        if self.error:
            self.say("Skip dequeue op as engine has reported error")
        elif following < 0:
            self.say(f"exit {UNITS[unit]} as there's no further operation")
        else:
            self.say(f"Dequeue op from {UNITS[unit]} processor, index={following} ROI=0")
            self.tail[unit] = self.operations[following]
            error = self.submit(following)
        self.say("Exit: dla_dequeue_operation")
        return error

    def complete(self, unit, group):
        operation = self.groups[unit][group]
        if operation is None:
            self.say("Unable to handle kernel NULL pointer dereference at virtual address 0000000000000024")
            self.say("pc : dla_op_completion+0x1c/0x2d0 [opendla]")
            self.outcome["crash"] = unit
            raise Stop
        self.say(f"Enter:dla_op_completion processor {UNITS[unit]} group{group}")
        self.say(f"Completed {UNITS[unit]} operation index {operation.index} ROI 0")
        if operation.state != "armed" and "unarmed" not in self.outcome and not self.error:
            self.outcome["unarmed"] = operation.index
        operation.state = "completed"
        self.groups[unit][group] = None
        self.last[unit] = group
        self.release(operation, DONE)
        self.done += 1
        self.say(f"{self.done} HWLs done, totally {len(self.operations)} layers")
        error = 0
        if self.done == len(self.operations):
            self.finished = True
        else:
            error = self.dequeue(unit, self.tail[unit])
        if error:
            self.error = error
        self.say(f"Enter: dla_free_op_desc op desc index {operation.index} ROI 0")
        self.say("Exit: dla_free_op_desc")
        self.say(f"Exit:dla_op_completion processor {UNITS[unit]} group{group} status={error}")
        return error

    def round(self):
        self.wakeups -= 1
        for unit in range(6):
            self.say(f"Enter:dla_handle_events, processor:{UNITS[unit]}")
            error = 0
            for group in (1 - self.last[unit], self.last[unit]):
                for event, text in ((WEIGHTS, "cdma weight done"), (DATA, "cdma data done"), (DONE, "op complete")):
                    if (unit, group, event) not in self.seen:
                        continue
                    self.seen.discard((unit, group, event))
                    self.say(f"Handle {text} event, processor {UNITS[unit]} group {group}")
                    if event == DONE:
                        error = self.complete(unit, group) or error
                    elif self.error:
                        self.say("Skip update as engine has reported error")
            self.say(f"Exit:dla_handle_events, ret:{error & 0xffffffff:x}")

    def run(self, task):
        """Returns whether the task ended."""
        heads, self.operations = task
        rounds = 30 + 6 * len(self.operations)
        for operation in self.operations:
            operation.state, operation.group, operation.lost = "waits", None, []
        self.device.operations = self.operations
        self.device.started = set()
        self.outcome = {"verdict": "hang"}
        self.tail, self.done, self.finished, self.error = [None] * 6, 0, False, 0
        self.groups = [[None, None] for _ in range(6)]
        self.ones = self.ones or "ones" in self.faults
        self.zeros = self.zeros or "zeros" in self.faults
        for line in ("Enter:dla_read_network_config", "Exit:dla_read_network_config status=0", "Enter: dla_initiate_processors"):
            self.say(line)
        try:
            for unit in range(6):
                if heads[unit] < 0:
                    continue
                self.tail[unit] = self.operations[heads[unit]]
                error = self.submit(heads[unit]) or self.dequeue(unit, self.tail[unit])
                if error:
                    self.say(f"Failed to submit {UNITS[unit]} op from index {heads[unit]}")
                    self.say(f"Exit: dla_initiate_processors status={error}")
                    self.say("Task execution failed")
                    self.outcome["verdict"] = "error"
                    return False
            self.say("Exit: dla_initiate_processors status=0")
            while not self.finished and rounds and self.wait():
                self.round()
                rounds -= 1
        except Stop:
            pass
        if self.finished:
            self.say("reset engine done")
        return self.finished

    # -- what is true at the end --

    def armed(self):
        return [o for o in self.operations if o.state == "armed"]

    def layer(self):
        """The lowest operation in flight."""
        for o in self.operations:
            if o.state == "armed" and (o.parent[0] < 0 or self.operations[o.parent[0]].state in ("armed", "completed")):
                return o.index
        return None
