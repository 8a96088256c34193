"""nvcosim sweep: estimates of networks over configurations and memories, in one table, with the
size of the RTL where it is known; chosen points are also measured on the RTL."""
import collections
import dataclasses
import glob
import json
import pathlib
import subprocess
import sys
import tempfile
import types
import typing

from nvcosim import configurations, sizes
from nvcosim.options import Parser, number, text
from nvcosim.pages import sweep as pages
from nvcosim.pages.sweep import Point
from nvcosim.tool import EXIT_OK, Failure, program

DOC = ("Estimates networks or traces on every configuration with every memory, and prints one "
       "table. Points that --measure names are played on the RTL as well, and show the error of "
       "the estimate. Sizes of the RTL that are known are shown, too.")
AFTER = """\
Examples:
  nvcosim sweep --memory latency=32 --memory ddr4-2400 net.nvdla
  nvcosim sweep --config small --config small,macs=256,cbuf=256K --html sweep.html net.tflite
  nvcosim sweep --measure 1 net.nvdla

docs/estimate.md explains the columns."""
_NETWORKS = (".nvdla", ".tflite", ".onnx")
# By the limit of a layer, or by the cause of late reads: a key of a configuration with changes, or
# something of the network.
_HELPS = {"MACs": "macs", "fill": "channels", "load": "positions", "unit": "pdp", "SDP": "sdp",
          "writes": "port", "bandwidth": "port", "latency": "latency"}


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
    try:
        configurations.read(point.config)
    except Failure as failure:
        raise Failure(f"--measure: {point.config} has no RTL: {failure}") from None
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


# ---- sizes


def _add_sizes(points: list[Point], make: bool) -> None:
    """Of the configurations that an RTL exists for; make: maps those that are not known."""
    for config in dict.fromkeys(point.config for point in points):
        try:
            name = configurations.read(config)["name"]
        except Failure as failure:
            if make:
                print(f"nvcosim sweep: no size of {config}, which has no RTL: {failure}",
                      file=sys.stderr)
            continue
        size = sizes.make(name) if make else sizes.kept(name)
        for point in points:
            if point.config == config:
                point.size = size


# ---- results


def _print_table(points: list[Point]) -> None:
    sized = any(p.size for p in points)
    head = f"{'LUTs':>9} {'FFs':>9} {'BRAMs':>6} {'DSPs':>5} " if sized else ""
    print(f"{'':4}  {'network':28} {'configuration':28} {'memory':24} {'clocks':>12} "
          f"{'frames/s':>9} {'MAC %':>6} {'MB/frame':>9} {'limit':14} {'would help':10} {head}"
          f"{'measured':>12} {'error %':>8}")
    for place, p in enumerate(points, 1):
        line = (f"{place:4}  {p.network.rpartition('/')[2]:28} {p.config:28} {p.memory:24} "
                f"{p.clocks:12.0f} {p.frames:9.2f} {p.use:6.1f} {(p.read + p.written) / 1e6:9.3f} "
                f"{p.limit:8} {p.share:4.0f}% {p.helps:10}")
        if p.size:
            line += (f" {p.size.luts:9} {p.size.flip_flops:9} {p.size.block_rams:6} "
                     f"{p.size.dsps:5}")
        elif sized:
            line += " " * 33
        print((line + (f" {p.measured:13.0f} {p.error:8.1f}" if p.measured else "")).rstrip())


def _csv(points: list[Point]) -> str:
    lines = ["point,network,config,memory,mhz,clocks,frames_per_second,mac_percent,macs,bytes_read,"
             "bytes_written,limit,would_help,limit_percent,measured_clocks,error_percent,luts,"
             "flip_flops,block_rams,dsps"]
    for place, p in enumerate(points, 1):
        names = ",".join('"' + name.replace('"', '""') + '"'
                         for name in (p.network, p.config, p.memory))
        measured = f"{p.measured:.0f},{p.error:.2f}" if p.measured else ","
        size = ",".join(map(str, dataclasses.astuple(p.size))) if p.size else ",,,"
        lines.append(f"{place},{names},{p.mhz:.3f},{p.clocks:.0f},{p.frames:.4f},{p.use:.2f},"
                     f"{p.macs},{p.read},{p.written},{p.limit},{p.helps},{p.share:.1f},"
                     f"{measured},{size}")
    return "\n".join(lines) + "\n"


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
    parser.add("size", help="Map configurations whose size is not known to Xilinx 7, as `make "
                            "synth` does: minutes each, once")
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
    _add_sizes(points, given.size)
    _measure_all(points, given.measure)
    _print_table(points)
    for path, make in ((given.csv, _csv), (given.html, pages.page)):
        if path:
            try:
                pathlib.Path(path).write_text(make(points), encoding="utf-8",
                                              errors="surrogateescape")
            except OSError:
                raise Failure(f"{path}: cannot be written") from None
    return EXIT_OK
