"""Compares the programming of two traces, launch by launch and register by register, except for
polls, waits, register groups and the timing of interrupts; and the memory content that the launches
read. Addresses may differ, by the same distance wherever the same address is used."""
import collections
import dataclasses
import itertools
import typing

from nvcosim import configurations
from nvcosim.compare import sequences
from nvcosim.compare.effect import Effects
from nvcosim.compare.program import Launch, Program, different
from nvcosim.regmap import model
from nvcosim.regmap.model import Register
from nvcosim.text import plural
from nvcosim.tool import Failure

_TABLE_LE, _TABLE_LO = 65, 257
_SHOWN_MOST, _FEW = 1000, 8
# Status, pointers, and what has a comparison of its own.
_NO_SETTINGS = ("S_STATUS", "S_POINTER", "S_LUT_ACCESS_CFG", "S_LUT_ACCESS_DATA", "D_OP_ENABLE",
                "S_CBUF_FLUSH_STATUS", "S_INTR_SET", "S_INTR_STATUS")
_GEOMETRY = ("SIZE", "WIDTH", "HEIGHT", "CHANNEL")  # parts of the names of registers with sizes
_ADDRESS_COST, _SETTING_COST = 1, 16
_LAUNCH_COST = 3 * _SETTING_COST  # of a launch that only one program has
_WORD = (1 << 64) - 1
Two = tuple[Launch, Launch]


def _is_address(register: Register) -> bool:
    return not register.kinds.isdisjoint(("address", "address_high"))


class _Setting(typing.NamedTuple):
    """A register that software sets up for a launch, and what is asked of it for each."""
    register: Register
    offset: int
    stored: int
    is_address: bool
    is_geometry: bool

    @classmethod
    def of(cls, register: Register) -> "_Setting":
        return cls(register, register.offset, register.stored, _is_address(register),
                   any(word in register.name for word in _GEOMETRY))


@dataclasses.dataclass
class _Moved:
    """An address register that differs, or shows that the address does not."""
    start: int
    to: int
    place: str

    @property
    def distance(self) -> int:
        return self.to - self.start & _WORD


class _Side:
    """A program, with its last writes to registers, and its look-up tables: of each unit the
    operation from which on a table no longer holds, and its words."""

    def __init__(self, program: Program, registers: dict[int, Register]) -> None:
        self.program = program
        self.last = {address: value for _, address, value in program.writes}
        self.tables: dict[str, list[tuple[float, list[int]]]] = {"SDP": [], "CDP": []}
        self._follow_uploads({address: register for address, register in registers.items()
                              if "table_port" in register.kinds})

    def _follow_uploads(self, ports: dict[int, Register]) -> None:
        """The access register names table and entry, each data word goes to the next entry."""
        arming = {launch.at for launch in self.program.launches}
        access = dict.fromkeys(self.tables, 0)
        words = {unit: [0] * (_TABLE_LE + _TABLE_LO) for unit in self.tables}
        changed: set[str] = set()
        for at, address, value in self.program.writes:
            port = ports.get(address)
            if port and port.name == "S_LUT_ACCESS_CFG":
                access[port.unit] = value
            elif port and port.name == "S_LUT_ACCESS_DATA":
                number = access[port.unit]
                entry = (number & 0x3ff) + (_TABLE_LE if number & 0x10000 else 0)
                access[port.unit] += 1
                if entry < len(words[port.unit]):
                    words[port.unit][entry] = value & 0xffff
                changed.add(port.unit)
            if at in arming:
                for unit in changed:
                    tables = self.tables[unit]
                    if tables:
                        tables[-1] = (at, tables[-1][1])
                    tables.append((float("inf"), list(words[unit])))
                changed.clear()

    def table(self, launch: Launch) -> list[int] | None:
        """The words that a launch uses; None: none was uploaded."""
        return next((words for until, words in self.tables[launch.unit] if launch.at < until), None)


class _Comparison:
    """Prints the differences of two programs, and counts them."""

    def __init__(self, programs: typing.Sequence[Program]) -> None:
        config = programs[0].config
        regmap = model.load(config)
        self._registers = {(r.unit, r.name): r for r in regmap.registers}
        self._sides = [_Side(program, {r.address: r for r in regmap.registers})
                       for program in programs]
        parameters = configurations.row(config)
        self._effects = Effects(parameters, self._registers)
        self._wide = int(parameters["addr_bits"]) > 32
        self._units: dict[str, list[_Setting]] = {}
        for register in regmap.registers:
            if register.name not in _NO_SETTINGS and register.stored:
                self._units.setdefault(register.unit, []).append(_Setting.of(register))
        self._order = sorted({register.unit for register in regmap.registers},
                             key=model.units().index)
        self._moved: list[_Moved] = []
        self._shown = 0
        self.counts: collections.Counter[str] = collections.Counter()

    def _show(self, line: str) -> None:
        self._shown += 1
        if self._shown <= _SHOWN_MOST:
            print(line)

    @staticmethod
    def _place(launches: Two) -> str:
        """ "SDP #3 (lines 12 and 14)"; "SDP #3 and #4", if they have different numbers."""
        a, b = launches
        number = f" and #{b.ordinal}" if a.ordinal != b.ordinal else ""
        lines = f" (lines {a.line} and {b.line})" if a.line and b.line else ""
        return f"{a.unit} #{a.ordinal}{number}{lines}"

    def _show_fields(self, place: str, register: Register, values: tuple[int, int], bits: int,
                     idle: str = "") -> None:
        self.counts["idle" if idle else "registers"] += 1
        first, second = (register.decoded(value, bits) for value in values)
        self._show(f"{place} {register.name}: 0x{values[0]:08x} and 0x{values[1]:08x}: {first} and "
                   f"{second}" + (f"; without effect: {idle}" if idle else ""))

    # ---- registers of launches

    def _note_address(self, launches: Two, register: Register, values: tuple[int, int],
                      block: int) -> None:
        """Equal addresses count too: they show by how much the others may have moved."""
        if "address_high" in register.kinds:
            return  # with its lower half
        high = self._registers.get((register.unit, register.pair)) if self._wide else None
        uppers = [launch.word(high.offset, block) if high else 0 for launch in launches]
        start, to = (value | upper << 32 for value, upper in zip(values, uppers))
        named = high if high and values[0] == values[1] and start != to else register
        self._moved.append(_Moved(start, to, f"{self._place(launches)} {named.name}"))

    def _compare_register(self, launches: Two, setting: _Setting, values: tuple[int, int],
                          block: int) -> None:
        register, differ = setting.register, (values[0] ^ values[1]) & setting.stored
        effective, idle, why = 0, 0, ""
        for field in register.fields if differ else []:
            if not field.mask & differ:
                continue
            first, second = (self._effects.none(launch, register, field) for launch in launches)
            if first and second:
                idle, why = idle | field.mask, first
            else:
                effective |= field.mask
        if idle:
            self._show_fields(self._place(launches), register, values, idle, why)
        if effective and not setting.is_address:
            self._show_fields(self._place(launches), register, values, effective)
        if setting.is_address and not idle and \
                not self._effects.none(launches[0], register, register.fields[0]):
            self._note_address(launches, register, values, block)

    def _compare_table(self, launches: Two) -> None:
        unit = launches[0].unit
        register = self._registers.get((unit, "S_LUT_CFG"))
        if unit not in ("SDP", "CDP") or register is None or any(
                self._effects.none(launch, register, register.fields[0]) for launch in launches):
            return
        tables = [side.table(launch) for side, launch in zip(self._sides, launches)]
        for entry, (a, b) in enumerate(zip(tables[0] or [], tables[1] or [])):
            if a != b:
                self.counts["registers"] += 1
                name = f"LE entry {entry}" if entry < _TABLE_LE else f"LO entry {entry - _TABLE_LE}"
                self._show(f"{self._place(launches)} table {name}: 0x{a:04x} and 0x{b:04x}")

    def _compare_content(self, launches: Two) -> None:
        """What both programs have loaded at the places that a launch reads."""
        for reads in zip(*(launch.reads for launch in launches)):
            memories = [side.program.memory[space]
                        for side, (space, _, _) in zip(self._sides, reads)]
            starts = [start for _, start, _ in reads]
            count, first = different(memories, starts, min(size for _, _, size in reads))
            if count:
                self.counts["contents"] += 1
                self._show(f"{self._place(launches)} reads other content: "
                           f"{plural(count, 'byte differs', 'bytes differ')}, from "
                           f"0x{starts[0] + first:x} and 0x{starts[1] + first:x} on")

    def _compare_launches(self, launches: Two) -> None:
        a, b = launches
        for block in range(max(1, min(len(a.blocks), len(b.blocks)))):
            for setting in self._units.get(a.unit, []):
                values = a.word(setting.offset, block), b.word(setting.offset, block)
                if (values[0] ^ values[1]) & setting.stored or setting.is_address:
                    self._compare_register(launches, setting, values, block)
        self._compare_table(launches)
        self._compare_content(launches)

    def _compare_globals(self) -> None:
        """Registers that no launch has: those of GLB and the memory interfaces, as they are at the
        end."""
        armed = {launch.unit for side in self._sides for launch in side.program.launches}
        for setting in itertools.chain.from_iterable(self._units.values()):
            register = setting.register
            first, second = (side.last.get(register.address, 0) for side in self._sides)
            bits = (first ^ second) & setting.stored
            if bits and not register.grouped and register.unit not in armed:
                self._show_fields(register.unit, register, (first, second), bits)

    # ---- which launch of one program is which of the other

    def _pair_unit(self, unit: str) -> dict[int, Launch]:
        """The launches of the second program by the operation that arms their partners in the
        first. Names those that only one program has."""
        settings = self._units.get(unit, [])
        weights = [_ADDRESS_COST if s.is_address else _SETTING_COST for s in settings]
        launches = [[launch for launch in side.program.launches if launch.unit == unit]
                    for side in self._sides]
        words = [[[tuple(launch.word(s.offset, block) & s.stored for s in settings)
                   for block in range(max(1, len(launch.blocks)))] for launch in side]
                 for side in launches]

        def cost(i: int, k: int) -> int:
            """Launches of equal geometry are always a pair; others as long as few registers
            differ."""
            a, b = words[0][i], words[1][k]
            if a == b and len(launches[0][i].blocks) == len(launches[1][k].blocks):
                return 0
            differ = [at for pair in zip(a, b) if pair[0] != pair[1]
                      for at, (x, y) in enumerate(zip(*pair)) if x != y]
            total = sum(weights[at] for at in differ)
            if len(launches[0][i].blocks) != len(launches[1][k].blocks):
                total += _SETTING_COST
            if total >= 2 * _LAUNCH_COST and not any(settings[at].is_geometry for at in differ):
                return 2 * _LAUNCH_COST - 1
            return total
        counts = [len(side) for side in launches]
        partners, found = sequences.pair(range(counts[0]), range(counts[1]), _LAUNCH_COST, cost)
        if not found:
            self._show(f"{unit}: {counts[0]} and {counts[1]} launches are too many to find missing "
                       "ones; paired by number")
        for launch, partner in zip(launches[0], partners):
            if partner is None:
                self._show_only(launch, "first")
        for k in sorted(set(range(counts[1])) - set(partners)):
            self._show_only(launches[1][k], "second")
        return {launch.at: launches[1][partner]
                for launch, partner in zip(launches[0], partners) if partner is not None}

    def _show_only(self, launch: Launch, which: str) -> None:
        self.counts["launches"] += 1
        line = f" (line {launch.line})" if launch.line else ""
        self._show(f"{launch.unit} #{launch.ordinal}{line} is only in the {which}")

    # ---- addresses

    def _show_addresses(self) -> None:
        uses = collections.Counter((moved.start, moved.to) for moved in self._moved)
        alike = collections.Counter(moved.distance for moved in self._moved)
        others: dict[int, list[tuple[int, int]]] = {}
        for start, to in uses:
            others.setdefault(start, []).append((uses[start, to], alike[to - start & _WORD]))

        def contradicts(moved: _Moved) -> bool:
            """Whether the same address of the first program is another one of the second elsewhere:
            more often, or as often and by a distance that more addresses are moved by."""
            own = uses[moved.start, moved.to], alike[moved.distance]
            return max(others[moved.start]) > own
        ordered = sorted(self._moved, key=lambda moved: (moved.distance, moved.start))
        for distance, group in itertools.groupby(ordered, lambda moved: moved.distance):
            addresses = list(group)
            if distance == 0:
                continue
            self.counts["addresses"] += len(addresses)
            if len(addresses) > _FEW:
                shown = hex(distance) if distance <= _WORD >> 1 else f"-{_WORD + 1 - distance:#x}"
                self._show(f"{len(addresses)} addresses are moved by {shown}, the lowest in "
                           f"{addresses[0].place}")
            for moved in addresses:
                wrong = contradicts(moved)
                self.counts["registers"] += wrong
                if wrong or len(addresses) <= _FEW:
                    self._show(f"{moved.place}: address 0x{moved.start:x} and 0x{moved.to:x}" + (
                        ": the same address is moved elsewhere in other launches" if wrong else ""))

    # ---- all

    def run(self) -> bool:
        """Returns whether something differs that is neither an address nor without effect."""
        partners: dict[int, Launch] = {}
        for unit in self._order:
            partners.update(self._pair_unit(unit))
        for launch in self._sides[0].program.launches:
            if launch.at in partners:
                self._compare_launches((launch, partners[launch.at]))
        self._compare_globals()
        self._show_addresses()
        if self._shown > _SHOWN_MOST:
            print(f"and {self._shown - _SHOWN_MOST} more lines")
        counts = self.counts
        said = ", ".join(plural(counts[key], one, many) for key, one, many in (
            ("registers", "register", "registers"),
            ("launches", "launch only in one", "launches only in one"),
            ("contents", "content", "contents"), ("addresses", "address", "addresses"),
            ("idle", "register without effect", "registers without effect")) if counts[key])
        differs = bool(counts["registers"] or counts["launches"] or counts["contents"])
        print(("different: " if differs else "equal except for " if said else "equal")
              + f"{said} ({len(self._sides[0].program.launches)} launches)")
        return differs


def compare(programs: typing.Sequence[Program]) -> bool:
    """Prints every difference, launches that only one program has first, then registers and content
    in the order of the launches, and a last line with the counts. Returns whether something differs
    that is neither an address nor without effect."""
    first, second = programs
    if first.config != second.config:
        raise Failure(f"the first is for configuration {first.config}, the second for "
                      f"{second.config}; expected the same")
    return _Comparison(programs).run()
