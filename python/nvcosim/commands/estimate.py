"""nvcosim estimate: the tables and the picture of what `nvcosim estimate --json` says.
csrc/cli/estimate.c explains and checks the options, and prints the head of CSV."""
import json
import subprocess
import types
import typing

from nvcosim import tool
from nvcosim.options import Parser
from nvcosim.roofline import picture
from nvcosim.text import plural, shown
from nvcosim.tool import Failure

Json: typing.TypeAlias = dict[str, typing.Any]


def _options(argv: list[str]) -> types.SimpleNamespace:
    parser = Parser("estimate", "TRACE|NET...", doc="")
    for name in ("config", "memory", "latency", "bandwidth", "traffic", "mhz", "laws"):
        parser.add(name, arg="TEXT", dest="passed", repeat=True, passed=True)
    for name in ("no-golden", "plan"):
        parser.add(name, dest="passed", repeat=True, passed=True)
    for name in ("csv", "json"):
        parser.add(name)
    parser.add("roofline", arg="FILE")
    return parser.parse(argv)


def _csv(estimate: Json, path: str) -> None:
    for layer in estimate["layers"]:
        print(f'"{path}","{estimate["config"]}","{estimate["memory"]["name"]}",{layer["unit"]},'
              f'{layer["launch"]},{layer["engine"]},{layer["start"]:.0f},{layer["end"]:.0f},'
              f'{layer["clocks"]:.0f},{layer["limit"]},{layer["by"] or ""},{layer["macs"]},'
              f'{layer["mac_percent"]:.1f},{layer["bytes_read"]},{layer["bytes_written"]}')


def _table(estimate: Json, path: str) -> None:
    print(f"{path} ({estimate['config']}, {estimate['memory']['name']})\n"
          "  layer     engine       clocks  limit    by         MAC %   bytes read      written")
    for layer in estimate["layers"]:
        print(f"  {layer['unit']} #{layer['launch']:<4} {layer['engine']:5} "
              f"{layer['clocks']:12.0f}  {layer['limit']:8} {layer['by'] or '':9} "
              f"{layer['mac_percent']:6.1f} {layer['bytes_read']:12} {layer['bytes_written']:12}")
    print(f"  {plural(len(estimate['layers']), 'layer')}: {estimate['clocks']:.0f} clocks, "
          f"{estimate['mac_percent']:.1f} % of the MAC array, "
          f"{estimate['frames_per_second']:.2f} frames a second at {estimate['mhz']:.0f} MHz")


def _draw(estimate: Json, path: str, target: str, limits: list[float]) -> None:
    if not estimate["macs"]:
        raise Failure(f"{shown(path)}: has no convolution, so it has no roofline")
    title = f"{path} on {estimate['config']}, {estimate['memory']['name']}"
    try:
        with open(target, "w", encoding="utf-8") as file:
            file.write(picture(title, estimate, *limits))
    except OSError:
        raise Failure(f"{shown(target)}: cannot be written") from None


def main(argv: list[str]) -> int:
    """Returns the exit status."""
    given = _options(argv)
    memories = sum(word.startswith("--memory=") for word in given.passed) or 1
    words = [tool.program(), "estimate", "--json", "--limits", *given.passed, "--", *given.words]
    with subprocess.Popen(words, stdout=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdout
        for number, line in enumerate(process.stdout):
            if number % 2 == 0:
                limits = json.loads(line)
                continue
            estimate, path = json.loads(line), given.words[number // 2 // memories]
            if given.json:
                print(line, end="")
            elif "error" not in estimate:
                (_csv if given.csv else _table)(estimate, path)
            if given.roofline and number == 1 and "error" not in estimate:
                _draw(estimate, path, given.roofline, limits)
    return tool.shell_status(process.returncode)
