"""Parameters of a DRAM (docs/memory.md) as the line of numbers that csrc/dram/config.c takes.

usage: python3 -m nvcosim.dram MEMORY...    NAME[,KEY=VALUE...] of a memory of csrc/dram, or of a
                                            file with a '/' or a '.' in its name: prints a line
                                            for each, or a message with exit status 2"""
import functools
import math
import pathlib
import re
import sys
import typing

from nvcosim import files
from nvcosim.plan.tree import Place, cut
from nvcosim.text import guess, measure, shown, whole
from nvcosim.tool import EXIT_BAD_INPUT, EXIT_OK, Failure, sources

_MOST, _LINK_MOST = 1 << 24, 512
_BYTES = 1 << 14  # of a file; in more of them libyaml's lists could be too deep for its stack
_PARTS, _TEXT = 16, 256  # DRAM_PARTS and DRAM_TEXT of csrc/dram/config.h
_FIELDS = ("row", "rank", "bank", "group", "column", "channel")  # of enum dram_field
_WANTED = "the parameters of a memory (docs/memory.md)"


class _Kind(typing.NamedTuple):
    """read: the value of a text at a clock in kHz, None if it does not fit."""
    expected: str
    read: typing.Callable[[str, int], int | str | None]


def _count(least: int, most: int, what: str = "a number") -> _Kind:
    def read(text: str, _khz: int) -> int | None:
        value = whole(text, most)
        if value is None or value < least or (what != "a number" and value.bit_count() > 1):
            return None
        return value
    return _Kind(f"{what} from {least} to {most}", read)


def _choice(words: str, expected: str = "") -> _Kind:
    known = words.split()
    return _Kind(expected or f"one of: {words}",
                 lambda text, khz: known.index(text) if text in known else None)


def _khz(text: str, _clock: int) -> int | None:
    mhz, unit = measure(text)
    if unit or not 1 <= mhz <= 10000:
        return None
    return int(mhz * 1e3) + (math.modf(mhz * 1e3)[0] >= 0.5)


def _clocks(text: str, khz: int) -> int | None:
    """A whole number of clocks, or a time that is rounded up to clocks."""
    number, unit = measure(text)
    if not unit:
        return whole(text, _MOST)
    value = (number * 1e3 if unit == "us" else number) * khz * 1e-6 - 1e-6
    return math.ceil(value) if number >= 0 and value <= _MOST else None


def _words(text: str, _khz: int) -> str | None:
    return text if len(text.encode(errors="surrogateescape")) < _TEXT else None


_power = functools.partial(_count, what="a power of two")
_MHZ = _Kind("MHz from 1 to 10000", _khz)
_TIME = _Kind("clocks of the memory, or a time as 13.75 ns or 7.8 us", _clocks)
_YES_NO = _choice("no yes", "yes or no")
_WORDS = _Kind(f"a text of less than {_TEXT} characters", _words)

# By section; numbers in the order of struct dram_config.
_SECTIONS: dict[str, dict[str, _Kind]] = {
    "": {"clock_mhz": _MHZ, "core_mhz": _MHZ, "channels": _power(1, 8), "ranks": _power(1, 4),
         "bank_groups": _power(1, 8), "banks": _power(1, 16), "rows": _power(1, _MOST),
         "columns": _power(1, 1 << 16), "width": _power(8, 512), "burst": _power(2, 32),
         "page": _choice("open closed"), "queue": _count(1, 256), "age": _count(1, _MOST),
         "act_clocks": _count(1, 16), "cas_clocks": _count(1, 16), "pre_clocks": _count(1, 16),
         "refresh": _YES_NO, "mapping": _WORDS, "arbiter": _choice("round-robin priority weight"),
         "weight": _count(1, 1000), "priority": _count(0, 1000), "library": _WORDS,
         "library_parameters": _WORDS},
    "timing": dict.fromkeys("tCL tCWL tRCD tRP tRAS tRC tCCD_S tCCD_L tRRD_S tRRD_L tFAW tWTR_S "
                            "tWTR_L tRTP tWR tRTRS tRTW tREFI tRFC".split(), _TIME),
    "interconnect": {"bus_width": _count(0, 4096), "reads": _count(1, _LINK_MOST),
                     "writes": _count(1, _LINK_MOST), "in_flight": _count(1, _LINK_MOST),
                     "latency": _count(0, 1000000), "merge": _YES_NO}}
_KINDS = {key: kind for section in _SECTIONS.values() for key, kind in section.items()}
_DEFAULTS: dict[str, typing.Any] = {
    "core_mhz": 1000000, "page": 0, "queue": 32, "age": 2000, "act_clocks": 1, "cas_clocks": 1,
    "pre_clocks": 1, "refresh": 1, "arbiter": 0, "weight": 1, "priority": 0, "library": "",
    "library_parameters": "", "tRTRS": 2, "tRTW": 0, "bus_width": 0, "reads": _LINK_MOST,
    "writes": _LINK_MOST, "in_flight": 0, "latency": 0, "merge": 1}  # a DRAM needs the others


class _Memory:
    """name: of the memory or the file, for messages."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.values = dict.fromkeys(_KINDS, 0) | _DEFAULTS  # frequencies in kHz
        self.lines: dict[str, int] = {}  # of the parameters that a file gives

    def set(self, key: str, text: str) -> bool:
        self.values[key] = _KINDS[key].read(text, self.values["clock_mhz"])
        return self.values[key] is not None

    # ---- a file ----

    def fail(self, mark: typing.Any, message: str) -> Failure:
        return Place(self.name, mark.line + 1, mark.column + 1).fail(message)

    def read(self, data: bytes) -> None:
        """Takes the only document of a file."""
        import yaml
        if len(data) > _BYTES:
            raise Failure(f"{self.name}: found more than {_BYTES} bytes, expected {_WANTED}")
        try:
            if data[:2] in (b"\xff\xfe", b"\xfe\xff"):  # libyaml would take it for UTF-16
                raise yaml.reader.ReaderError(self.name, 0, data[0], "utf-8", "")
            loader: typing.Any = yaml.CBaseLoader(data)
            self.read_document(loader.get_node() if loader.check_node() else None)
            if loader.check_node():
                raise self.fail(loader.get_node().start_mark,
                                "found a second document, expected one")
        except yaml.reader.ReaderError as error:
            raise Failure(f"{self.name}: byte {error.position}: found "
                          f"0x{error.character & 0xffffffff:02x}, expected text in UTF-8") from None
        except yaml.MarkedYAMLError as error:
            raise self.fail(error.problem_mark, "not YAML: " + ", ".join(
                filter(None, (error.problem, error.context))) + f"; expected {_WANTED}") from None

    def read_document(self, root: typing.Any) -> None:
        if not root or root.id != "mapping":
            raise Failure(f"{self.name}: expected a mapping with {_WANTED}")
        self.read_map(root, "", False)
        self.read_map(root, "", True)
        for key in _KINDS if not self.values["library"] else ["clock_mhz"]:
            if key not in self.lines.keys() | _DEFAULTS.keys():
                section = "timing." if _KINDS[key] is _TIME else ""
                raise Failure(f"{self.name}: the parameter {section}{key} is missing "
                              "(docs/memory.md)")

    def read_map(self, node: typing.Any, section: str, times: bool) -> None:
        """times: only those parameters that need the frequency, or only the others."""
        for key, value in node.value:
            name, mark = _text_of(key), key.start_mark
            if name is None:
                raise self.fail(mark, "found a list or a mapping as a key, expected a word")
            if not section and name in ("timing", "interconnect"):
                if value.id != "mapping":
                    raise self.fail(value.start_mark, f"{name}: found a single value or a list, "
                                    "expected a mapping")
                self.read_map(value, name, times)
            elif name in _SECTIONS[section]:
                if (_KINDS[name] is _TIME) == times:
                    self.read_value(name, mark, value)
            elif section or name not in ("source", "name"):
                raise self.fail(mark, f"found the key '{name}', expected a parameter of a memory "
                                f"(docs/memory.md){guess(name, _KINDS)}")

    def read_value(self, key: str, mark: typing.Any, value: typing.Any) -> None:
        text = _text_of(value)
        shows = "a list, a mapping or a zero character" if text is None else f"'{cut(text, 64)}'"
        if key in self.lines:
            raise self.fail(mark, f"found the key '{key}' again; it is in line {self.lines[key]} "
                            "already")
        self.lines[key] = mark.line + 1
        if text is None or not self.set(key, text):
            raise self.fail(value.start_mark,
                            f"{key}: found {shows}, expected {_KINDS[key].expected}")

    # ---- changes and checks ----

    def change(self, word: str) -> None:
        """Applies KEY=VALUE."""
        key, equal, text = word.partition("=")
        if not equal or key not in _KINDS:
            raise Failure(f"found '{word}', expected KEY=VALUE with a parameter of docs/memory.md")
        if not self.set(key, text):
            raise Failure(f"{key}: found '{text}', expected {_KINDS[key].expected}")

    def check(self) -> None:
        """Of the values together; sets the default of tRTW."""
        v, beats = self.values, self.values["burst"] // 2

        def needs(key: str, what: str, least: int, unit: str = " clocks") -> None:
            if v[key] < least:
                raise Failure(f"{key}: found {v[key]}{unit}, expected at least {what}, {least}")
        needs("columns", "a burst", v["burst"], "")
        # data of the read, two clocks of turning round, data of the write
        v["tRTW"] = v["tRTW"] or v["tCL"] + beats + 2 - min(v["tCWL"], v["tCL"])
        needs("tRC", "tRAS + tRP", v["tRAS"] + v["tRP"])
        needs("tFAW", "tRRD_S", v["tRRD_S"])
        if any(v[key + "_L"] < v[key + "_S"] for key in ("tCCD", "tRRD", "tWTR")):
            raise Failure("tCCD_L, tRRD_L and tWTR_L: expected at least tCCD_S, tRRD_S and tWTR_S")
        needs("tCCD_S", "those of a burst", beats)
        if not all(v[key] for key in ("tCL", "tCWL", "tRCD", "tRP", "tRAS")):
            raise Failure("tCL, tCWL, tRCD, tRP, tRAS: expected at least 1 clock each")
        needs("tREFI", "twice tRFC", 2 * v["tRFC"] * v["refresh"])

    def parts(self) -> list[list[int]]:
        """Field and bits of the parts of the mapping, least significant first."""
        v, parts = self.values, list[list[typing.Any]]()
        text = str(v["mapping"])
        for word in filter(None, text.split(" ")):
            name, colon, digits = word.partition(":")
            bits = whole(digits, 32)
            if name not in _FIELDS or (colon and not bits):
                raise Failure(f"mapping: found '{word}', expected row, rank, bank, group, column "
                              "or channel, or NAME:BITS with 1 to 32 bits")
            if len(parts) == _PARTS:
                raise Failure(f"mapping: found more than {_PARTS} parts, '{text}'")
            parts.insert(0, [_FIELDS.index(name), bits])
        sizes = (v["rows"], v["ranks"], v["banks"], v["bank_groups"], v["columns"] // v["burst"],
                 v["channels"])
        for field, size in enumerate(sizes):
            name, most = _FIELDS[field], size.bit_length() - 1
            rest = [part for part in parts if part == [field, None]]
            given = sum(part[1] or 0 for part in parts if part[0] == field)
            if len(rest) > 1:
                raise Failure(f"mapping: found {name} twice without bits in '{text}'")
            if given > most or (given < most and not rest):
                raise Failure(f"mapping: found {given} bits for {name} in '{text}', expected "
                              f"{most}")
            for part in rest:
                part[1] = most - given
        return parts

    def line(self) -> bytes:
        """All numbers, then those of the mapping, then texts with their lengths."""
        parts: list[list[int]] = []
        if not self.values["library"]:
            try:
                self.check()
                parts = self.parts()
            except Failure as failure:
                raise Failure(f"{self.name}: {failure}") from None
        numbers = [value for key, value in self.values.items() if _KINDS[key] is not _WORDS]
        numbers += [len(parts)] + sum(parts + [[0, 0]] * (_PARTS - len(parts)), [])
        texts = [str(self.values[key]).encode("utf-8", "surrogateescape")
                 for key in ("library", "library_parameters")]
        return b"".join([b"%d " % number for number in numbers]
                        + [b"%d:%s" % (len(text), text) for text in texts])


def _text_of(node: typing.Any) -> str | None:
    """None: of a list, of a mapping, and of a text with a zero character."""
    return node.value if node.id == "scalar" and "\0" not in node.value else None


def line(argument: str) -> bytes:
    """The line of NAME[,KEY=VALUE...]. Failure."""
    name, *changes = argument.split(",")
    memory, own = _Memory(name), pathlib.Path(sources(), "csrc/dram").glob("*.yml")
    known = {path.stem: path for path in sorted(own)}
    if not known.get(name) and not re.search("[./]", name):
        raise Failure(f"found '{name}', expected {', '.join(known)}, or a file such as "
                      f"./{name}.yml{guess(name, known)}")
    memory.read(files.read(str(known.get(name, name))))
    for word in changes:
        memory.change(word)
    return memory.line()


def main(arguments: list[str]) -> int:
    status, out = EXIT_OK, b""
    try:
        out = b"\n".join(map(line, arguments))
    except Failure as failure:
        status, out = EXIT_BAD_INPUT, shown(str(failure)).encode()
    except ModuleNotFoundError:
        status, out = EXIT_BAD_INPUT, b"Python has no module 'yaml'; install python3-yaml"
    sys.stdout.buffer.write(out)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
