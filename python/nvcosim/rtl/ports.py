"""What Verilator says of the ports of a top module that is not this project's: tb_top.sv connects
NVDLA's ports in the widths of a configuration, so each of its warnings there is a difference."""
import dataclasses
import re

from nvcosim import configurations
from nvcosim.text import plural

# Without tb_top's own lines Verilator says these of the insides of the RTL, too.
_WIDTH = re.compile(r"port connection '(\w+)' expects (\d+) bits.* generates (\d+) bits")
_MISSING = re.compile(r"[Pp]in not found: '(\w+)'")
_UNUSED = re.compile(r"has missing pin: '(\w+)'")
_ANY_WIDTH = re.compile(r"_a[rw]_a[rw]addr$|^nvdla_pwrbus_")  # of these ports
_DATA = re.compile(r"(data|wstrb|wdat)$")  # of these, only the configuration's
_SECOND = "nvdla_core2cvsram_"
_BUSES = (("psel", "an APB wrapper", "build it with --adapter apb"),
          ("awvalid", "an AXI4-Lite or AXI wrapper", "build it with --adapter axi4lite"),
          ("hsel", "an AHB wrapper", "write a module with NVDLA's ports around it"))


@dataclasses.dataclass
class Ports:
    """The differences between the ports of a top module and those of a configuration."""
    top: str
    config: str
    widths: dict[str, tuple[int, int]] = dataclasses.field(default_factory=dict)  # RTL, config
    missing: list[str] = dataclasses.field(default_factory=list)  # NVDLA's that it does not have
    unused: list[str] = dataclasses.field(default_factory=list)   # its own that NVDLA has not

    def take(self, line: str) -> bool:
        """Takes a line of Verilator's about tb_top.sv; False if it is about something else."""
        if "tb/tb_top.sv:" not in line:
            return False
        if found := _WIDTH.search(line):
            if not _ANY_WIDTH.search(found[1]):
                self.widths[found[1]] = int(found[2]), int(found[3])
        elif found := _MISSING.search(line):
            self.missing.append(found[1])
        elif found := _UNUSED.search(line):
            self.unused.append(found[1])
        return found is not None

    def second_memory(self) -> bool:
        """The RTL has ports of a second memory that the configuration has not."""
        return any(name.startswith(_SECOND) for name in self.unused)

    def wrong(self) -> list[str]:
        """Sentences: why this RTL cannot be built for the configuration; none if it can."""
        absent = [name for name in self.missing if not name.startswith(_SECOND)]
        if len(absent) > 20:
            return [self._other_top()]
        lines = [self._width(name) for name in self.widths if _DATA.search(name)]
        lines += [f"{self.top} has no port {name}" for name in absent]
        if self.second_memory():
            lines.append(f"{self.top} has ports of a second memory ({_SECOND}...), configuration "
                         f"{self.config} has none")
        elif absent != self.missing:
            lines.append(f"{self.top} has no ports of a second memory ({_SECOND}...), "
                         f"configuration {self.config} has them")
        return lines + self._fitting() if lines else []

    def _width(self, name: str) -> str:
        ours, theirs = self.widths[name]
        return (f"port {name} of {self.top} has {plural(ours, 'bit')}, configuration {self.config} "
                f"{theirs}")

    def _other_top(self) -> str:
        named = self.unused[:6] + ["..."] * (len(self.unused) > 6)
        bus, way = next((words for word, *words in _BUSES
                         if any(word in name.lower() for name in self.unused)),
                        ("", "name its ports in a --port-map"))
        return (f"top {self.top} does not have NVDLA's ports: missing are {self.missing[0]} and "
                f"{len(self.missing) - 1} more; it has {', '.join(named) or 'no others'}"
                + (f": {bus}" if bus else "")
                + f"; {way}, or name NV_nvdla inside it by --top (docs/other-rtl.md)")

    def _fitting(self) -> list[str]:
        """The configurations with the memory ports of the RTL."""
        own = configurations.row(self.config)
        width = {port: self._data_bits(port, int(own[f"{port}_data_bits"]))
                 for port in ("dbb", "cvsram")}
        fit = [name for name, row in configurations.rows().items()
               if name != self.config
               and (self.missing or int(row["dbb_data_bits"]) == width["dbb"])  # else not known
               and (int(row["cvsram_data_bits"]) > 0 if self.second_memory()
                    else int(row["cvsram_data_bits"]) == width["cvsram"])]
        return [f"configurations with such ports: {', '.join(fit) or 'none'}"]

    def _data_bits(self, port: str, own: int) -> int:
        """Data bits of a memory port of the RTL; own: of the configuration."""
        prefix = f"nvdla_core2{port}_"
        if f"{prefix}w_wdata" in self.missing:
            return 0
        bits, _ = self.widths.get(f"{prefix}r_rdata",
                                  self.widths.get(f"{prefix}w_wdata", (own, own)))
        return bits if bits >= 32 else 0  # a port without a use has a bit or two

    def doubtful(self, text: str) -> list[str]:
        """Warnings: other widths of IDs and lengths, and inputs of the top that nothing drives;
        text: its source."""
        names = [name for name in self.unused if _direction(text, name) == "input"]
        return [self._width(name) for name in self.widths if not _DATA.search(name)] + \
            [f"input {name} of {self.top} is driven by nothing: it is 0" for name in names]


def _direction(text: str, name: str) -> str:
    """The last direction before the declaration of a port; "" if it is not found."""
    found = re.search(rf"\b(input|output|inout)\b[^;)]*?\b{name}\b", text)
    words: list[str] = re.findall(r"\b(input|output|inout)\b", found[0]) if found else []
    return words[-1] if words else ""
