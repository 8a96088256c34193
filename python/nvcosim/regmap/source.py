"""The map as source of others: a C99 header, and the node of a device tree."""
from nvcosim.regmap.model import Map, Register, SPACE
from nvcosim.tool import Failure

# The strings that NVIDIA's driver knows (docs/nvdla/80-trace-formats.md section 6), by what it
# assumes of the hardware: the register map, and the bytes of an atom.
_COMPATIBLE = {("full", 32): "nvidia,nvdla_os_initial", ("small", 8): "nvidia,nv_small",
               ("small", 32): "nvidia,nv_large"}


def _macros(register: Register) -> list[str]:
    name = f"NVDLA_{register.unit}_{register.name}"
    lines = [f"#define {name} 0x{register.address:05x}U" +
             (f" /* {register.about} */" if register.about else ""),
             f"#define {name}_RESET 0x{register.reset:08x}U"]
    for field in register.fields:
        bits = f"{name}_{field.name}"
        lines += [f"/* {field.name}, bits {field.bits}, {field.access}: {field.text} */",
                  f"#define {bits}_SHIFT {field.lsb}",
                  f"#define {bits}_MASK 0x{field.mask:08x}U"]
        lines += [f"#define {bits}_{meaning} 0x{value:x}U"
                  for meaning, value in field.values.items()]
    return lines


def header(regmap: Map) -> str:
    """Macros: UNIT_REGISTER, its byte address from NVDLA's base; _RESET; of each field _SHIFT,
    _MASK (where it is in the register) and the names of its values (right-aligned)."""
    guard = f"NVDLA_REGISTERS_{regmap.config.upper()}_H"
    lines = [f"/* {regmap.title}. Made by `nvcosim registers --to header`.", " *",
             " * NVDLA_UNIT_REGISTER: byte address from the base. ..._RESET: value after reset.",
             " * ..._FIELD_SHIFT and _MASK: where a field is in its register. ..._FIELD_NAME: a",
             " * value of the field, to be shifted. */", f"#ifndef {guard}", f"#define {guard}", ""]
    if regmap.base:
        lines += [f"#define NVDLA_BASE 0x{regmap.base:x}ULL", ""]
    for unit, registers in regmap.units():
        lines += [f"/* ---- {unit} ---- */", ""]
        for register in registers:
            lines += [*_macros(register), ""]
    return "\n".join([*lines, "#endif"]) + "\n"


def dts(regmap: Map, irq: int) -> str:
    """The node, in a root whose addresses and sizes have two cells. irq: of the shared interrupts
    of a GIC. Failure: the driver knows no such hardware."""
    compatible = _COMPATIBLE.get((regmap.kind, regmap.atom))
    if not compatible:
        raise Failure(f"--to dts: NVIDIA's driver knows no hardware with atoms of {regmap.atom} "
                      f"bytes, which {regmap.config} has; expected a configuration with 8 or 32")
    base = regmap.base
    return f"""\
/* NVDLA, configuration {regmap.config}. Made by `nvcosim registers --to dts`; to be included in the
 * tree of a board whose addresses and sizes have two cells. The interrupt is number {irq} of the
 * shared peripheral interrupts of a GIC, high while it is pending. */
/ {{
\t#address-cells = <2>;
\t#size-cells = <2>;

\tnvdla@{base:x} {{
\t\tcompatible = "{compatible}";
\t\treg = <0x{base >> 32:x} 0x{base & 0xffffffff:x} 0x0 0x{SPACE:x}>;
\t\tinterrupts = <0 {irq} 4>;
\t}};
}};
"""
