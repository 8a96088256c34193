"""Writes a module with NVDLA's ports around a wrapper that has others: another register bus (APB,
AXI4-Lite), other names, or inputs of its own.

The wrapper's ports are found by name: NVDLA's own; those of an AXI port without the channel
(nvdla_core2dbb_awvalid); those of the register bus, with a prefix and _i or _o at will
(s_apb_psel_i); usual ones of clocks and resets; and what a port map says. Of other ports, outputs
stay open, and inputs are 0 unless a pin sets them."""
import dataclasses
import pathlib
import re

from nvcosim import configurations
from nvcosim.rtl import filelist, tree
from nvcosim.tool import Failure, sources

MODULE = "nvcosim_adapter"

_CSB = [("input", "", "csb2nvdla_valid"), ("output", "", "csb2nvdla_ready"),
        ("input", "[15:0]", "csb2nvdla_addr"), ("input", "[31:0]", "csb2nvdla_wdat"),
        ("input", "", "csb2nvdla_write"), ("input", "", "csb2nvdla_nposted"),
        ("output", "", "nvdla2csb_valid"), ("output", "[31:0]", "nvdla2csb_data"),
        ("output", "", "nvdla2csb_wr_complete")]
_GATES_OFF = "tmc2slcg_disable_clock_gating"
_STATIC = [("input", "", name)
           for name in ("global_clk_ovr_on", _GATES_OFF, "direct_reset_", "test_mode")]
_STATIC += [("input", "[31:0]", f"nvdla_pwrbus_ram_{part}_pd")
            for part in ("c", "ma", "mb", "p", "o", "a")]
_CLOCKS = [("input", "", name) for name in ("dla_core_clk", "dla_csb_clk", "dla_reset_rstn")]
STATIC_INPUTS = [name for _, _, name in _STATIC]  # that the testbench drives
_AXI = [("output", "", "aw_awvalid"), ("input", "", "aw_awready"), ("output", "[7:0]", "aw_awid"),
        ("output", "[3:0]", "aw_awlen"), ("output", "[`TB_AW-1:0]", "aw_awaddr"),
        ("output", "", "w_wvalid"), ("input", "", "w_wready"), ("output", "[DW-1:0]", "w_wdata"),
        ("output", "[DW/8-1:0]", "w_wstrb"), ("output", "", "w_wlast"),
        ("input", "", "b_bvalid"), ("output", "", "b_bready"), ("input", "[7:0]", "b_bid"),
        ("output", "", "ar_arvalid"), ("input", "", "ar_arready"), ("output", "[7:0]", "ar_arid"),
        ("output", "[3:0]", "ar_arlen"), ("output", "[`TB_AW-1:0]", "ar_araddr"),
        ("input", "", "r_rvalid"), ("output", "", "r_rready"), ("input", "[7:0]", "r_rid"),
        ("input", "", "r_rlast"), ("input", "[DW-1:0]", "r_rdata")]

# Register buses: the signals of the wrapper by their usual names, each with its width; "" as csb.
BUSES: dict[str, list[tuple[str, str]]] = {
    "csb": [],
    "apb": [("psel", ""), ("penable", ""), ("pwrite", ""), ("paddr", "[31:0]"),
            ("pwdata", "[31:0]"), ("prdata", "[31:0]"), ("pready", "")],
    "axi4lite": [("awvalid", ""), ("awready", ""), ("awaddr", "[31:0]"), ("wvalid", ""),
                 ("wready", ""), ("wdata", "[31:0]"), ("wstrb", "[3:0]"), ("bvalid", ""),
                 ("bready", ""), ("arvalid", ""), ("arready", ""), ("araddr", "[31:0]"),
                 ("rvalid", ""), ("rready", ""), ("rdata", "[31:0]")],
}
_BUS_INPUTS = {"prdata", "pready", "awready", "wready", "bvalid", "arready", "rvalid", "rdata"}
_OTHER_NAMES = {
    "dla_core_clk": ("core_clk", "clk", "clock", "clk_i"),
    "dla_csb_clk": ("csb_clk", "pclk", "aclk", "s_axi_aclk", "apb_clk"),
    "dla_reset_rstn": ("rstn", "rst_n", "rst_ni", "resetn", "csb_rstn", "presetn", "prstn",
                       "aresetn", "s_axi_aresetn"),
    "direct_reset_": ("direct_reset",),
    "dla_intr": ("intr", "irq", "interrupt", "intr_o", "irq_o"),
}
# Of the signals that the testbench drives or reads, those that a wrapper may lack.
_OPTIONAL = re.compile(r"^(global_clk_ovr_on|tmc2slcg_.*|direct_reset_|test_mode|nvdla_pwrbus_.*|"
                       r"dla_c\w+_clk|.*_(awid|arid|bid|rid|rlast|wstrb)|wstrb)$")


@dataclasses.dataclass
class Adapter:
    """A wrapper and how the testbench's signals reach it."""
    wrapper: str
    bus: str  # of BUSES
    connections: dict[str, str]  # wrapper's port: signal or value
    open: list[str]  # its other ports

    def gates_stay(self) -> bool:
        """The testbench cannot switch the clock gating off."""
        return _GATES_OFF not in self.connections.values()


def header_ports(text: str, module: str) -> list[str]:
    """The names of a module's ports, from its source. Failure if it has no list of ports."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/|^\s*`[^\n]*", " ", text, flags=re.DOTALL | re.MULTILINE)
    found = re.search(rf"\bmodule\s+{re.escape(module)}\b", text)
    if not found:
        raise Failure(f"there is no module {module} in the files of the list")
    rest = text[found.end():].lstrip()
    if rest.startswith("#"):
        rest = rest[_closing(rest, rest.index("(")) + 1:].lstrip()
    if not rest.startswith("("):
        raise Failure(f"module {module} has no list of ports, expected a wrapper of NVDLA")
    ports = re.sub(r"\[[^\]]*\]", " ", rest[1:_closing(rest, 0)])
    return [words[-1] for item in ports.split(",") if (words := re.findall(r"[\w$]+", item))]


def _closing(text: str, at: int) -> int:
    """The place of the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return i
    raise Failure("the list of ports of the wrapper does not end: found no closing bracket")


def read_map(path: str, signals: list[str], ports: list[str]) -> dict[str, str]:
    """A port map: lines of a testbench's signal and the wrapper's port; `nvdla_core2dbb_* m_axi_*`
    says it for those signals of an AXI port that the wrapper has, under AXI's names. Comments begin
    with #. Returns the signal of each port."""
    found: dict[str, str] = {}
    try:
        with open(path, encoding="utf-8") as file:
            lines = list(file)
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) != 2:
            raise Failure(f"{path}:{number}: found '{line.strip()}', expected the name of a port "
                          "of NVDLA and the wrapper's")
        signal, port = words
        several = signal.endswith("*") and port.endswith("*")
        names = [name for _, _, name in _AXI]
        pairs = [(signal, port)] if not several else [
            (signal[:-1] + name, port[:-1] + name.partition("_")[2]) for name in names]
        if pairs[0][0] not in signals:
            raise Failure(f"{path}:{number}: found {signal}, expected a port of NVDLA, "
                          "nvdla_core2dbb_*, or a signal of the register bus")
        if not several and port not in ports:
            raise Failure(f"{path}:{number}: the wrapper has no port {port}; its ports: "
                          f"{', '.join(ports)}")
        found |= {theirs: ours for ours, theirs in pairs if theirs in ports}
    return found


def _declared(sram: bool) -> list[tuple[str, str, str]]:
    """NVDLA's ports: direction, width, name."""
    ports = [*_CLOCKS, *_STATIC, *_CSB, ("output", "", "dla_intr")]
    for port, width in (("dbb", "`TB_DW"), ("cvsram", "`TB_SRAM_DW"))[:1 + sram]:
        ports += [(way, bits.replace("DW", width), f"nvdla_core2{port}_{name}")
                  for way, bits, name in _AXI]
    return ports


def _guess(port: str, signals: list[str], bus: str) -> str | None:
    """The signal for a port, by its name."""
    if port in signals:
        return port
    plain = re.sub(r"_[io]$", "", port.lower())
    for signal in signals:
        if signal.startswith("nvdla_core2") and plain == re.sub(r"_(aw|w|b|ar|r)_", "_", signal):
            return signal
    for signal, _ in BUSES[bus]:
        if plain == signal or (plain.endswith("_" + signal) and "core2" not in plain):
            return signal
    return next((signal for signal, names in _OTHER_NAMES.items() if port.lower() in names), None)


def connect(wrapper: str, ports: list[str], bus: str, sram: bool, map_path: str | None,
            pins: dict[str, str]) -> Adapter:
    """Finds the signal of each port. Failure if the wrapper lacks one that NVDLA needs, or
    has no port that a pin or the map names."""
    signals = [name for _, _, name in _declared(sram)]
    if bus != "csb":
        signals = [name for name in signals if not re.match("csb2nvdla|nvdla2csb", name)]
        signals += [name for name, _ in BUSES[bus]]
    mapped = read_map(map_path, signals, ports) if map_path else {}
    for name in pins:
        if name not in ports:
            raise Failure(f"--pin {name}: {wrapper} has no such port; its ports: "
                          f"{', '.join(ports)}")
    adapter = Adapter(wrapper, bus, {}, [])
    for port in ports:
        value = pins.get(port) or mapped.get(port) or _guess(port, signals, bus)
        if value:
            adapter.connections[port] = value
        else:
            adapter.open.append(port)
    there = set(adapter.connections.values())
    lacking = [name for name in signals if name not in there and not _OPTIONAL.match(name)]
    if lacking:
        what = "signals of NVDLA" if bus == "csb" else f"signals of NVDLA and {bus}"
        raise Failure(f"{wrapper} has no port for {', '.join(lacking[:6])}"
                      f"{', ...' if len(lacking) > 6 else ''} ({len(lacking)} {what}); say which "
                      f"one it is in a --port-map. Its other ports: {', '.join(adapter.open)}")
    return adapter


def text_of(adapter: Adapter, sram: bool) -> str:
    """The source of the module MODULE."""
    ports = _declared(sram)
    lines = ["// Written by nvcosim build: NVDLA's ports around another top module.",
             f"module {MODULE} ("]
    lines += [f"    {way:6} logic {bits:16} {name}{',' if i < len(ports) - 1 else ''}"
              for i, (way, bits, name) in enumerate(ports)]
    lines.append(");")
    if adapter.bus != "csb":
        lines += [f"    wire {bits:16} {name};" for name, bits in BUSES[adapter.bus]]
        csb = ["        .clk_i (dla_csb_clk),", "        .rst_ni(dla_reset_rstn),"]
        csb += [f"        .{name}_{way[0]}({name})," for way, _, name in _CSB]
        csb += [f"        .{name}_{'i' if name in _BUS_INPUTS else 'o'}({name}),"
                for name, _ in BUSES[adapter.bus]]
        lines += [f"    csb_{adapter.bus} u_bus (", *csb[:-1], csb[-1].rstrip(","), "    );"]
    pins = [f"        .{port}({value})," for port, value in adapter.connections.items()]
    lines += [f"    {adapter.wrapper} u_nvdla (", *pins[:-1], pins[-1].rstrip(","), "    );"]
    return "\n".join([*lines, "endmodule", ""])


def has_second_memory(config: str) -> bool:
    """The configuration has a port of a second memory."""
    return configurations.row(config)["secondary_memory"] == "1"


def _title(wrapper: str, bus: str, rtl_list: str, pins: dict[str, str]) -> str:
    """The first line of the list: what `nvcosim info --build` shows of the RTL."""
    with open(rtl_list, encoding="utf-8", errors="surrogateescape") as file:
        first = file.readline().rstrip("\n")
    values = "".join(f" {name}={value}" for name, value in pins.items())
    return (f"// adapter ({bus}) of {wrapper}{values}, "
            f"{first[3:] if ' below ' in first else rtl_list}")


def write(adapter_list: pathlib.Path, rtl_list: str, wrapper: str, bus: str, config: str,
          map_path: str | None, pins: dict[str, str]) -> Adapter:
    """Writes a list with the RTL of another list and an adapter around its module `wrapper`; the
    adapter's source is beside it. Failure: connect()'s, and a wrapper that is not in the list."""
    paths = [entry.path for entry in filelist.read(rtl_list)]
    texts = (pathlib.Path(path).read_text(encoding="latin-1") for path in paths)
    text = next((t for t in texts if re.search(rf"^\s*module\s+{wrapper}\b", t, re.MULTILINE)), "")
    sram = has_second_memory(config)
    found = connect(wrapper, header_ports(text, wrapper), bus, sram, map_path, pins)
    source = adapter_list.with_suffix(".sv")
    tree.write(source, text_of(found, sram).encode())
    lines = [_title(wrapper, bus, rtl_list, pins)]
    if found.gates_stay() and not any(path.endswith("/NV_NVDLA_mcif.v") for path in paths):
        # Branch master, which has that file, needs its gates: without, its CSB FIFOs do not work.
        lines.append("+define+VLIB_BYPASS_POWER_CG")
    lines.append(f"-F {rtl_list}")
    if bus != "csb":
        lines.append(f"{sources()}/tb/adapters/csb_{bus}.sv")
    tree.write(adapter_list, "".join(f"{line}\n" for line in [*lines, str(source)]).encode())
    return found
