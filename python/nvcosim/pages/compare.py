"""Two nights side by side, or two selections of tests of one: what fails now, what was fixed, how
cycles and the speed of simulation changed. Text, page and data are made from one Comparison, so
that they agree.

A side is NIGHT[:NAME=VALUE,...]. NIGHT is the number of a night, "latest" (the last one that is
done), "previous" (the last done one of the same plan and selection before the other side), or a git
revision, of which the last night counts. The names are item, config, dut, memory, tag (patterns
with * and ?), which choose tests, and plan, which chooses the night. Tests are paired by their
keys; where a side chooses by item, config, dut or memory, both sides' keys are compared without
that part."""
import collections
import dataclasses
import fnmatch
import math
import re
import sys
import typing
from statistics import geometric_mean

from nvcosim.pages.review import Review, Test, read_night, read_tests
from nvcosim.text import plural
from nvcosim.tool import Failure

if typing.TYPE_CHECKING:
    from nvcosim.store.database import Store

EXTREMES = 10      # tests that changed most, which are shown
SPEED_SECONDS = 1  # CPU time of a run from which on its speed is worth a colour, not noise
CHANGES = {  # what became of a test: id and title of its section, and what that says
    "new failure": ("new", "New failures", "They fail in B, and the plan does not know of it; in A "
                    "they passed, did not run or were not there."),
    "fails otherwise": ("otherwise", "Fails otherwise", "They fail in both, and look different: "
                        "perhaps for another cause."),
    "fails in both": ("still", "Fails in both", ""),
    "fixed": ("fixed", "Fixed", "They failed in A and pass in B."),
    # It has no result in B, or passes there and has none in A.
    "not run in both": ("open", "Not run in both", ""),
    # It fails in B as it is known to; in A it did not.
    "now fails as known": ("known", "Now fails as known", ""),
    "passes in both": ("", "", ""),  # has no section
    "only in A": ("only-a", "Only in A", ""),
    "only in B": ("only-b", "Only in B", ""),  # and it does not fail there
}
# The sections in the order in which they are shown: what is new before the means, the rest after.
NEWS = ("new failure", "fails otherwise", "fixed")
REST = ("fails in both", "now fails as known", "not run in both", "only in A", "only in B")
_LETTERS = 4  # of a revision, at least
_OF_KEY = ("item", "config", "dut", "memory")
_CHOICES = (*_OF_KEY, "tag", "plan")
Members = dict[str, typing.Any]


@dataclasses.dataclass
class Side:
    """One of both nights. tests: those that are chosen, by the names that pair them: their keys
    without what the sides choose by. chosen: ":NAME=VALUE,...", ""."""
    given: str
    night: Review
    tests: dict[str, Test]

    @property
    def chosen(self) -> str:
        return "".join(self.given.partition(":")[1:])

    def members(self) -> Members:
        """What JSON and the page have: the night, how many tests were chosen, what became of
        them."""
        states = collections.Counter(test.state for test in self.tests.values())
        names = ("night", "plan", "started", "state", "revision", "dirty")
        return {"given": self.given, **{name: getattr(self.night, name) for name in names},
                "tests": len(self.tests),
                **{state: states[state] for state in ("passed", "failed", "known", "open")}}


@dataclasses.dataclass
class Pair:
    """A test of both sides, or of one. engines: whose data it moves. Ratios: B to A; 0: not to be
    compared."""
    name: str
    a: Test | None
    b: Test | None
    change: str
    engines: set[str] = dataclasses.field(default_factory=set)
    same_work: bool = False  # the same layer; the same seeds unless the sides differ in what plays
    cycles_ratio: float = 0
    speed_ratio: float = 0
    speed_counts: bool = False

    @property
    def told(self) -> Test:
        """The test of B where it is there, else of A."""
        test = self.b or self.a
        assert test
        return test

    def members(self) -> Members:
        """What JSON, CSV and the page have of it; None: not known, or not to be compared."""
        def of(test: Test | None, letter: str) -> Members:
            names = ("key", "verdict", "signature", "cycles", "speed")
            return {f"{name}_{letter}": _figure(getattr(test, name, None)) for name in names}

        return {"test": self.name, "change": self.change, "item": self.told.item,
                "config": self.told.config, **of(self.a, "a"), **of(self.b, "b"),
                "cycles_ratio": _figure(self.cycles_ratio),
                "speed_ratio": _figure(self.speed_ratio), "reason": self.b and self.b.reason}

    @classmethod
    def of(cls, name: str, a: Test | None, b: Test | None, other_seeds: bool) -> "Pair":
        pair = cls(name, a, b, _change(a, b))
        if a and b and pair.change == "passes in both":
            pair.same_work = a.layer_seed == b.layer_seed and (other_seeds or a.seed == b.seed)
        if a and b and pair.same_work:
            pair.cycles_ratio = b.cycles / a.cycles if a.cycles > 0 < b.cycles else 0
            pair.speed_ratio = b.speed / a.speed if a.speed else 0
            pair.speed_counts = min(a.cpu_seconds, b.cpu_seconds) >= SPEED_SECONDS
        return pair


def _change(a: Test | None, b: Test | None) -> str:
    if b and b.fails:
        if not a or not a.fails:
            return "new failure" if b.known is None else "now fails as known"
        otherwise = a.signature and b.signature and a.signature != b.signature
        return "fails otherwise" if otherwise else "fails in both"
    if not a or not b:
        return "only in B" if b else "only in A"
    if a.verdict is None or b.verdict is None:
        return "not run in both"
    return "fixed" if a.fails else "passes in both"


def _figure(value: typing.Any) -> typing.Any:
    """Numbers with 9 digits; None for 0."""
    return float(f"{value:.9g}") if value and isinstance(value, float) else value or None


def _mean(kind: str, name: str, pairs: list[Pair]) -> Members:
    """Counts, and geometric means of the ratios. kind: "all", "item", "config", "engine".
    speed_counts: that of at least half of the tests does."""
    cycles = [pair.cycles_ratio for pair in pairs if pair.cycles_ratio]
    speeds = [pair.speed_ratio for pair in pairs if pair.speed_ratio]
    counting = sum(pair.speed_counts for pair in pairs if pair.speed_ratio)
    return {"kind": kind, "name": name or None, "tests": len(cycles),
            "more": sum(ratio > 1 for ratio in cycles), "fewer": sum(ratio < 1 for ratio in cycles),
            "cycles": _figure(geometric_mean(cycles)) if cycles else None,
            "speed_tests": len(speeds),
            "speed": _figure(geometric_mean(speeds)) if speeds else None,
            "speed_counts": 2 * counting >= len(speeds)}


@dataclasses.dataclass
class Comparison:
    """limit: how much more cycles a test may take in B, per cent; None: any."""
    a: Side
    b: Side
    limit: float | None
    pairs: list[Pair]  # by change, then by name

    def of(self, change: str) -> list[Pair]:
        return [pair for pair in self.pairs if pair.change == change]

    def over(self) -> int:
        """Tests over the limit."""
        return sum(pair.cycles_ratio > 1 + self.limit / 100 for pair in self.pairs) \
            if self.limit is not None else 0

    def worse(self) -> bool:
        """Whether B has new failures, or tests over the limit."""
        return any(pair.change == "new failure" for pair in self.pairs) or self.over() > 0

    def other_work(self) -> int:
        """Pairs that pass twice and are not the same work."""
        return sum(not pair.same_work for pair in self.of("passes in both"))

    def most_changed(self, more: bool) -> list[Pair]:
        """Those with more cycles, or with fewer; the most changed first."""
        pairs = [p for p in self.pairs if p.cycles_ratio and p.cycles_ratio != 1
                 and (p.cycles_ratio > 1) == more]
        return sorted(pairs, key=lambda p: (-abs(math.log(p.cycles_ratio)), p.name))

    def means(self) -> list[Members]:
        """All tests, then by item, by configuration, by engine."""
        groups: dict[tuple[int, str, str], list[Pair]] = collections.defaultdict(list)
        for pair in self.pairs:
            if pair.a and pair.b and (pair.cycles_ratio or pair.speed_ratio):
                groups[0, "all", ""].append(pair)
                groups[1, "item", pair.b.item].append(pair)
                groups[2, "config", pair.b.config].append(pair)
                for engine in pair.engines:
                    groups[3, "engine", engine].append(pair)
        return [_mean(*key[1:], groups[key]) for key in sorted(groups)]

    def members(self) -> Members:
        """All of it as JSON has it."""
        return {"a": self.a.members(), "b": self.b.members(), "worse": self.worse(),
                "over_limit": self.over(),
                "changes": {change: len(self.of(change)) for change in CHANGES},
                "means": self.means(), "tests": [pair.members() for pair in self.pairs]}

    def sentence(self) -> str:
        """ "5 new failures, 3 fixed, ..." """
        n = {change: len(self.of(change)) for change in CHANGES}
        text = f"{plural(n['new failure'], 'new failure')}, {n['fixed']} fixed, " \
               f"{plural(n['fails in both'] + n['fails otherwise'], 'fails', 'fail')} in both"
        if n["fails otherwise"]:
            text += f" ({n['fails otherwise']} otherwise)"
        text += f", {plural(n['passes in both'], 'passes', 'pass')} in both"
        if n["now fails as known"]:
            text += f", {plural(n['now fails as known'], 'now fails', 'now fail')} as known"
        for change in ("not run in both", "only in A", "only in B"):
            text += f", {n[change]} {change}" if n[change] else ""
        if self.limit is None:
            return f"{text}."
        return f"{text}. {plural(self.over(), 'test takes', 'tests take')} " \
               f"more than {self.limit:g} % more cycles."


# ---- what a side asks for ----

@dataclasses.dataclass
class _Request:
    given: str
    night: str
    patterns: dict[str, str]

    @classmethod
    def read(cls, given: str) -> "_Request":
        night, _, rest = given.partition(":")
        if not night:
            raise Failure(f"'{given}': found no night, expected NIGHT or NIGHT:NAME=VALUE,...; "
                          "NIGHT is a number, latest, previous or a git revision")
        patterns: dict[str, str] = {}
        for word in rest.split(",") if ":" in given else []:
            name, equals, value = word.partition("=")
            if not equals or name not in _CHOICES:
                raise Failure(f"'{given}': found '{word}', expected item=, config=, dut=, memory=, "
                              "tag= or plan= and a value")
            if name in patterns:
                raise Failure(f"'{given}': found a second {name}=; a pattern such as * chooses "
                              "several")
            patterns[name] = value
        return cls(given, night, patterns)

    def takes(self, test: Test) -> bool:
        """Whether it chooses the test."""
        def fits(value: str, name: str) -> bool:
            return fnmatch.fnmatchcase(value, self.patterns[name].replace("[^", "[!"))

        return all(fits(getattr(test, name), name) for name in _OF_KEY if name in self.patterns) \
            and ("tag" not in self.patterns or any(fits(tag, "tag") for tag in test.tags.split()))


def _previous(store: "Store", other: int) -> int:
    night = read_night(store, other).before
    if not night:
        raise Failure(f"'previous': no night before night {other} has its plan and selection and "
                      "is done")
    return night


def _of_revision(store: "Store", letters: str, plan: str) -> int:
    """The last night of a revision, by the first letters of its name; 0: none."""
    known = "FROM night WHERE substr(revision, 1, length(?1)) = ?1 AND plan GLOB ?2"
    row = store.row("SELECT group_concat(DISTINCT substr(revision, 1, 12)) AS names, "
                    f"count(DISTINCT revision) AS count {known}", letters, plan)
    if row and row["count"] > 1:
        raise Failure(f"'{letters}': several revisions begin like that: {row['names']}")
    row = store.row(f"SELECT id {known} ORDER BY state = 'done' DESC, id DESC LIMIT 1", letters,
                    plan)
    return int(row["id"]) if row else 0


def _find_night(store: "Store", request: _Request, other: int) -> int:
    """The night that a request names; "previous" is the one before `other`."""
    name, plan, file = request.night, request.patterns.get("plan", "*"), store.file_name()
    if name == "previous":
        return _previous(store, other)
    row = None
    if name == "latest":
        row = store.row("SELECT id FROM night WHERE state = 'done' AND kind = 'regress' AND plan "
                        "GLOB ? ORDER BY id DESC LIMIT 1", plan)
        if not row:
            of_plan = f" of plan {plan}" if "plan" in request.patterns else ""
            raise Failure(f"'latest': {file} has no night of nvcosim regress{of_plan} that is done")
    elif re.fullmatch("[0-9]{1,18}", name):
        row = store.row("SELECT id FROM night WHERE id = ? AND plan GLOB ?", int(name), plan)
    night = row["id"] if row else 0
    if not night and re.fullmatch(f"[0-9a-f]{{{_LETTERS},}}", name):
        night = _of_revision(store, name, plan)
    if not night:
        from nvcosim.store.revision import revision_named
        commit = revision_named(".", name)
        night = _of_revision(store, commit, plan) if commit else 0
        lack = f"no night has revision {commit[:12]} in" if commit else "found no such night in"
        if not night:
            raise Failure(f"'{name}': {lack} {file}; expected the number of a night, latest, "
                          "previous or a git revision that a night has; nvcosim history shows all "
                          "nights")
    return int(night)


def _find_nights(store: "Store", a: _Request, b: _Request) -> tuple[int, int]:
    """Both nights; "previous" is before the other one."""
    if a.night == b.night == "previous":
        raise Failure("found 'previous' twice, expected another night to compare it with")
    night = 0 if a.night == "previous" else _find_night(store, a, 0)
    other = _find_night(store, b, night)
    night = night or _find_night(store, a, other)
    if night == other and {**a.patterns, "plan": ""} == {**b.patterns, "plan": ""}:
        raise Failure(f"'{a.given}' and '{b.given}' are the same, night {night}; expected two "
                      f"nights, or two choices such as {night}:dut=both and {night}:dut=rtl:mine")
    return night, other


# ---- tests of a side ----

def pair_name(test: Test, drop: typing.Container[str]) -> str:
    """The key of a test, ITEM/NAME[,CONFIG][,DUT][@MEMORY][+RESEED], without the parts to drop."""
    rest = test.key.removeprefix(f"{test.item}/")
    reseed = re.search(r"(\+[0-9]+)?\Z", rest)
    assert reseed
    rest, ends = rest[:reseed.start()], reseed[0]
    for name, end in (("memory", f"@{test.memory}"), ("dut", f",{test.dut.replace(':', '-')}"),
                      ("config", f",{test.config}")):
        if len(end) > 1 and rest.endswith(end) and len(rest) > len(end):
            rest = rest[:-len(end)]
            ends = ends if name in drop else end + ends
    return ("" if "item" in drop else f"{test.item}/") + rest + ends


def _read_engines(store: "Store", night: int, pairs: list[Pair]) -> None:
    """Whose data tests move; those of convolutions, with the SDP after them, count as "conv"."""
    by_key = {test.key: pair for pair in pairs for test in (pair.a, pair.b) if test}
    for key, reads, writes in store.rows(
            "SELECT key, json_extract(result, '$.devices[0].read_beats'), json_extract(result, "
            "'$.devices[0].write_beats') FROM result WHERE night = ? AND json_valid(result)",
            night):
        engines = {name.lower() for name in re.findall('"([A-Z_]+)"', writes or "")}
        if '"CDMA_DAT"' in (reads or ""):
            engines = engines - {"sdp"} | {"conv"}
        if key in by_key:
            by_key[key].engines |= engines


def _read_side(store: "Store", request: _Request, night: int, drop: set[str]) -> Side:
    side = Side(request.given, read_night(store, night), {})
    for test in filter(request.takes, read_tests(store, night, sys.maxsize)):
        other = side.tests.setdefault(pair_name(test, drop), test)
        if other is not test:
            raise Failure(f"'{request.given}': chooses both {other.key} and {test.key}, expected "
                          "one of them; choose by item, config, dut or memory as well, with the "
                          "same names in both sides")
    if not side.tests:
        raise Failure(f"'{request.given}': night {night} has no such test; nvcosim history --sql "
                      "'SELECT DISTINCT item, config, dut, memory FROM result WHERE night = "
                      f"{night}' shows what it has")
    return side


def compare_read(store: "Store", a: str, b: str, limit: float | None = None) -> Comparison:
    """Reads both sides. Failure: a side that names no night or chooses no test, both name the same,
    or they have no test in common."""
    requests = _Request.read(a), _Request.read(b)
    nights = _find_nights(store, *requests)
    of_a, of_b = (request.patterns for request in requests)
    named = {name for name in _OF_KEY if name in of_a or name in of_b}
    # Keys have to stay apart where both sides choose the same.
    drop = {name for name in named if of_a.get(name) != of_b.get(name)}
    side_a, side_b = (_read_side(store, *asked, drop) for asked in zip(requests, nights))
    pairs = [Pair.of(name, side_a.tests.get(name), side_b.tests.get(name), bool(named))
             for name in side_a.tests.keys() | side_b.tests.keys()]
    order = list(CHANGES)
    pairs.sort(key=lambda pair: (order.index(pair.change), pair.name))
    if all(pair.a is None or pair.b is None for pair in pairs):
        one = next(pair.a.key for pair in pairs if pair.a)
        two = next(pair.b.key for pair in pairs if pair.b)
        raise Failure(f"'{a}' and '{b}' have no test in common, such as {one} and {two}: there is "
                      "nothing to compare; where they differ in item, config, dut or memory, both "
                      "have to choose by it")
    for night in nights:
        _read_engines(store, night, pairs)
    return Comparison(side_a, side_b, limit, pairs)
