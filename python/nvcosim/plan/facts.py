"""What a plan needs to know of the C program: its configurations, the engines of random layers, the
options of `nvcosim run`, whether options go together, which configuration a trace is for."""
import functools
import json
import re
import typing

from nvcosim import configurations as by_values, tool
from nvcosim.plan.tree import Node
from nvcosim.text import guess

_TRIAGE, _WAVES = "use the key triage of the plan", "failures that triage looks at have waves"
_KEPT = "regress keeps the results itself"
_LINES = "`make coverage` counts lines; regress keeps which kinds of layers ran"
_INSTEAD = {  # options that a plan gives in another way, or that regress sets
    "config": "use the key config of the item",
    "dut": "use the key dut of the item",
    "seed": "use the keys seed and reseed of the item",
    "max-seconds": "use the key seconds of limits",
    "max-cycles": "use the key cycles of limits",
    "out": "reports go to the folder of the night",
    "name": "reports are named by the test",
    "results": _KEPT, "result-fd": _KEPT,
    "progress": "regress asks for it itself",
    "jobs": "use the key jobs of the plan",
    "quiet": "regress prints what does not pass",
    "verbose": "findings are in the report of the test",
    "debug": _TRIAGE, "copies": _TRIAGE,
    "wave": _WAVES, "wave-from": _WAVES, "wave-to": _WAVES, "wave-layer": _WAVES,
    "wave-scope": _WAVES, "wave-plain": _WAVES,
    "timeline": "one run writes it: nvcosim run --timeline",
    "saif": "one run writes it: nvcosim run --saif",
    "coverage": _LINES, "coverage-kind": _LINES,
}


@functools.cache
def _facts() -> typing.Any:
    return tool.run_json("info", "--json", "--brief")


@functools.cache
def configurations() -> dict[str, typing.Any]:
    """By name. "map": of registers; traces fit all configurations of one. "generators": the engines
    of random layers."""
    return {row["name"]: row for row in _facts()["configurations"]}


def configuration(name: str) -> typing.Any:
    """The row of a name, or of a configuration by values. Failure."""
    return configurations().get(name) or by_values.read(name)


def drawn(text: str) -> int:
    """N of "random N": so many configurations are drawn from the night's seed; 0: another text."""
    found = re.fullmatch("random ([1-9][0-9]?)", text)
    return int(found[1]) if found else 0


@functools.cache
def drawn_configuration(seed: int) -> str:
    """The name of a legal configuration by values."""
    return str(tool.run_json("info", "--json", "--brief", "--draw", str(seed))
               ["configurations"][-1]["name"])


@functools.cache
def _options() -> dict[str, typing.Any]:
    return {row["name"]: row for row in _facts()["options"]}


# ---- engines of random layers

_CORNERS = ",corners"  # layers are aimed at corners of values


@functools.cache
def all_engines() -> list[str]:
    return max((row["generators"] for row in configurations().values()), key=len)


def engines(text: str) -> list[str]:
    """Of a list with commas, or mix, then perhaps ",corners", in their order; [] if one is unknown
    or there twice."""
    text = text.removesuffix(_CORNERS)
    words = all_engines() if text == "mix" else text.split(",")
    good = set(words) <= set(all_engines()) and len(set(words)) == len(words)
    return [engine for engine in all_engines() if engine in words] if good else []


def engines_name(names: list[str]) -> str:
    """In a file name: commas become '-', mix for all."""
    return "mix" if names == all_engines() else "-".join(names)


def generator_name(text: str) -> str:
    """The same of a good list with commas."""
    return engines_name(engines(text)) + ("-corners" if text.endswith(_CORNERS) else "")


@functools.cache
def variations(config: str, generator: str, seed: int, vary: tuple[str, ...]) -> list[str]:
    """The legal combinations of settings of a layer: "w=1,s=2". Failure: there is none."""
    return tool.run("gen", "-q", "--list", f"--config={config}", f"--engine={generator}",
                    f"--seed={seed}", *(f"--vary={word}" for word in vary)).split()


# ---- options of nvcosim run

def why_not(word: str) -> str | None:
    """Why the word is no option that a plan may give; None: it is one."""
    if not word.startswith("--") or word == "--":
        return (f"found '{word}', expected an option of nvcosim run in its long form, such as "
                "--strict or --latency=200")
    name = word[2:].split(" ")[0].split("=")[0]
    rest = word[2 + len(name):]
    option = _options().get(name)
    if not option:
        names = [name for name, option in _options().items() if not option["hidden"]]
        return f"found --{name}, which is not an option of nvcosim run{guess(name, names)}"
    if name in _INSTEAD:
        return f"found --{name}, which regress sets itself: {_INSTEAD[name]}"
    if option["argument"] and not rest.startswith("="):
        return f"found '{word}', expected --{name}={option['argument']}"
    if not option["argument"] and rest:
        return f"found '{word}', expected --{name}, which takes no value"
    return None


def applies(word: str, dut: str) -> bool:
    """Whether an option, which is allowed, matters for that argument of --dut."""
    devices = _options()[word[2:].split("=")[0]]["duts"]
    return (dut if dut in ("model", "rtl") else "both") in devices


class Together(typing.NamedTuple):
    """Options for one device that have to go together, with the places that messages name."""
    dut: str
    words: list[Node]
    what: str


def check_together(checks: list[Together]) -> None:
    """Failure: the first that do not go together. One call for all."""
    lines = [json.dumps([f"--dut={check.dut}", *(word.text for word in check.words)])
             for check in checks]
    different = list(dict.fromkeys(lines))
    if not different:
        return
    said = tool.run("run", "--check-options", "-", stdin="\n".join(different) + "\n")
    answers = dict(zip(different, map(json.loads, said.splitlines())))
    for line, check in zip(lines, checks):
        message = answers[line].get("error")
        if message:
            about = re.split("[=: ]", message)[0]
            culprits = [word for word in check.words if word.text.split("=")[0] == about]
            raise (culprits or check.words[:1])[-1].fail(f"{check.what}: {message}")


# ---- traces

class Trace(typing.NamedTuple):
    path: str
    name: str
    config: str
    named: bool  # the trace says itself which configuration it was made for
    error: str | None


def traces(paths: list[str]) -> dict[str, Trace]:
    """What the traces are, by path; in few calls."""
    found: list[Trace] = []
    for i in range(0, len(paths), 2000):  # a command line has 2 MB
        said = tool.run("info", "--json", "--brief", *paths[i:i + 2000]).splitlines()
        found += (Trace(**json.loads(line)) for line in said)
    return dict(zip(paths, found))
