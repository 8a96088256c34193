"""The registers of a configuration by their names: addresses, fields, values with names."""
import dataclasses
import functools
import typing

from nvcosim import text, tool

Value = typing.Union[int, str, typing.Mapping[str, typing.Union[int, str]]]


@functools.cache
def facts() -> dict[str, typing.Any]:
    """What `nvcosim info --json` says: configurations, engines, registers."""
    found: dict[str, typing.Any] = tool.run_json("info", "--json")
    return found


@functools.cache
def configuration(name: str) -> dict[str, typing.Any]:
    """The facts of a configuration: mem_atom in bytes, atomic_c, atomic_k, ... KeyError if there
    is none of that name."""
    found = {c["name"]: c for c in facts()["configurations"]}
    if name not in found:
        raise KeyError(f"there is no configuration '{name}'; expected one of {', '.join(found)}")
    return typing.cast("dict[str, typing.Any]", found[name])


@dataclasses.dataclass(frozen=True)
class Field:
    """Bits of a register. values: names of its values."""
    name: str
    msb: int
    lsb: int
    values: typing.Mapping[str, int]

    @property
    def mask(self) -> int:
        """Its bits in the register."""
        return (1 << (self.msb + 1)) - (1 << self.lsb)

    def put(self, register: str, word: int, value: int | str) -> int:
        """The register's word with this field set, to a number (negative ones as two's
        complement) or to a value that has a name."""
        width = self.msb - self.lsb + 1
        if isinstance(value, str):
            if value not in self.values:
                raise ValueError(f"{register}.{self.name}: found '{value}', expected a number"
                                 + "".join(f" or {name}" for name in self.values))
            value = self.values[value]
        if not -(1 << (width - 1)) <= int(value) < 1 << width:
            raise ValueError(f"{register}.{self.name}: found {value}, expected a number of {width}"
                             f" bit{'s' if width > 1 else ''}")
        return word & ~self.mask | int(value) << self.lsb & self.mask


@dataclasses.dataclass(frozen=True)
class Register:
    """name: UNIT.REGISTER; address: in bytes from the start of NVDLA's registers."""
    name: str
    address: int
    fields: typing.Mapping[str, Field]


class Registers:
    """The register map of a configuration."""

    def __init__(self, config: str) -> None:
        kind = configuration(config)["map"]
        self.config = config
        self._registers: dict[str, Register] = {}
        for entry in facts()["registers"]:
            if entry["map"] == kind:
                name = f"{entry['unit']}.{entry['name']}"
                fields = {f["name"]: Field(f["name"], f["msb"], f["lsb"], f.get("values", {}))
                          for f in entry["fields"]}
                self._registers[name] = Register(name, entry["address"], fields)

    def __iter__(self) -> typing.Iterator[Register]:
        return iter(self._registers.values())

    def find(self, name: str) -> tuple[Register, Field | None]:
        """The register of "UNIT.REGISTER", or it and the field of "UNIT.REGISTER.FIELD"."""
        words = name.upper().split(".")
        register = self._registers.get(".".join(words[:2]))
        if register is None:
            hint = text.guess(name, self._registers)
            raise KeyError(f"{self.config} has no register '{name}'{hint}")
        if len(words) < 3:
            return register, None
        if words[2] not in register.fields or len(words) > 3:
            raise KeyError(f"{register.name} has no field '{'.'.join(words[2:])}'; it has "
                           f"{', '.join(register.fields)}")
        return register, register.fields[words[2]]

    def word(self, name: str, value: Value, read: typing.Callable[[int], int]) -> tuple[int, int]:
        """Address and word of a write: of a whole register; of one field, or of several by a dict
        of their values, where `read` gives the other bits of the register."""
        register, field = self.find(name)
        if field is None and isinstance(value, int):
            if not -1 << 31 <= value < 1 << 32:
                raise ValueError(f"{name}: found {value}, expected a number of 32 bits")
            return register.address, value & 0xffffffff
        if isinstance(value, str) and field is None and len(register.fields) == 1:
            field = next(iter(register.fields.values()))
        if field is not None and not isinstance(value, typing.Mapping):
            return register.address, field.put(register.name, read(register.address), value)
        if field is not None or not isinstance(value, typing.Mapping):
            raise ValueError(f"{name}: found {value!r}, expected a number or a dict of fields")
        word = read(register.address)
        for key, part in value.items():
            found = self.find(f"{register.name}.{key}")[1]
            assert found
            word = found.put(register.name, word, part)
        return register.address, word
