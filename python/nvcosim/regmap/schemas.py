"""The map as CMSIS-SVD 1.3 and as IP-XACT (IEEE 1685-2014). Both schemas demand the order in which
the elements are written here."""
import xml.etree.ElementTree as tree

from nvcosim.regmap.model import Field, Map, Register, WINDOW

_IPXACT = "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"
_ACCESS = {"RO": "read-only", "WO": "write-only"}  # others: read-write
_WRITES = {"RW1C": "oneToClear", "RW1S": "oneToSet"}


def _put(parent: tree.Element, name: str, text: str | int = "", **attributes: str) -> tree.Element:
    element = tree.SubElement(parent, name, attributes)
    element.text = str(text) or None
    return element


def _puts(parent: tree.Element, prefix: str = "", **texts: str | int | bool | None) -> None:
    """Elements in the order of the arguments, without those that are None."""
    for name, text in texts.items():
        if text is not None:
            _put(parent, prefix + name, str(text).lower() if isinstance(text, bool) else text)


def _text(root: tree.Element) -> str:
    tree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tree.tostring(root, "unicode") + "\n"


def _access(register: Register) -> str:
    found = {_ACCESS.get(field.access, "read-write") for field in register.fields}
    return found.pop() if len(found) == 1 else "read-write"


def _about(register: Register) -> str:
    return "; ".join(filter(None, (f"{register.full}: {', '.join(f.name for f in register.fields)}",
                                   register.about)))


# ---- CMSIS-SVD ----

def _svd_field(parent: tree.Element, field: Field) -> None:
    element = _put(parent, "field")
    _puts(element, name=field.name, description=field.text, bitOffset=field.lsb,
          bitWidth=field.width, access=_ACCESS.get(field.access, "read-write"),
          modifiedWriteValues=_WRITES.get(field.access),
          readAction="modifyExternal" if field.access == "RWI" else None)
    if field.values:
        values = _put(element, "enumeratedValues")
        for name, value in field.values.items():
            _puts(_put(values, "enumeratedValue"), name=name, value=value)


def svd(regmap: Map, irq: int | None = None) -> str:
    """A device of which each unit is a peripheral. irq: number of the interrupt, of the first
    unit, since a debugger needs it once."""
    root = tree.Element("device", {
        "schemaVersion": "1.3", "xmlns:xs": "http://www.w3.org/2001/XMLSchema-instance",
        "xs:noNamespaceSchemaLocation": "CMSIS-SVD.xsd"})
    _puts(root, name=f"NVDLA_{regmap.config}", version="1.0", description=regmap.title,
          addressUnitBits=8, width=32, size=32, access="read-write", resetValue="0x0",
          resetMask="0xffffffff")
    peripherals = _put(root, "peripherals")
    for unit, registers in regmap.units():
        peripheral = _put(peripherals, "peripheral")
        _puts(peripheral, name=unit, description=f"Registers of {unit}", groupName="NVDLA",
              baseAddress=f"0x{regmap.window(registers):x}")
        _puts(_put(peripheral, "addressBlock"), offset="0x0", size=f"0x{WINDOW:x}",
              usage="registers")
        if irq is not None and unit == "GLB":
            _puts(_put(peripheral, "interrupt"), name="NVDLA", value=irq)
        block = _put(peripheral, "registers")
        for register in registers:
            element = _put(block, "register")
            _puts(element, name=register.name, description=_about(register),
                  addressOffset=f"0x{register.offset:x}", size=32, access=_access(register),
                  resetValue=f"0x{register.reset:x}", resetMask="0xffffffff")
            fields = _put(element, "fields")
            for field in register.fields:
                _svd_field(fields, field)
    return _text(root)


# ---- IP-XACT ----

def _ipxact_field(parent: tree.Element, field: Field) -> None:
    element = _put(parent, "ipxact:field")
    _puts(element, "ipxact:", name=field.name, description=field.text, bitOffset=field.lsb)
    reset = _put(_put(element, "ipxact:resets"), "ipxact:reset")
    _puts(reset, "ipxact:", value=f"'h{field.reset:x}")
    _puts(element, "ipxact:", bitWidth=field.width, volatile=field.changes,
          access=_ACCESS.get(field.access, "read-write"))
    if field.values:
        values = _put(element, "ipxact:enumeratedValues")
        for name, value in field.values.items():
            _puts(_put(values, "ipxact:enumeratedValue"), "ipxact:", name=name,
                  value=f"'h{value:x}")
    _puts(element, "ipxact:", modifiedWriteValue=_WRITES.get(field.access),
          readAction="modify" if field.access == "RWI" else None,
          testable=False if field.access in ("WO", "RW1S", "RWI", "RWT") else None)


def ipxact(regmap: Map) -> str:
    """A component with one memory map, of which each unit is an address block."""
    root = tree.Element("ipxact:component", {
        "xmlns:ipxact": _IPXACT, "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
        "xsi:schemaLocation": f"{_IPXACT} {_IPXACT}/index.xsd"})
    _puts(root, "ipxact:", vendor="nvcosim", library="nvdla", name=f"nvdla_{regmap.config}",
          version="1.0")
    memory = _put(_put(root, "ipxact:memoryMaps"), "ipxact:memoryMap")
    _puts(memory, "ipxact:", name="registers", description=regmap.title)
    for unit, registers in regmap.units():
        block = _put(memory, "ipxact:addressBlock")
        _puts(block, "ipxact:", name=unit, baseAddress=f"'h{regmap.window(registers):x}",
              range=f"'h{WINDOW:x}", width=32, usage="register")
        for register in registers:
            element = _put(block, "ipxact:register")
            _puts(element, "ipxact:", name=register.name, description=_about(register),
                  addressOffset=f"'h{register.offset:x}", size=32, access=_access(register))
            for field in register.fields:
                _ipxact_field(element, field)
    _puts(memory, "ipxact:", addressUnitBits=8)
    _puts(root, "ipxact:", description=regmap.title)
    return _text(root)
