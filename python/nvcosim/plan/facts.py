"""What a plan needs to know of the C program: its configurations, the engines of random layers, the
options of `nvcosim run`, whether options go together, which configuration a trace is for."""
import dataclasses
import functools
import json
import typing

from nvcosim import tool
from nvcosim.plan.tree import Place
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


@dataclasses.dataclass
class Configuration:
    map: str  # name of its registers: traces fit all configurations of one
    generators: list[str]  # engines of random layers


@dataclasses.dataclass
class Option:
    argument: str | None
    hidden: bool
    duts: list[str]  # devices that it matters for


@functools.cache
def _facts() -> typing.Any:
    return tool.run_json("info", "--json", "--brief")


@functools.cache
def configurations() -> dict[str, Configuration]:
    """By name."""
    return {row["name"]: Configuration(row["map"], row["generators"])
            for row in _facts()["configurations"]}


@functools.cache
def _options() -> dict[str, Option]:
    return {row["name"]: Option(row["argument"], row["hidden"], row["duts"])
            for row in _facts()["options"]}


# ---- engines of random layers

@functools.cache
def all_engines() -> list[str]:
    return max((c.generators for c in configurations().values()), key=len)


def engines(text: str) -> list[str]:
    """Of a list with commas, or mix, in their order; [] if one is unknown or there twice."""
    words = all_engines() if text == "mix" else text.split(",")
    good = set(words) <= set(all_engines()) and len(set(words)) == len(words)
    return [engine for engine in all_engines() if engine in words] if good else []


def engines_name(names: list[str]) -> str:
    """In a file name: commas become '-', mix for all."""
    return "mix" if names == all_engines() else "-".join(names)


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
        names = [name for name, option in _options().items() if not option.hidden]
        return f"found --{name}, which is not an option of nvcosim run{guess(name, names)}"
    if name in _INSTEAD:
        return f"found --{name}, which regress sets itself: {_INSTEAD[name]}"
    if option.argument and not rest.startswith("="):
        return f"found '{word}', expected --{name}={option.argument}"
    if not option.argument and rest:
        return f"found '{word}', expected --{name}, which takes no value"
    return None


def applies(word: str, dut: str) -> bool:
    """Whether an option, which is allowed, matters for that argument of --dut."""
    return (dut if dut in ("model", "rtl") else "both") in _options()[word[2:].split("=")[0]].duts


@dataclasses.dataclass
class Together:
    """Options for one device that have to go together. places: of the first ones of the words;
    otherwise: the place that a message about another one names."""
    words: list[str]
    places: list[Place]
    otherwise: Place
    what: str


def first_wrong(checks: list[Together]) -> tuple[Place, str] | None:
    """Place and message of the first that do not go together; one call for all."""
    lines = list(dict.fromkeys(json.dumps(check.words) for check in checks))
    if not lines:
        return None
    answers = tool.run("run", "--check-options", "-", stdin="\n".join(lines) + "\n").splitlines()
    errors = {line: json.loads(answer).get("error") for line, answer in zip(lines, answers)}
    for check in checks:
        message = errors[json.dumps(check.words)]
        if message:
            about = message.replace("=", ":").replace(" ", ":").split(":")[0]
            culprits = [i for i, word in enumerate(check.words[1:]) if word.split("=")[0] == about]
            index = culprits[-1] if culprits else 0
            place = check.places[index] if index < len(check.places) else check.otherwise
            return place, f"{check.what}: {message}"
    return None


# ---- traces

@dataclasses.dataclass
class Trace:
    name: str
    config: str
    named: bool  # the trace says itself which configuration it was made for
    error: str | None


def traces(paths: list[str]) -> dict[str, Trace]:
    """What the traces are, by path; in few calls."""
    found = []
    for i in range(0, len(paths), 2000):  # a command line has 2 MB
        found += tool.run("info", "--json", "--brief", *paths[i:i + 2000]).splitlines()
    rows = map(json.loads, found)
    return {path: Trace(row["name"], row["config"], row["named"], row.get("error"))
            for path, row in zip(paths, rows)}
