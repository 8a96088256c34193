"""nvcosim sweep: estimates of networks over configurations and memories, in one table; chosen
points are also measured on the RTL."""
import collections
import dataclasses
import glob
import html
import json
import pathlib
import subprocess
import tempfile
import types
import typing

from nvcosim.options import Parser, number, text
from nvcosim.text import shown
from nvcosim.tool import EXIT_OK, Failure, program

DOC = ("Estimates networks or traces on every configuration with every memory, and prints one "
       "table. Points that --measure names are played on the RTL as well, and show the error of "
       "the estimate.")
AFTER = """\
Examples:
  nvcosim sweep --memory latency=32 --memory ddr4-2400 net.nvdla
  nvcosim sweep --config small --config small,macs=256,cbuf=256K --html sweep.html net.tflite
  nvcosim sweep --measure 1 net.nvdla

docs/estimate.md explains the columns."""
_NETWORKS = (".nvdla", ".tflite", ".onnx")
_BAR = 420  # pixels of the longest bar
_STYLE = """\
td, th { padding: .2em .7em; border-bottom: 1px solid var(--line); text-align: left; }
td.n, th.n { text-align: right; }
.bar { display: inline-block; height: .8em; background: var(--busy); vertical-align: middle; }
"""
_HEADER = (" ", "network", "configuration", "memory", " clocks", " frames a second", " MAC %",
           " moved a frame", "limit", "would help", " measured",
           " error %")  # with a blank: of numbers
# By the limit of a layer, or by the cause of late reads: a key of a configuration with changes, or
# something of the network.
_HELPS = {"MACs": "macs", "fill": "channels", "load": "positions", "unit": "pdp", "SDP": "sdp",
          "writes": "port", "bandwidth": "port", "latency": "latency"}


@dataclasses.dataclass
class Point:
    """config: as it was given, or that of the network. played: options of nvcosim run for that
    memory, None: the RTL cannot have it. use: of the MAC array, per cent. limit, helps: what limits
    the layers with most of the clocks, and would shorten them; share: theirs, in per cent.
    measured: clocks of the RTL, 0: none."""
    network: str
    config: str
    memory: str
    played: list[str] | None
    mhz: float
    clocks: float
    use: float
    macs: int
    read: int
    written: int
    limit: str
    helps: str
    share: float
    measured: float = 0

    @property
    def frames(self) -> float:
        """A second."""
        return self.mhz * 1e6 / self.clocks if self.clocks > 0 else 0

    @property
    def error(self) -> float:
        """Of the estimate, per cent."""
        return 100 * (self.clocks / self.measured - 1)


def _options_of(memory: dict[str, typing.Any]) -> list[str] | None:
    if memory["dram"]:
        return [f"--memory={memory['name']}"]
    if "gbs" in memory or "reads" in memory:
        return None
    return [f"--latency={memory['latency']:.0f}", f"--bandwidth={memory['bandwidth']:.0f}"]


def _point(network: str, config: str | None, found: dict[str, typing.Any]) -> Point:
    """Of a line of `nvcosim estimate --json`."""
    clocks: collections.Counter[tuple[str, str]] = collections.Counter()
    for layer in found["layers"]:
        limit = layer["limit"]
        clocks[limit, _HELPS.get(limit) or _HELPS[layer["by"]]] += layer["clocks"]
    (limit, helps), most = max(clocks.items(), key=lambda item: item[1],
                               default=(("MACs", "macs"), 0))
    return Point(network, config or found["config"], found["memory"]["name"],
                 _options_of(found["memory"]), found["mhz"], found["clocks"], found["mac_percent"],
                 found["macs"], found["bytes_read"], found["bytes_written"], limit, helps,
                 100 * most / sum(clocks.values()) if most else 0)


def _estimate(given: types.SimpleNamespace, network: str,
              config: str | None) -> typing.Iterator[Point]:
    """All memories of a network on a configuration; None: on its own."""
    words = [program(), "estimate", "--json"]
    words += [f"--memory={name}" for name in given.memories or ["latency=32"]]
    words += [f"--{name}={value}" for name, value in (
        ("config", config), ("mhz", given.mhz), ("laws", given.laws)) if value is not None]
    words += ["--plan"] if given.plan else []
    done = subprocess.run([*words, "--", network], capture_output=True, check=False,
                          encoding="utf-8", errors="surrogateescape")
    for line in done.stdout.splitlines():
        found = json.loads(line)
        if "error" in found:
            raise Failure(f"{config or found['config']}, {found['memory']['name']}: "
                          f"{found['error']}")
        yield _point(network, config, found)
    if done.returncode:
        raise Failure(done.stderr.strip().rpartition("nvcosim estimate: ")[2])


# ---- measurements


def _measure(point: Point) -> None:
    """Plays a point on the RTL: clocks from the first start to the last end of its layers."""
    if "," in point.config:
        raise Failure(f"--measure: {point.config} has no RTL")
    if point.played is None:
        raise Failure(f"--measure: {point.memory}: expected latency=N, bandwidth=PERMILLE or a "
                      "DRAM, which the RTL can have")
    with tempfile.TemporaryDirectory(prefix="nvcosim-sweep-") as folder:
        words = [program(), "run", "--dut=rtl", "--html", f"--out={folder}",
                 f"--config={point.config}", *point.played]
        words += ["--input=zero"] if point.network.endswith(_NETWORKS) else []
        done = subprocess.run([*words, "--", point.network], stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.STDOUT, check=False, errors="surrogateescape")
        for report in glob.glob(f"{glob.escape(folder)}/*/report.json"):
            layers = json.loads(pathlib.Path(report).read_text(encoding="utf-8"))["layers"]
            if layers:
                point.measured = max(layer["end"] for layer in layers) - \
                    min(layer["start"] for layer in layers)
    if point.measured <= 0:
        last = (done.stdout.strip().splitlines() or [""])[-1]
        raise Failure(f"--measure: {point.network} on {point.config}, {point.memory}: nvcosim run "
                      f"ended with {done.returncode}: {last}")


def _measure_all(points: list[Point], chosen: list[str]) -> None:
    for given in chosen:
        place = int(given) if given.isascii() and given.isdigit() else 0
        if given != "all" and not 1 <= place <= len(points):
            raise Failure(f"--measure: found '{given}', expected a point from 1 to {len(points)}, "
                          "or all")
        for point in points if given == "all" else [points[place - 1]]:
            _measure(point)


# ---- results


def _print_table(points: list[Point]) -> None:
    print(f"{'':4}  {'network':28} {'configuration':28} {'memory':24} {'clocks':>12} "
          f"{'frames/s':>9} {'MAC %':>6} {'MB/frame':>9} {'limit':14} {'would help':10} "
          f"{'measured':>12} {'error %':>8}")
    for place, p in enumerate(points, 1):
        line = (f"{place:4}  {p.network.rpartition('/')[2]:28} {p.config:28} {p.memory:24} "
                f"{p.clocks:12.0f} {p.frames:9.2f} {p.use:6.1f} {(p.read + p.written) / 1e6:9.3f} "
                f"{p.limit:8} {p.share:4.0f}% {p.helps:10}")
        print((line + (f" {p.measured:13.0f} {p.error:8.1f}" if p.measured else "")).rstrip())


def _csv(points: list[Point]) -> str:
    lines = ["point,network,config,memory,mhz,clocks,frames_per_second,mac_percent,macs,bytes_read,"
             "bytes_written,limit,would_help,limit_percent,measured_clocks,error_percent"]
    for place, p in enumerate(points, 1):
        names = ",".join('"' + name.replace('"', '""') + '"'
                         for name in (p.network, p.config, p.memory))
        measured = f"{p.measured:.0f},{p.error:.2f}" if p.measured else ","
        lines.append(f"{place},{names},{p.mhz:.3f},{p.clocks:.0f},{p.frames:.4f},{p.use:.2f},"
                     f"{p.macs},{p.read},{p.written},{p.limit},{p.helps},{p.share:.1f},"
                     f"{measured}")
    return "\n".join(lines) + "\n"


def _cells(tag: str, *cells: str) -> str:
    """Those that begin with a blank are numbers."""
    return "".join((f'<{tag} class="n">' if cell.startswith(" ") else f"<{tag}>")
                   + f"{html.escape(shown(cell.strip()))}</{tag}>" for cell in cells)


def _moved(size: float) -> str:
    units = iter(("B", "KB", "MB", "GB", "TB"))
    unit = next(units)
    while size >= 10000:
        size, unit = size / 1000, next(units)
    return f" {size:.{0 if unit == 'B' else 1}f} {unit}"


def _page(points: list[Point]) -> str:
    """A table, and frames a second as bars, by network."""
    pages = pathlib.Path(__file__).parents[1] / "pages"
    css, script = (pages.joinpath(name).read_text("utf-8") for name in ("base.css", "base.js"))
    rows = "".join("<tr>" + _cells(
        "td", f" {place}", p.network, p.config, p.memory, f" {p.clocks:,.0f}", f" {p.frames:.2f}",
        f" {p.use:.1f}", _moved(p.read + p.written), f"{p.limit}, {p.share:.0f} %", p.helps,
        f" {p.measured:,.0f}" if p.measured else "", f" {p.error:+.1f}" if p.measured else "")
        + "</tr>\n" for place, p in enumerate(points, 1))
    bars = ""
    for network in dict.fromkeys(p.network for p in points):
        some = [p for p in points if p.network == network]
        most = max(p.frames for p in some) or 1
        bars += f"<h3>{html.escape(shown(network))}</h3>\n<table>\n" + "".join(
            f"<tr>{_cells('td', p.config, p.memory)}<td><span class=\"bar\" style=\"width:"
            f"{_BAR * p.frames / most:.0f}px\"></span> {p.frames:.2f}</td></tr>\n"
            for p in some) + "</table>\n"
    return (f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f"<title>Sweep</title>\n<style>\n{css}{_STYLE}</style>\n</head>\n<body>\n"
            '<button id="theme" type="button" hidden>light / dark</button>\n<h1>Sweep</h1>\n'
            '<section><h2>Points</h2>\n<p class="about">Estimated clocks, and '
            "those of the RTL where they were measured.</p>\n<table>\n"
            f"<tr>{_cells('th', *_HEADER)}</tr>\n{rows}</table>\n</section>\n"
            f"<section><h2>Frames a second</h2>\n{bars}</section>\n<script>\n{script}"
            "</script>\n</body>\n</html>\n")


# ---- the command


def _parser() -> Parser:
    parser = Parser("sweep", "NET|TRACE...", doc=DOC, after=AFTER)
    parser.add("config", arg="NAME[,...]", repeat=True, dest="configs",
               help="Configuration, as for `nvcosim estimate`; may be repeated (default: that of "
                    "each network)")
    parser.add("memory", arg="MEMORY", repeat=True, dest="memories",
               help="Memory, as for `nvcosim estimate`; may be repeated (default latency=32)")
    parser.add("measure", arg="N|all", repeat=True,
               help="Also play this point of the table on the RTL; may be repeated")
    parser.add("mhz", arg="N", kind=number(1, 10000),
               help="Clock of NVDLA, for frames a second (default: core_mhz of the memory, else "
                    "1000)")
    parser.add("plan", help="Plan quantised networks from their sizes alone, as for `nvcosim "
                            "estimate`")
    parser.add("laws", arg="FILE", kind=text("the name of a file"),
               help="Laws of another RTL, as scripts/fit.py writes them")
    parser.add("csv", arg="FILE", kind=text("the name of a file"), help="Write the table as CSV")
    parser.add("html", arg="FILE", kind=text("the name of a file"),
               help="Write the table as a page")
    return parser


def main(argv: list[str]) -> int:
    """Estimates and measures all points, prints the table, writes the files. Returns the exit
    status."""
    parser = _parser()
    given = parser.parse(argv)
    if not given.words:
        parser.error("no network is given; expected networks or traces")
    points = [point for network in given.words for config in given.configs or [None]
              for point in _estimate(given, network, config)]
    _measure_all(points, given.measure)
    _print_table(points)
    for path, make in ((given.csv, _csv), (given.html, _page)):
        if path:
            try:
                pathlib.Path(path).write_text(make(points), encoding="utf-8",
                                              errors="surrogateescape")
            except OSError:
                raise Failure(f"{path}: cannot be written") from None
    return EXIT_OK
