"""One test of a night: a trace, or a random layer, on a configuration and a device under test, with
one memory setting and one seed. Made from a plan (expand.py), kept in the database as JSON."""
import dataclasses
import json
import re
import typing

from nvcosim import text
from nvcosim.plan.seeds import fnv
from nvcosim.tool import Failure

_NAME_MOST = 200  # bytes of a file name that leave room for what is put around it


@dataclasses.dataclass(slots=True)
class Test:
    """The order of the members is that of the JSON; those that are None are left out there."""
    key: str
    """Names the test in every night: ITEM/NAME[,CONFIG][,DUT][@MEMORY][+RESEED]. CONFIG is there
    where it is not the trace's own (of random layers: not small), DUT where it is not "both"
    (rtl:mine is written rtl-mine). Random layers are counted, so that the key stays when the seed
    of the night changes: random/mix-0017."""
    item: str
    trace: str
    """Path, absolute; of a random layer relative to the folder of the night, where it is written.
    Tests that differ in memory, DUT or --seed alone play the same layer, from one file."""
    generator: str | None
    """Of a random layer: engines for `nvcosim gen`, then perhaps ";" and values of settings."""
    layer_seed: int
    config: str
    dut: str  # argument of --dut: "both", "model", "rtl", "rtl:mine"
    memory: str  # name of the memory setting, "" for the default one
    seed: int  # --seed: of everything random while it runs
    options: tuple[str, ...] = ()  # of nvcosim run: those of the memory setting and of the item
    tags: tuple[str, ...] = ()
    max_seconds: float = 0.0  # wall time; 0: no limit
    max_cycles: int = 0  # core clocks; 0: no limit
    max_memory: int = 0  # bytes resident; 0: no limit
    known: str | None = None
    """Why it is known to fail, until that day (YYYY-MM-DD): it does not fail the night."""
    known_until: str | None = None
    expected_seconds: float = -1.0  # wall time by history; negative: not known

    def to_json(self) -> str:
        """One line of JSON, without the line end."""
        return "{" + ",".join(f'"{name}":{_value(getattr(self, name))}' for name in _EXPECTED
                              if getattr(self, name) is not None) + "}"

    @classmethod
    def from_json(cls, line: str) -> "Test":
        """Failure names the member that is wrong."""
        try:
            members = json.loads(line)
            reason = ""
        except ValueError as error:
            members, reason = None, f": {error}"
        if not isinstance(members, dict):
            raise Failure(f"found '{line[:60]}', expected a test as a JSON object{reason}")
        return cls(**{name: _member(name, members) for name in _EXPECTED})

    def trace_path(self, folder: str) -> str:
        """Where the trace is; folder: of the night."""
        return f"{folder}/{self.trace}" if self.generator else self.trace

    def file_name(self) -> str:
        """The key as a name for files; no two keys have the same."""
        item, slash, rest = self.key.partition("/")  # an item has no '.'
        name = "".join(_plain(part) for part in (item, slash and ".", rest))
        if len(name) <= _NAME_MOST:
            return name
        tail = f"~={fnv(self.key):016x}"  # '~' and what is no hex digit: no other looks like that
        return name[:_NAME_MOST - len(tail)] + tail

    def played_options(self) -> list[str]:
        """Options of nvcosim run that say what is played."""
        words = [f"--config={self.config}", f"--dut={self.dut}", f"--seed={self.seed}"]
        words += self.options
        if self.max_cycles:
            words.append(f"--max-cycles={self.max_cycles}")
        if self.max_seconds > 0:  # the option takes whole seconds
            words.append(f"--max-seconds={-int(-self.max_seconds // 1)}")
        return words

    def words(self, folder: str) -> list[str]:
        """Options of nvcosim run that play the test, without the trace: all but the limit of
        memory, which is the launcher's. Reports go to FOLDER/reports."""
        return self.played_options() + [f"--out={folder}/reports", f"--name={self.file_name()}",
                                        "--functional-coverage"]

    def command(self) -> str:
        """What plays it again in any folder, to paste; a random layer is generated
        into the folder "layers" there."""
        words = ["nvcosim run", *map(text.quoted, self.played_options()), text.quoted(self.trace)]
        if not self.generator:
            return " ".join(words)
        engines, _, values = self.generator.partition(";")
        vary = "".join(f" --vary={value}" for value in values.split(",") if value)
        return (f"nvcosim gen -q --config={self.config} --engine={engines} "
                f"--seed={self.layer_seed}{vary} --out=layers && {' '.join(words)}")


_TEXT, _OR_NOTHING = "a text", "a text, or no such member"
_COUNT, _SECONDS = "a whole number from 0", "a number of seconds"
_WORDS = "a list of texts"
_BY_TYPE = {str: _TEXT, str | None: _OR_NOTHING, int: _COUNT, float: _SECONDS,
            tuple[str, ...]: _WORDS}
_EXPECTED = {field.name: _BY_TYPE[typing.cast(typing.Any, field.type)]
             for field in dataclasses.fields(Test)}


def _plain(part: str) -> str:
    """Bytes that are not plain as ~HH."""
    return re.sub(rb"[^a-zA-Z0-9_\-.,@+]", lambda found: b"~%02x" % found.group()[0],
                  part.encode("utf-8", "surrogateescape")).decode()


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _value(value: typing.Any) -> str:
    """JSON as the database has had it from the beginning: 17 digits, \\u001B with capitals."""
    if isinstance(value, float):
        digits = re.sub(r"e\+?(-?)0*", r"e\1", f"{value:.17g}")
        return digits if "." in digits or "e" in digits else digits + ".0"
    line = _encode(value)
    return re.sub(r"\\\\|\\u00..", lambda found: "\\u" + found.group()[2:].upper()
                  if found.group()[1] == "u" else found.group(), line) if "\\" in line else line


def _member(name: str, members: dict[str, typing.Any]) -> typing.Any:
    value, expected = members.get(name), _EXPECTED[name]
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    good = {_TEXT: isinstance(value, str),
            _OR_NOTHING: name not in members or isinstance(value, str),
            _COUNT: number and isinstance(value, int) and value >= 0,
            _SECONDS: number,
            _WORDS: isinstance(value, list) and all(isinstance(word, str) for word in value)}
    if not good[expected]:
        found = json.dumps(value, separators=(",", ":")) if name in members else "nothing"
        raise Failure(f"member {name} of a test: found {found[:100]}, expected {expected}")
    if expected == _SECONDS:
        return float(typing.cast(float, value))
    return tuple(typing.cast(list[str], value)) if expected == _WORDS else value
