"""The register map of a configuration, from the tables of csrc/nvdla: what all forms are made of.
Both groups of a unit with ping-pong groups have the same addresses, so a register is here once."""
import csv
import dataclasses
import itertools
import typing

from nvcosim import configurations, tool

WINDOW = 0x1000  # bytes of a unit's registers
SPACE = 0x40000  # bytes that the CSB addresses
# What software sees: of a read, of a write.
ACCESS = {
    "RW": ("the value last written", "replaces it"),
    "RO": ("the hardware's value", "ignored"),
    "RW1C": ("what is pending", "1 clears the bit, 0 leaves it"),
    "WO": ("0", "1 triggers the action, 0 does nothing"),
    "RW1S": ("1 while the group is armed", "1 arms the group, 0 is ignored; hardware clears it"),
    "RWI": ("the entry that the pointer selects, and moves the pointer",
            "writes the entry and moves the pointer"),
    "RWT": ("the value last written", "stored; a 1 also triggers the action"),
}
_CONSTANT = ("CFGROM", "S_NVDLA_HW_VERSION")  # a unit and a register that hardware never changes


def _short(value: int) -> str:
    return str(value) if value < 10 else hex(value)


@dataclasses.dataclass(frozen=True)
class Field:
    """Bits of a register. reset: right-aligned. changes: hardware can change it. values: names of
    its values; a field that has some has no other legal ones."""
    name: str
    msb: int
    lsb: int
    access: str
    reset: int
    text: str
    changes: bool
    values: dict[str, int]

    @property
    def width(self) -> int:
        return self.msb - self.lsb + 1

    @property
    def mask(self) -> int:
        """Its bits in the register."""
        return (1 << self.msb + 1) - (1 << self.lsb)

    @property
    def bits(self) -> str:
        """ "9:8", or "0"."""
        return f"{self.msb}:{self.lsb}" if self.msb > self.lsb else str(self.lsb)

    def of(self, word: int) -> int:
        """Its value in a word of the register."""
        return (word & self.mask) >> self.lsb

    def named(self, value: int) -> str:
        """Name of a value, "" if it has none."""
        return next((name for name, number in self.values.items() if number == value), "")


@dataclasses.dataclass(frozen=True)
class Register:
    """address: in bytes from NVDLA's base. grouped: each ping-pong group has one, at the same
    address. pair: name of the register with the upper half of its address, "": none. fields: from
    bit 0 on. kinds: "address", "address_high" and others of registers.csv."""
    unit: str
    name: str
    address: int
    grouped: bool
    pair: str
    fields: list[Field]
    kinds: set[str]

    @property
    def full(self) -> str:
        return f"{self.unit}.{self.name}"

    @property
    def offset(self) -> int:
        """In the window of its unit."""
        return self.address % WINDOW

    @property
    def reset(self) -> int:
        return sum(field.reset << field.lsb for field in self.fields)

    @property
    def mask(self) -> int:
        """Bits that exist."""
        return sum(field.mask for field in self.fields)

    @property
    def stored(self) -> int:
        """Bits that keep the written value."""
        return sum(field.mask for field in self.fields if field.access in ("RW", "RWT"))

    def decoded(self, word: int, bits: int) -> str:
        """The fields of a value that have one of the bits: "WIDTH=7 POOLING_METHOD=MAX"."""
        values = ((field, field.of(word)) for field in self.fields if bits & field.mask)
        return " ".join(
            f"{field.name}={field.named(value).removeprefix(field.name + '_') or _short(value)}"
            for field, value in values)

    @property
    def word(self) -> int:
        """Its address on the CSB."""
        return self.address // 4

    @property
    def token(self) -> int:
        """Its address as input.txn writes it."""
        return 0xffff0000 | self.word

    @property
    def about(self) -> str:
        """What its groups mean for software."""
        return ("one for each ping-pong group; S_POINTER.PRODUCER selects which is accessed"
                if self.grouped else "")


@dataclasses.dataclass(frozen=True)
class Map:
    """Registers by address. base: of NVDLA in the SoC. atom: bytes."""
    config: str
    kind: str
    atom: int
    base: int
    registers: list[Register]

    @property
    def title(self) -> str:
        return f"Registers of NVDLA, configuration {self.config}"

    def units(self) -> typing.Iterator[tuple[str, list[Register]]]:
        """In the order of their windows."""
        for unit, registers in itertools.groupby(self.registers, lambda r: r.unit):
            yield unit, list(registers)

    def window(self, registers: list[Register]) -> int:
        """Address in the SoC of the unit that has these registers."""
        return self.base + registers[0].address - registers[0].offset


def _rows(name: str) -> list[dict[str, str]]:
    with open(f"{tool.sources()}/csrc/nvdla/{name}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def units() -> list[str]:
    """Names of all units, in the order of the program."""
    return [row["unit"] for row in _rows("units")]


def load(config: str, base: int = 0) -> Map:
    """The registers that a configuration decodes."""
    parameters = configurations.row(config)
    kind = parameters["map"]
    conditions = {row["unit"]: row["condition"] for row in reversed(_rows("engines"))}
    windows = {row["unit"]: int(row[kind], 16) for row in _rows("units") if row[kind]
               and parameters.get(conditions[row["unit"]], "1") != "0"}
    registers: dict[tuple[str, str], Register] = {}
    for row in _rows("registers"):
        for unit in row["unit"].split():
            if row["map"] not in (kind, "both") or unit not in windows:
                continue
            name, access, kinds = row["register"], row["access"], row["kind"].split()
            register = registers.setdefault((unit, name), Register(
                unit, name, windows[unit] + int(row["offset"], 16), row["group"] == "D",
                row["pair"], [], set()))
            register.kinds.update(kinds)
            constant = unit in _CONSTANT or name in _CONSTANT
            words = (word.partition("=") for word in row["values"].split())
            register.fields.append(Field(
                row["field"], int(row["msb"]), int(row["lsb"]), access, int(row["reset_hex"], 16),
                row["description"], "volatile" in kinds or access in ("RW1C", "RW1S", "RWI")
                or access == "RO" and not constant, {value: int(n) for value, _, n in words}))
    for register in registers.values():
        register.fields.sort(key=lambda field: field.lsb)
    return Map(config, kind, int(parameters["mem_atom"]), base,
               sorted(registers.values(), key=lambda register: register.address))
