"""Sizes of a configuration's RTL on Xilinx 7: the engines as `make synth` counts them, kept in the
build folder until the RTL, the values of the configuration or the way they are mapped change."""
import dataclasses
import glob
import hashlib
import json
import os
import re
import subprocess
import sys
import typing

from nvcosim import configurations, tool
from nvcosim.progress import Progress
from nvcosim.tool import Failure

# Minutes to map an engine of configuration small, for the estimate: most depend little
# on the number of multipliers.
_MINUTES = {"cdma": 1.0, "cbuf": 0.5, "csc": 0.7, "cmac": 0.3, "cacc": 0.4, "sdp": 1.2, "pdp": 1.0,
            "cdp": 1.0, "bdma": 0.3, "rubik": 0.3, "mif": 0.3, "csb": 0.2, "glb": 0.2}
_ROW = re.compile(r"\| `nvdla_(\w+)` \| xilinx7, [^|]+ \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| "
                  r"([\d,]+) \|")


@dataclasses.dataclass(frozen=True)
class Size:
    """Sums over the engines: 6-input look-up tables, flip-flops, block RAMs of 36 Kbit, DSPs."""
    luts: int
    flip_flops: int
    block_rams: int
    dsps: int


def _files() -> list[str]:
    root = tool.sources()
    return sorted(glob.glob(f"{root}/rtl/**/*.sv*", recursive=True)) + [
        f"{root}/rtl/nvdla.f", *sorted(glob.glob(f"{root}/scripts/synth.*")),
        f"{root}/scripts/yosys/package-lock.json", f"{root}/scripts/gen_tables.py",
        f"{root}/scripts/tables.py",
        f"{root}/csrc/nvdla/registers.csv"]


def _digest(config: str) -> str:
    found = hashlib.sha256(json.dumps(sorted(configurations.row(config).items())).encode())
    for path in _files():
        with open(path, "rb") as file:
            found.update(hashlib.sha256(file.read()).digest())
    return found.hexdigest()


def _path(config: str) -> str:
    return f"{tool.build_folder()}/sizes/{config}.json"


def _read(config: str) -> dict[str, list[int]]:
    """Sizes of the engines that are known, by engine."""
    try:
        with open(_path(config), encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError):
        return {}
    return typing.cast(dict[str, list[int]],
                       found["engines"] if found["digest"] == _digest(config) else {})


def _engines(config: str) -> list[str]:
    row = configurations.row(config)
    return [engine for engine in _MINUTES
            if "0" not in (row.get(engine), row.get(f"{engine}_throughput"))]


def kept(config: str) -> Size | None:
    """The size of a configuration by its name, if it is known."""
    known = _read(config)
    if not set(_engines(config)) <= set(known):
        return None
    return Size(*map(sum, zip(*(known[engine] for engine in _engines(config)))))


def _map(config: str, engine: str) -> list[int]:
    """Maps an engine: minutes. Failure."""
    words = ["scripts/synth.sh", tool.build_folder(), config, f"nvdla_{engine}"]
    done = subprocess.run(words, cwd=tool.sources(), capture_output=True, text=True, check=False,
                          errors="surrogateescape", env={**os.environ, "TARGETS": "xilinx7"})
    found = _ROW.search(done.stdout)
    if done.returncode or not found or found[1] != engine:
        said = (done.stderr.strip() or done.stdout.strip() or "it printed nothing").splitlines()
        raise Failure(f"--size: {' '.join(words)} ended with {done.returncode}: {said[-1]}")
    return [int(number.replace(",", "")) for number in found.groups()[1:]]


def make(config: str) -> Size:
    """The size of a configuration by its name; maps the engines that are not known yet, and keeps
    each. Says on stderr what it does. Failure."""
    if not os.path.exists(f"{tool.sources()}/scripts/synth.sh"):
        raise Failure(f"--size: {tool.sources()} has no scripts/synth.sh; sizes need a checkout")
    known, progress = _read(config), Progress()
    missing = [engine for engine in _engines(config) if engine not in known]
    for place, engine in enumerate(missing):
        minutes = sum(_MINUTES[one] for one in missing[place:])
        if place:
            total = sum(_MINUTES[one] for one in missing)
            minutes *= progress.seconds / 60 / (total - minutes)
        print(f"mapping {config} to Xilinx 7: {engine}, {place + 1} of {len(missing)}, about "
              f"{max(1, round(minutes))} min left", file=sys.stderr, flush=True)
        known[engine] = _map(config, engine)
        os.makedirs(os.path.dirname(_path(config)), exist_ok=True)
        with open(f"{_path(config)}.new", "w", encoding="utf-8") as file:
            json.dump({"digest": _digest(config), "engines": known}, file)
        os.replace(f"{_path(config)}.new", _path(config))
    size = kept(config)
    assert size
    return size
