"""Registers found by what people have of them: names as the manual, traces and headers write them,
parts of names, addresses in four forms, words of a description; and values taken apart."""
import dataclasses
import re
import typing

from nvcosim import text
from nvcosim.regmap.model import Field, Map, Register, SPACE, WINDOW
from nvcosim.tool import Failure

TXN = "address in input.txn"
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|[0-9]+")


@dataclasses.dataclass(frozen=True)
class Hit:
    """A register of a map. field: the one that was asked for. how: what the number was assumed to
    be. exact: named in full, not by a part of its name or by its unit. value: to be decoded."""
    regmap: Map
    register: Register
    field: Field | None = None
    how: str = ""
    exact: bool = True
    value: int | None = None


@dataclasses.dataclass(frozen=True)
class Part:
    """A field of a value. wrong: why its value is not legal, "" if it is."""
    field: Field
    value: int
    wrong: str


def number(word: str) -> int | None:
    """A number, decimal or 0x...; None: the word is none."""
    return int(word, 16 if word[:2] in ("0x", "0X") else 10) if _NUMBER.fullmatch(word) else None


# ---- addresses ----

def _readings(regmap: Map, value: int, csb: bool) -> typing.Iterator[tuple[int, str]]:
    """Byte addresses from NVDLA's base that a number can mean, the likely one first."""
    if csb:
        yield value * 4, "CSB word address"
        return
    if regmap.base and regmap.base <= value < regmap.base + SPACE:
        yield value - regmap.base, "address in the SoC"
        return
    yield value, "byte address"
    if value < SPACE // 4:
        yield value * 4, "CSB word address"
    # The high half of a token has flags in its bits 24:16; tools set all of it.
    elif value >> 16 == 0xffff or value >> 25 == 0:
        yield (value & 0xffff) * 4, TXN


def at(regmap: Map, value: int, csb: bool) -> list[Hit]:
    """The registers that a number can mean. csb: it is an address on the CSB."""
    registers = {register.address: register for register in regmap.registers}
    return [Hit(regmap, registers[address], how=how)
            for address, how in _readings(regmap, value, csb) if address in registers]


def nothing_at(regmap: Map, value: int, csb: bool) -> str:
    """Why there is no register at an address, and what to try."""
    address = next(_readings(regmap, value, csb))[0]
    for unit, registers in regmap.units():
        if address - address % WINDOW == registers[0].address - registers[0].offset:
            place = f"0x{address:05x} is in the window of {unit}"
            if address % 4:
                return f"{place}, but is not a multiple of 4"
            return f"{place}, which has no register there: it reads 0, writes are ignored"
    if value >= SPACE and at(dataclasses.replace(regmap, base=value - value % SPACE), value, False):
        return (f"NVDLA has 0x{SPACE:x} bytes of registers; if the SoC has them at "
                f"0x{value - value % SPACE:x}, add --base=0x{value - value % SPACE:x}")
    return "no unit has its registers there: it reads 0, writes are ignored"


# ---- names ----

def _spellings(register: Register, field: Field | None = None) -> set[str]:
    """UNIT_REGISTER[_FIELD] as the manual, cfg traces (..._0) and drivers' headers write it."""
    units = [register.unit, *(["RUBIK"] if register.unit == "RBK" else [])]
    names = [f"{unit}_{register.name}" for unit in units] + [register.name]
    tail = f"_{field.name}" if field else ""
    return {name + zero + tail for name in names for zero in ("", "_0")}


def named(regmap: Map, word: str) -> list[Hit]:
    """The registers and fields of that name; else those of that unit; else those whose names have
    it as a part."""
    name = word.upper().replace(".", "_").removeprefix("NVDLA_")
    fields = [(r, f) for r in regmap.registers for f in r.fields]
    if found := [Hit(regmap, r) for r in regmap.registers if name in _spellings(r)]:
        return found
    if found := [Hit(regmap, r, f) for r, f in fields if name in _spellings(r, f)]:
        return found
    if found := [Hit(regmap, r, exact=False) for r in regmap.registers
                 if name == r.unit or name == "RUBIK" and r.unit == "RBK"]:
        return found
    if found := [Hit(regmap, r, f) for r, f in fields if name == f.name]:
        return found
    if found := [Hit(regmap, r, exact=False) for r in regmap.registers
                 if name in f"{r.unit}_{r.name}"]:
        return found
    return [Hit(regmap, r, f, exact=False) for r, f in fields if name in f.name]


def find(regmap: Map, word: str, csb: bool) -> list[Hit]:
    """By a name or an address."""
    value = number(word)
    return named(regmap, word) if value is None else at(regmap, value, csb)


def search(regmap: Map, words: str) -> list[Hit]:
    """Fields of which the name, the description and the names of values have all the words."""
    wanted = words.lower().split()
    return [Hit(regmap, r, f, exact=False) for r in regmap.registers for f in r.fields
            if all(word in " ".join((r.full, f.name, f.text, *f.values)).lower()
                   for word in wanted)]


def suggestion(maps: list[Map], word: str) -> str:
    """ "; did you mean X?" or ""."""
    names: dict[str, None] = {}
    for register in (r for regmap in maps for r in regmap.registers):
        for name in (register.unit, register.name, register.full):
            names.setdefault(name)
        for field in register.fields:
            names.update(dict.fromkeys((field.name, f"{register.full}.{field.name}")))
    return text.guess(word.upper(), names)


# ---- values ----

def decode(hit: Hit) -> list[Part]:
    """The value of a hit by fields; of a field, if the hit is one. Failure: too large a number."""
    assert hit.value is not None
    fields = [hit.field] if hit.field else hit.register.fields
    word = hit.value << hit.field.lsb if hit.field else hit.value
    name = f"{hit.register.full}.{hit.field.name}" if hit.field else hit.register.full
    width = hit.field.width if hit.field else 32
    if hit.value >> width:
        raise Failure(f"{name}: found 0x{hit.value:x}, expected a number of "
                      f"{text.plural(width, 'bit')}")
    parts = []
    for field in fields:
        value = field.of(word)
        legal = not field.values or field.named(value)
        parts.append(Part(field, value, "" if legal else "not legal: expected " + ", ".join(
            f"{number} {name}" for name, number in field.values.items())))
    return parts


def surplus(hit: Hit) -> int:
    """Bits of the value that the register does not have."""
    return 0 if hit.field else (hit.value or 0) & ~hit.register.mask
