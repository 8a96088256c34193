"""The map as SystemRDL 2.0: a regfile for each unit, encodings of values with names. `donttest`
marks fields whose access starts work or moves a pointer, so that a bit-bash test leaves them."""
from nvcosim.regmap.model import Field, Map, Register

# Properties by access: what software and hardware do, what a write of 1 does.
_PROPERTIES = {
    "RW": "sw = rw; hw = {hw};", "RO": "sw = r; hw = {hw};", "WO": "sw = w; hw = r; donttest;",
    "RW1C": "sw = rw; hw = rw; woclr; hwset;", "RW1S": "sw = rw; hw = rw; woset; hwclr; donttest;",
    "RWI": "sw = rw; hw = rw; donttest;", "RWT": "sw = rw; hw = {hw}; donttest;"}


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _hardware(field: Field) -> str:
    return "rw" if field.changes else "na" if field.access == "RO" else "r"


def _field(field: Field) -> str:
    encode = f" encode = {field.name}_e;" if field.values else ""
    return (f"            field {{ desc = {_quoted(field.text)}; "
            f"{_PROPERTIES[field.access].format(hw=_hardware(field))}{encode} }} "
            f"{field.name}[{field.msb}:{field.lsb}] = {field.width}'h{field.reset:x};")


def _register(register: Register) -> list[str]:
    lines = ["        reg {"]
    if register.about:
        lines += [f"            desc = {_quoted(register.about)};",
                  "            ping_pong_groups = 2;"]
    for field in register.fields:
        if field.values:
            values = " ".join(f"{name} = {field.width}'h{value:x};"
                              for name, value in field.values.items())
            lines.append(f"            enum {field.name}_e {{ {values} }};")
    return [*lines, *map(_field, register.fields),
            f"        }} {register.name} @ 0x{register.offset:x};"]


def rdl(regmap: Map) -> str:
    """The text of the file."""
    lines = ["property ping_pong_groups { type = longint unsigned; component = reg; };", "",
             "addrmap nvdla {", f"    name = {_quoted(regmap.title)};",
             "    default regwidth = 32;", "    default accesswidth = 32;"]
    for unit, registers in regmap.units():
        lines += ["    regfile {"]
        for register in registers:
            lines += _register(register)
        lines += [f"    }} {unit} @ 0x{regmap.window(registers):x};"]
    return "\n".join([*lines, "};"]) + "\n"
