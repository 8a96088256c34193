"""Functional coverage (docs/coverage.md): the bins of kinds of layers, by name, their counts, and
what is missing. csrc/coverage sorts the layers of traces into them; `nvcosim coverage-bins` says
which there are, and what each needs of a configuration."""
import dataclasses
import functools
import itertools
import operator
import re
import typing

from nvcosim import files
from nvcosim.text import plural
from nvcosim.tool import Failure

_MOST = (1 << 64) - 1
_MARK = 8  # bytes that identify the list of bins
_INDENT, _WIDTH = 58, 130


@dataclasses.dataclass
class Row:
    """The bins of an aspect or a cross, and the names of their values."""
    name: str
    first: int
    values: list[str]


@dataclasses.dataclass
class Section:
    """An engine. what: is counted. layers: bin of all."""
    name: str
    what: str
    layers: int
    rows: list[Row] = dataclasses.field(default_factory=list)


class Coverage:
    """Counts of all bins. found: what `nvcosim coverage-bins` prints."""

    def __init__(self, found: typing.Any) -> None:
        self.mark: int = found["mark"] & _MOST
        self.counts: list[int] = found["counts"]
        self.features: dict[str, int] = found["features"]
        self.configurations: dict[str, int] = found["configurations"]
        self.names: dict[str, int] = {}
        self.needs: list[int] = []
        self.sections = list(map(self._section, found["engines"]))

    def _section(self, engine: typing.Any) -> Section:
        name, what, own = engine["name"], engine["what"], engine["needs"]
        all_of_it = f"{name}.{'traces' if what == 'trace' else 'layers'}"
        section = Section(name, what, self._add(all_of_it, own))
        alone = ([[index], None] for index in range(len(engine["aspects"])))
        for indices, needs in (*alone, *engine["crosses"]):
            aspects = [engine["aspects"][index] for index in indices]
            row = Row("*".join(aspect[0] for aspect in aspects), len(self.needs), [])
            always = functools.reduce(operator.or_, (aspect[2] for aspect in aspects), own)
            combinations = itertools.product(*(self._values(aspect[1]) for aspect in aspects))
            for choice, need in zip(combinations, needs or itertools.repeat(0)):
                row.values.append(",".join(value for value, _ in choice))
                self._add(f"{name}.{row.name}={row.values[-1]}", functools.reduce(
                    operator.or_, (feature for _, feature in choice), always | need))
            section.rows.append(row)
        return section

    def _values(self, listed: str | None) -> list[tuple[str, int]]:
        """Values of an aspect, and what each needs; None: the configurations."""
        words = self.configurations if listed is None else listed.split(" ")
        return [(name, self.features[feature] if feature else 0)
                for name, _, feature in (word.partition("@") for word in words)]

    def _add(self, name: str, needs: int) -> int:
        self.needs.append(needs)
        return self.names.setdefault(name, len(self.names))

    # ---- counting ----

    def merge(self, path: str) -> None:
        """Adds the counts of a file that `written` made; Failure, with nothing added."""
        counts = []
        content = files.read_regular(path).partition(b"\0")[0]
        for number, line in enumerate(content.split(b"\n"), 1):
            words = re.findall(rb"[^ \t\r]+", line.partition(b"#")[0])
            if not words:
                continue
            if len(words) != 2 or not words[1].isdigit():
                raise Failure(f"{path}:{number}: expected the name of a bin and a count")
            name = words[0].decode(errors="surrogateescape")
            if name not in self.names:
                raise Failure(f"{path}:{number}: found the unknown bin '{name}'; the file may come "
                              "from another version")
            counts.append((self.names[name], min(int(b"0" + words[1].lstrip(b"0")[:21]), _MOST)))
        for index, count in counts:
            self.counts[index] = self.counts[index] + count & _MOST

    def add_bits(self, tests: typing.Iterable[bytes]) -> int:
        """Counts the bins that tests exercise (docs/database.md: signatures), each once; returns
        the number of tests that have this list of bins."""
        mark, size = self.mark.to_bytes(_MARK), _MARK + (len(self.counts) + 7) // 8
        known = [bits for bits in tests if len(bits) == size and bits.startswith(mark)]
        together = functools.reduce(operator.or_, (
            int.from_bytes(bits[_MARK:], "little") for bits in known), 0)
        self.counts = [count + (together >> index & 1) for index, count in enumerate(self.counts)]
        return len(known)

    # ---- what is missing ----

    def _reached(self) -> list[bool]:
        """Of each bin whether any configuration seen can reach it; before the first trace, any
        configuration at all."""
        configs, values = self.sections[0].rows[0], self.sections[-1].layers
        seen = self.counts[configs.first:configs.first + len(configs.values)]
        features = {each for each, count in zip(self.configurations.values(), seen)
                    if count or not any(seen)}
        reached = [any(not need & ~each for each in features) for need in self.needs]
        reached[configs.first:configs.first + len(seen)] = map(bool, seen)  # none needs every one
        if any(seen) and not self.counts[values]:  # nothing was played
            reached[values:] = [False] * len(reached[values:])
        return reached

    def _rows(self) -> typing.Iterator[tuple[Section, bool, list[tuple[str, int, list[str]]]]]:
        """Sections and whether they can be reached; of their rows the name, the number of bins that
        can be reached, and the values of those that are missing."""
        reached = self._reached()
        for section in self.sections:
            rows = []
            for row in section.rows:
                own = [(value, self.counts[index])
                       for index, value in enumerate(row.values, row.first) if reached[index]]
                rows.append((row.name, len(own), [value for value, count in own if not count]))
            yield section, reached[section.layers], rows

    def text(self) -> str:
        """The table."""
        lines, total, missing = [f"{'exercised':>58}  never exercised"], 0, 0
        for section, reached, rows in self._rows():
            if reached:
                lines.append(f"{section.name}, {plural(self.counts[section.layers], section.what)}")
            for name, bins, holes in rows:
                total, missing = total + bins, missing + len(holes)
                if reached and bins:
                    what = "  none of them" if len(holes) == bins else _wrapped(holes)
                    lines.append(f"  {name:44}{bins - len(holes):4} of {bins:4}{what}")
        share = 100 * (total - missing) / total if total else 0
        return "\n".join([*lines, f"{total - missing} of {total} bins exercised, {share:.1f} %"])

    def facts(self, tests: int) -> dict[str, typing.Any]:
        """The same of that many tests as JSON."""
        groups = [{"engine": section.name, "rows": [
            {"bins": bins, "covered": bins - len(holes), "name": name, "cross": "*" in name,
             "holes": holes} for name, bins, holes in rows]} for section, _, rows in self._rows()]
        rows = [row for group in groups for row in typing.cast(list[dict[str, int]], group["rows"])]
        return {"bins": sum(row["bins"] for row in rows),
                "covered": sum(row["covered"] for row in rows), "tests": tests, "groups": groups}

    def written(self) -> str:
        """The counts, a line "BIN COUNT" for each bin that is not 0."""
        return "# functional coverage of nvcosim: bin, count\n" + "".join(
            f"{name} {count}\n" for name, count in zip(self.names, self.counts) if count)


def _wrapped(names: list[str]) -> str:
    """Names in lines of limited width."""
    lines = [""]
    for name in names:
        if lines[-1] and _INDENT + len(lines[-1]) + 1 + len(name) > _WIDTH:
            lines.append("")
        lines[-1] += f"{' ' if lines[-1] else '  '}{name}"
    return f"\n{' ' * _INDENT}".join(lines)
