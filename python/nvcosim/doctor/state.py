"""What a log shows about the last task of a device, message by message: states of its operations,
rounds of interrupts, first error. Spec: 86-driver-log sections 2 to 5. Memory is bounded:
OPERATIONS_MOST operations, a few lines of text."""
import copy
import re
import typing

from nvcosim.doctor.messages import BDMA, CONV, Kind, Message, NONE, RUBIK, UNITS, shown
from nvcosim.doctor.operation import Last, Line, Operation

OPERATIONS_MOST = 16384
NESTED = 8  # operations whose edges are released at a time
_BUFFERS = 64
_ASSERTION_TEXT, _NAME_TEXT = 199, 63
_WRAPPED_FROM = 200  # counters of edges are bytes; no operation waits for so many
_ALIGNED = 8  # NVDLA's addresses; an error of the DMA mapping, all ones, is not


class Log:
    """The state of a driver. Its operations are shared by copies until they change."""

    def __init__(self) -> None:
        self.messages = 0  # of the driver
        self.runtime = self.blocked = False  # the runtime submitted; a process waits for minutes
        self.blocked_seconds = 0
        self.passed = self.no_picture = False
        self.compatible = ""
        # Of the module: since the last probe, if that is in the log.
        self.probed = False
        self.tasks = 0         # begun so far
        self.worked = False    # an operation completed in a task before the last one
        self.units_worked = 0  # bits of units of which an operation completed
        self.flushed = False   # a convolution was armed or has fetched: its poll of the flush ended
        self.earlier_rounds = self.earlier_events = 0
        self.rounds = self.events = self.completions = 0
        self.round_unit = 0  # whose events are handled
        self.fetch_events = False  # any event of CDMA was seen in the log
        self.busy: Line | None = None
        self.failed: Line | None = None
        self.picture: Line | None = None
        # Addresses of the run's buffers, as ports print them.
        self.buffers: list[int] = []
        self.run_over = self.address_impossible = False
        self.address: Line | None = None  # the first one that cannot be right
        self.ioctl = ""
        self.first_time = self.last_time = -1.0
        self._key: tuple[typing.Any, ...] | None = None
        self.begin_task(False)

    def begin_task(self, begun: bool) -> None:
        """begun: its first line is in the log."""
        self.worked = self.worked or self.completions > 0
        self.tasks += begun
        self.begun = begun
        self.operations: list[Operation] = []
        self.line = 0  # number of its first line
        self.start_ends = False  # the log shows when the driver began to wait: all rounds are in it
        self.initiated = self.ended = False  # it waits for interrupts; or has finished
        self.initiate_status = 0
        self.current = NONE   # operation that is worked on
        self.resolved = NONE  # whose last edge was released last, NONE once it is enabled
        self.stack = [NONE] * NESTED  # operations whose edges are released
        self.depth = 0
        self.done = self.layers = 0  # as the driver counts them; layers 0: not seen
        self.armings = self.completions = 0
        self.last = Last.NOTHING
        self.earlier_rounds += self.rounds
        self.earlier_events += self.events
        self.rounds = self.empty_rounds = self.empty_at_end = 0  # of interrupts
        self.events = 0  # bits that the driver handled
        self.in_round = self.round_has_events = self.round_has_fetches = False
        self.round_is_whole = False
        # The last round with events had the fetches and the end of a convolution.
        self.whole_convolution = False
        self.inside = False  # events of round_unit are being handled
        self.previous = Message(Kind.OTHER)  # the last one that counts for the order of messages
        self.wrapped = NONE  # operation whose counter wrapped
        self.fault: Line | None = None  # the first error
        self.fault_cause = ""
        self.fault_operation = NONE
        self.fault_waits = False  # in a round: the driver drops the error and waits
        self.fault_is_assertion = False
        self.unarmed: Line | None = None  # completed, not armed
        self.unarmed_operation = NONE
        self.early: Line | None = None  # completed before what feeds it was armed
        self.time_of_arming = -1.0
        self.first_group = [NONE] * len(UNITS)  # of the first operation of each unit
        self._forget_kernel()

    def _forget_kernel(self) -> None:
        """What came before a task did not stop it."""
        self.environment: Line | None = None
        self.stall: Line | None = None
        self.unclaimed: Line | None = None
        self.null_pointer: Line | None = None
        self.in_handler = self.blocked = False

    # ---- what others ask

    @property
    def has_task(self) -> bool:
        return self.begun or bool(self.operations)

    @property
    def has_failed(self) -> bool:
        """By an error of its own."""
        return bool(self.fault or self.unarmed_operation != NONE or self.early
                    or self.failed and not self.busy)

    @property
    def is_unfinished(self) -> bool:
        return self.has_task and not self.ended and (not self.layers or self.done < self.layers)

    def find(self, index: int) -> Operation | None:
        """The operation of that number; None: the log has none."""
        return self.operations[index] if 0 <= index < len(self.operations) else None

    def clone(self) -> "Log":
        """A copy that changes by itself."""
        other = copy.copy(self)
        for name in ("operations", "stack", "buffers", "first_group"):
            setattr(other, name, list(getattr(self, name)))
        return other

    def key(self) -> tuple[typing.Any, ...]:
        """Of what decides which messages may follow, and the diagnosis."""
        if self._key is None:
            full = self.rounds - self.empty_rounds
            empty = self.empty_at_end
            lines = (self.fault, self.unarmed, self.early, self.stall, self.unclaimed,
                     self.environment)
            self._key = (
                self.previous.kind, self.previous.unit, self.previous.numbers[0], self.current,
                self.resolved, self.depth, self.done, self.last.value, self.round_unit, self.inside,
                self.in_round, self.initiated, self.ended, self.round_has_events, self.start_ends,
                self.units_worked, self.round_has_fetches, self.whole_convolution,
                tuple(line.number if line else 0 for line in lines),
                empty if empty < 4 else 4 if empty < 20 else 5, min(full, 2),
                tuple(self.stack[:self.depth]), tuple(op.key() for op in self.operations))
        return self._key

    # ---- what changes it

    def own(self, index: int, unit: int = NONE) -> Operation | None:
        """The operation of that number, to be changed; None if the number is damaged."""
        if not 0 <= index < OPERATIONS_MOST:
            return None
        while len(self.operations) <= index:
            self.operations.append(Operation())
        operation = self.operations[index] = copy.copy(self.operations[index])
        if unit != NONE:
            operation.unit = unit
        return operation

    def _keep(self, name: str, message: Message) -> None:
        """The first line of its kind."""
        if getattr(self, name) is None:
            setattr(self, name, Line.of(message))

    def _see_fault(self, message: Message, cause: str) -> None:
        if self.fault:
            return
        self.fault = Line.of(message)
        self.fault_cause = cause
        self.fault_operation = self.current
        self.fault_waits = self.initiated

    def _cause_of_assertion(self, rest: bytes) -> str:
        """What a failed assertion of the driver stands for: 86-driver-log section 4."""
        rest = rest[:_ASSERTION_TEXT].partition(b"\0")[0]
        found = re.search(rb'"[^"]*"\s*([+-]?[0-9]+)?', rest)
        line = int(found[1] or b"0") if found else 0
        if b"(reg ==" in rest:
            # CACC is the first unit that is asked; the others follow.
            second_group_first = (self.current != NONE and not self.completions and self.probed
                                  and self.operations[self.current].group == 1 and self.tasks == 1)
            before = second_group_first or self.completions or self.worked
            return "reads-ones" if line < 350 and before else "busy"
        if b"weight_compress_support" in rest or b"line_stride" in rest:
            return "configuration"
        return "loadable"

    def _prepare(self, message: Message) -> None:
        operation = self.own(message.numbers[0], message.unit)
        self.current = message.numbers[0] if operation else NONE
        if operation:
            operation.prepared = True
            operation.edge = message.numbers[2]
        if message.numbers[2] >= _WRAPPED_FROM and self.wrapped == NONE:
            self.wrapped = self.current
            self._keep("unarmed", message)

    def _preparing(self, _: Message) -> None:
        self.last = Last.PREPARING

    def _choose_group(self, message: Message) -> None:
        group = message.numbers[0] & 1
        if self.current != NONE and self.operations[self.current].unit == message.unit:
            operation = self.own(self.current)
            assert operation
            operation.group = group
        if self.first_group[message.unit] == NONE:
            self.first_group[message.unit] = group

    def _program(self, message: Message) -> None:
        operation = self.own(message.numbers[0], message.unit)
        self.current = message.numbers[0] if operation else NONE
        self.last = Last.PROGRAM
        if operation:
            operation.prepared = operation.programmed = True

    def _enable(self, message: Message) -> None:
        operation = self.own(message.numbers[0], message.unit)
        self.current = message.numbers[0] if operation else NONE
        self.resolved = NONE
        self.last = Last.ENABLE
        if not operation:
            return
        operation.enabling = operation.prepared = operation.programmed = True
        self.armings += 1
        operation.arming = self.armings
        if message.time >= 0:
            self.time_of_arming = message.time

    def _enabled(self, _: Message) -> None:
        if self.current != NONE and self.operations[self.current].enabling:
            operation = self.own(self.current)
            assert operation
            operation.armed = True
            self.flushed = self.flushed or operation.unit == CONV
        if self.depth < NESTED:
            self.stack[self.depth] = self.current
        self.depth += 1

    def _release_edge(self, message: Message) -> None:
        """While an operation's arming is announced: its fused parent waits for it."""
        number = message.numbers[0]
        parent = self.own(number)
        self.resolved = number if message.numbers[2] == 1 and parent else NONE
        if not parent:
            return
        parent.edge = message.numbers[2] - 1
        if not 1 <= self.depth <= NESTED:
            return
        start = self.stack[self.depth - 1]
        if start in (NONE, number):
            return
        parent.feeds = start
        child = self.own(start)
        assert child
        child.fed_by = number

    def _enabled_end(self, _: Message) -> None:
        self.depth = max(self.depth - 1, 0)

    def _fetched(self, message: Message) -> None:
        self.events += 1
        self.round_has_events = self.round_has_fetches = True
        self.fetch_events = self.flushed = True
        for index, operation in enumerate(self.operations):
            if operation.unit == CONV and operation.is_armed and \
                    operation.group in (NONE, message.numbers[0] & 1):
                changed = self.own(index)
                assert changed
                if message.kind == Kind.WEIGHTS:
                    changed.weights = True
                else:
                    changed.data = True
                return

    def _complete(self, message: Message) -> None:
        operation = self.own(message.numbers[0], message.unit)
        self.current = message.numbers[0] if operation else NONE
        self.completions += 1
        self.units_worked |= 1 << message.unit
        self.flushed = self.flushed or message.unit == CONV
        if not operation:
            return
        seen_before = operation.prepared or self.begun
        if (operation.completed or not operation.armed and seen_before) and not self.fault and \
                self.wrapped == NONE and self.unarmed_operation == NONE:
            self._keep("unarmed", message)
            self.unarmed_operation = self.current
        feeder = self.find(operation.fed_by)
        if feeder and self.begun and not feeder.enabling and not self.fault:
            self._keep("early", message)
        operation.completed += 1

    def _begin_round_unit(self, message: Message) -> None:
        self.inside = True
        if message.unit == BDMA or not self.in_round:
            self.round_has_events = self.round_has_fetches = self.round_is_whole = False
        self.in_round = self.initiated = True
        self.current = NONE
        self.depth = 0

    def _leave_round_unit(self, message: Message) -> None:
        self.inside = False
        if message.numbers[0] & 0x80000000 and self.fault:
            self.fault_waits = True
        if self.round_unit != RUBIK:
            return
        self.in_round = False
        self.rounds += 1
        self.last = Last.REST
        if self.round_has_events:
            self.empty_at_end = 0
            self.whole_convolution = self.round_is_whole
        else:
            self.empty_rounds += 1
            self.empty_at_end += 1

    def _probe(self, message: Message) -> None:
        self.begin_task(False)
        self.tasks = 0
        self.worked = self.flushed = False
        self.units_worked = 0
        self.earlier_rounds = self.earlier_events = 0
        self.probed = True
        self.busy = self.failed = None
        word = re.match(rb"[ \t\r\v\f]*([^ \t\r\v\f]*)", message.rest)
        self.compatible = shown(word[1] if word else b"", _NAME_TEXT)

    def _see_ioctl(self, message: Message) -> None:
        reason, close, _ = message.rest.partition(b")")
        self.ioctl = shown(reason if close else b"", _NAME_TEXT)
        self._keep("failed", message)

    def _see_named_fault(self, message: Message) -> None:
        if message.cause == "environment":
            if not self.ended:
                self._keep("environment", message)
        elif message.cause == "busy":
            if self.ended or not self.fault:
                self._keep("busy", message)
        else:
            self._see_fault(message, message.cause)

    def _see_buffer(self, message: Message) -> None:
        """Buffers of one run live at the same time: none is at 0, no two are at one address."""
        address = message.numbers[0]
        if self.run_over:
            self.buffers.clear()
            self.address = None
        self.run_over = False
        impossible = address % _ALIGNED != 0 or address == 0
        if impossible or address in self.buffers:
            if not self.address:
                self.address_impossible = impossible
            self._keep("address", message)
        if len(self.buffers) < _BUFFERS:
            self.buffers.append(address)

    def _see_stall(self, message: Message) -> None:
        """After the end of a task a processor has only the interrupt to serve."""
        self._keep("unclaimed" if self.ended else "stall", message)

    def _see_blocked(self, message: Message) -> None:
        self.blocked = True
        self.blocked_seconds = message.numbers[0]

    def _begin(self, message: Message) -> None:
        self.begin_task(True)
        self.line = message.number

    def _initiated(self, message: Message) -> None:
        self.initiated = self.start_ends = True
        self.initiate_status = message.numbers[0]
        self.last = Last.REST
        self.depth = 0

    def _reset(self, _: Message) -> None:
        self.ended = self.run_over = self.has_task
        self.last = Last.NOTHING

    def _task_failed(self, message: Message) -> None:
        self.ended = self.run_over = True
        self._keep("failed", message)

    def _assertion(self, message: Message) -> None:
        self._see_fault(message, self._cause_of_assertion(message.rest))
        self.fault_is_assertion = True

    def _done(self, message: Message) -> None:
        self.events += 1
        self.round_has_events = True
        self.round_is_whole = self.round_is_whole or \
            message.unit == CONV and self.round_has_fetches

    def _layers(self, message: Message) -> None:
        self.done, self.layers, _ = message.numbers

    def _set(self, **values: typing.Any) -> None:
        for name, value in values.items():
            setattr(self, name, value)

    # Messages of the kernel, of the runtime and about the module, and those of the driver.
    _OTHERS: typing.ClassVar[dict[Kind, typing.Callable[["Log", Message], None]]] = {
        Kind.BLOCKED: _see_blocked,
        Kind.STALL: _see_stall,
        Kind.UNCLAIMED: lambda self, message: self._keep("unclaimed", message),
        Kind.NULL_POINTER: lambda self, message: self._keep("null_pointer", message),
        Kind.IN_HANDLER: lambda self, message: self._set(in_handler=True),
        Kind.ADDRESS: _see_buffer,
        Kind.RUN: lambda self, message: self._set(run_over=True),
        Kind.SUBMIT: lambda self, message: self._set(runtime=True),
        Kind.IOCTL: _see_ioctl,
        Kind.PASS: lambda self, message: self._set(passed=True),
        Kind.PICTURE: lambda self, message: self._keep("picture", message),
        Kind.NO_PICTURE: lambda self, message: self._set(no_picture=True),
        Kind.FAULT: _see_named_fault,
        Kind.PROBE: _probe,
    }
    _OWN: typing.ClassVar[dict[Kind, typing.Callable[["Log", Message], None]]] = {
        Kind.PREPARE: _prepare,
        Kind.PREPARING: _preparing,
        Kind.GROUP: _choose_group,
        Kind.PROGRAM: _program,
        Kind.EDGE: _release_edge,
        Kind.ENABLE: _enable,
        Kind.ENABLED: _enabled,
        Kind.ENABLED_END: _enabled_end,
        Kind.COMPLETED: _complete,
        Kind.NETWORK: _begin,
        Kind.INITIATED: _initiated,
        Kind.RESET: _reset,
        Kind.TASK_FAILED: _task_failed,
        Kind.ASSERTION: _assertion,
        Kind.ROUND_UNIT: _begin_round_unit,
        Kind.DONE: _done,
        Kind.WEIGHTS: _fetched,
        Kind.DATA: _fetched,
        Kind.LAYERS: _layers,
    }

    def take(self, message: Message) -> None:
        """The next message of this driver."""
        self._key = None
        if message.time >= 0:
            self.first_time = message.time if self.first_time < 0 else self.first_time
            self.last_time = message.time
        other = self._OTHERS.get(message.kind)
        if other:
            other(self, message)
            return
        self.messages += 1
        if self.messages == 1:
            self._forget_kernel()
        if message.kind == Kind.TASK_FAILED and self.busy and self.initiated and not self.ended:
            return  # a task that is refused because the one before it still waits
        idle_reset = message.kind == Kind.RESET and not self.has_task
        if message.kind != Kind.OTHER:
            self.previous = message
        if message.kind == Kind.ROUND_LEFT:
            self._leave_round_unit(message)
            return
        if message.kind == Kind.ROUND_UNIT:
            self.round_unit = message.unit
        if not idle_reset:
            self.last = Last.BUSY
        own = self._OWN.get(message.kind)
        if own:
            own(self, message)
