"""The registers of a configuration by their names: addresses, fields, values with names."""
import typing

from nvcosim import configurations, text
from nvcosim.regmap.model import Field, Register, load
from nvcosim.tool import Failure

Value = typing.Union[int, str, typing.Mapping[str, typing.Union[int, str]]]


def configuration(name: str) -> dict[str, typing.Any]:
    """The facts of a configuration: mem_atom in bytes, atomic_c, atomic_k, ... KeyError if there
    is none of that name."""
    try:
        return typing.cast("dict[str, typing.Any]", configurations.read(name))
    except Failure as failure:
        raise KeyError(str(failure)) from None


def put(register: Register, field: Field, word: int, value: int | str) -> int:
    """The register's word with this field set, to a number (negative ones as two's complement) or
    to a value that has a name."""
    if isinstance(value, str):
        if value not in field.values:
            raise ValueError(f"{register.full}.{field.name}: found '{value}', expected a number"
                             + "".join(f" or {name}" for name in field.values))
        value = field.values[value]
    if not -(1 << (field.width - 1)) <= int(value) < 1 << field.width:
        raise ValueError(f"{register.full}.{field.name}: found {value}, expected a number of "
                         f"{field.width} bit{'s' if field.width > 1 else ''}")
    return word & ~field.mask | int(value) << field.lsb & field.mask


class Registers:
    """The register map of a configuration."""

    def __init__(self, config: str) -> None:
        self.config = configuration(config)["name"]
        self._registers = {register.full: register for register in load(config).registers}

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
        fields = {field.name: field for field in register.fields}
        if words[2] not in fields or len(words) > 3:
            raise KeyError(f"{register.full} has no field '{'.'.join(words[2:])}'; it has "
                           f"{', '.join(fields)}")
        return register, fields[words[2]]

    def word(self, name: str, value: Value, read: typing.Callable[[int], int]) -> tuple[int, int]:
        """Address and word of a write: of a whole register; of one field, or of several by a dict
        of their values, where `read` gives the other bits of the register."""
        register, field = self.find(name)
        if field is None and isinstance(value, int):
            if not -1 << 31 <= value < 1 << 32:
                raise ValueError(f"{name}: found {value}, expected a number of 32 bits")
            return register.address, value & 0xffffffff
        if isinstance(value, str) and field is None and len(register.fields) == 1:
            field = register.fields[0]
        if field is not None and not isinstance(value, typing.Mapping):
            return register.address, put(register, field, read(register.address), value)
        if field is not None or not isinstance(value, typing.Mapping):
            raise ValueError(f"{name}: found {value!r}, expected a number or a dict of fields")
        word = read(register.address)
        for key, part in value.items():
            found = self.find(f"{register.full}.{key}")[1]
            assert found
            word = put(register, found, word, part)
        return register.address, word
