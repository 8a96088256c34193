"""Everything that is said or drawn of a night: its tests and how they compare with the night
before, its buckets, faults and trends. Page, JUnit XML and summary are made from one Review, so
that they agree. It is read from the database alone, in one read transaction."""
import collections
import dataclasses
import typing

from nvcosim.coverage import Coverage
from nvcosim.faults.faults import EQUIVALENT, NOTICED, OPEN, SURVIVED, UNREACHED, Fault
from nvcosim.text import plural
from nvcosim.tool import Failure, run_json

if typing.TYPE_CHECKING:
    import sqlite3
    from nvcosim.store.database import Store

PAST = 14         # nights that the past of a test goes back, this one included
TRENDS = 30       # nights of a trend
TEXT = 4000       # characters of any text but the command of the night; the database has all of it
ALTERNATIONS = 4  # changes between pass and fail that make a test flaky
VERDICTS = ("PASS", "FAIL", "HANG", "REFUSED", "CRASH", "ERROR")
_OF_PLAN = "plan = ? AND kind = ? AND selected IS ?"
_TREND_NIGHTS = f"(SELECT id FROM night WHERE id <= ? AND {_OF_PLAN} ORDER BY id DESC LIMIT ?)"


@dataclasses.dataclass
class Test:
    """A test of the night. Texts are None where the database has NULL; verdict None: not run."""
    number: int
    key: str
    item: str
    trace: str
    config: str
    dut: str
    memory: str
    tags: str
    seed: int
    reason: str | None
    signature: str | None
    mismatch: str | None
    host: str | None
    page: str | None
    command: str | None
    debug_command: str | None
    known: str | None         # reason of a known failure that has not expired
    excuse: str | None        # of its known failure in the plan, expired or not
    excuse_until: str | None
    verdict: str | None
    layer_seed: int | None    # of a random layer
    bucket: int | None        # number of the bucket
    cycles: int
    memory_peak: int
    seconds: float
    cpu_seconds: float
    disagrees: str | None = None  # who disagrees with whom, of a failure
    state: str = ""           # how it counts: "passed", "failed", "known" (failed as known), "open"
    # Compared with the night before.
    was_there: bool = False
    before: str | None = None  # verdict then
    same: bool = False         # the same layer with the same seeds: cycles can be compared
    new_failure: bool = False  # fails and is not known to; then it passed or did not run
    new_pass: bool = False     # passes; then it did not
    cycles_before: int = 0     # 0: none
    ratio: float = 0           # of the cycles, now to before, if both passed and are the same; or 0
    # Over the last nights.
    flaky: str | None = None  # why its verdict says little
    past: str = ""            # the first letter of each verdict, oldest first; "." without one

    @property
    def name(self) -> str:
        """The key after the item."""
        return self.key.removeprefix(f"{self.item}/") or self.key

    @property
    def fails(self) -> bool:
        return self.state in ("failed", "known")

    @property
    def speed(self) -> float:
        """Core clocks a second of CPU time; 0: not known."""
        return self.cycles / self.cpu_seconds if self.cycles > 0 < self.cpu_seconds else 0


@dataclasses.dataclass
class Bucket:
    """Failures that look alike."""
    number: int
    count: int
    signature: str
    title: str
    engine: str | None
    tap: str | None
    kind: str | None
    shrunk: str | None
    shrunk_cycles: int
    command: str
    page: str | None
    shrunk_command: str | None
    note: str | None
    smallest: int    # number of a test
    fresh: bool      # the night before had none of this signature
    first: int       # night of the plan that had the first of this signature
    nights: int      # of the plan that had one, this one included
    known: int = 0   # of its tests are known failures

    @property
    def all_known(self) -> bool:
        return 0 < self.count <= self.known


@dataclasses.dataclass
class Review:
    """A night. before: the night to compare with: the last one before it of the same plan and
    selection that was done; 0: none."""
    night: int
    seed: int
    kind: str
    plan: str
    selected: str | None
    state: str
    started: str
    host: str
    version: str
    revision: str | None
    engine: str
    folder: str
    seconds: float
    cores: int
    dirty: bool
    command: str = ""  # whole, to be copied
    tests: list[Test] = dataclasses.field(default_factory=list)  # in the order of the plan
    # New ones first, then those with the most failures; last those that are known.
    buckets: list[Bucket] = dataclasses.field(default_factory=list)
    faults: list[Fault] = dataclasses.field(default_factory=list)
    before: int = 0
    before_started: str = ""
    before_revision: str | None = None
    before_folder: str = ""
    gone: int = 0  # tests of that night that this one has not
    # Functional bins that the tests exercise, as nvcosim coverage --bits counts them; None: none
    # was asked for.
    coverage: dict[str, typing.Any] | None = None
    # The rows of _TRENDS, oldest first, this one last.
    trends: list[dict[str, typing.Any]] = dataclasses.field(default_factory=list)
    # Core clocks a second of CPU time of each configuration in the nights of the trend.
    speeds: dict[str, list[float | None]] = dataclasses.field(default_factory=dict)
    states: "collections.Counter[str]" = dataclasses.field(default_factory=collections.Counter)
    fault_states: "collections.Counter[str]" = dataclasses.field(
        default_factory=collections.Counter)

    @property
    def outcome(self) -> str:
        """How it went, the first word of everything: "PASSED", "SURVIVORS" (no test failed, a fault
        did not make one fail), "FAILED", "INTERRUPTED", "RUNNING"."""
        if self.states["failed"]:
            return "FAILED"
        if self.state != "done" or self.states["open"]:
            return "RUNNING" if self.state == "running" else "INTERRUPTED"
        missed = self.fault_states[SURVIVED] + self.fault_states[UNREACHED]
        return "SURVIVORS" if missed else "PASSED"

    def sentence(self) -> str:
        """ "12 of 523 tests fail in 4 buckets, 2 of them new; 3 fail as known; 508 pass." """
        states, parts = self.states, []
        if states["failed"]:
            fail = "fails" if states["failed"] == 1 else "fail"
            parts.append(f"{states['failed']} of {len(self.tests)} tests {fail}{self._news()}")
        if states["open"]:
            parts.append(plural(states["open"], "test has not run", "tests have not run"))
        if states["known"]:
            parts.append(plural(states["known"], "fails as known", "fail as known"))
        if not self.tests:
            parts.append("" if self.faults else "The night has no tests.")
        elif states["passed"] == len(self.tests):
            parts.append("The test passes." if len(self.tests) == 1 else
                         f"All {len(self.tests)} tests pass.")
        else:
            parts.append(plural(states["passed"], "passes.", "pass."))
        return f"{self._of_faults()}{'; '.join(parts)}".rstrip(" ")

    def _news(self) -> str:
        buckets = sum(not bucket.all_known for bucket in self.buckets)
        new = sum(test.new_failure for test in self.tests)
        text = f" in {plural(buckets, 'bucket')}" if buckets else ""
        return f"{text}, {new or 'none'} of them new since night {self.before}" \
            if self.before else text

    def _of_faults(self) -> str:
        if not self.faults:
            return ""
        states = self.fault_states
        real = len(self.faults) - states[EQUIVALENT]
        text = f"{states[NOTICED]} of {real} faults are noticed"
        if real:
            text += f" ({100 * states[NOTICED] / real:.1f} %)"
        for state, one, many in (
                (SURVIVED, "survives", "survive"),
                (UNREACHED, "is reached by no test", "are reached by no test"),
                (EQUIVALENT, "more changes nothing, says the plan",
                 "more change nothing, says the plan")):
            text += f"; {plural(states[state], one, many)}" if states[state] else ""
        if states[OPEN]:
            text += f"; of {states[OPEN]} nothing is known yet"
        return f"{text}. "


def taken(kind: typing.Any, row: "sqlite3.Row", most: int = TEXT,
          **more: typing.Any) -> typing.Any:
    """A dataclass of the columns of a row that have the names of its fields, and of more. NULL is
    None of a text and 0 of a number that cannot be None. most: characters of a text."""
    names = set(row.keys()) - more.keys()
    for field in dataclasses.fields(kind):
        if field.name in names:
            value = row[field.name]
            if field.type in (int, float, bool):
                value = typing.cast(typing.Any, field.type)(value or 0)
            elif isinstance(value, str) and len(value) > most:
                value = value[:most] + " ..."
            more[field.name] = value
    return kind(**more)


def review_read(store: "Store", night: int) -> Review:
    """Reads a night. Failure: there is no such night, or the database is damaged."""
    store.connection.execute("SAVEPOINT review")  # what is read belongs together
    try:
        review = read_night(store, night)
        review.tests = list(read_tests(store, night))
        _read_past(store, review)
        _compare(store, review)
        _read_buckets(store, review)
        review.faults = [taken(Fault, row, state=row["state"] or OPEN) for row in store.rows(
            "SELECT * FROM fault WHERE night = ? ORDER BY folder, file, line, number", night)]
        bits = [row["coverage"] for row in store.rows(
            "SELECT coverage FROM result WHERE night = ? AND coverage IS NOT NULL", night)]
        _read_trends(store, review)
    finally:
        store.connection.execute("RELEASE review")
    if bits:
        coverage = Coverage(run_json("coverage-bins"))
        review.coverage = coverage.facts(coverage.add_bits(bits))
    review.states.update(test.state for test in review.tests)
    review.fault_states.update(fault.state for fault in review.faults)
    return review


def read_night(store: "Store", night: int) -> Review:
    """What it is, without tests and what is made of them."""
    row = store.row("SELECT id AS night, * FROM night WHERE id = ?", night)
    if not row:
        raise Failure(f"no night {night} in the database, expected one of: SELECT id FROM night")
    review: Review = taken(Review, row, command=row["command"])
    review.seed &= (1 << 64) - 1
    before = store.row("SELECT id, started, revision, folder FROM night WHERE id < ? AND "
                       f"{_OF_PLAN} AND state = 'done' ORDER BY id DESC LIMIT 1", night,
                       *_plan(review))
    if before:
        review.before, review.before_started, review.before_revision, review.before_folder = before
    return review


def _plan(review: Review) -> tuple[str, str, str | None]:
    return review.plan, review.kind, review.selected


# ---- the tests and the nights before ----

_READ = [field.name for field in dataclasses.fields(Test)
         if field.default is dataclasses.MISSING and not field.name.startswith("excuse")]
_TESTS = f"""
SELECT {', '.join(_READ)},
    CASE WHEN json_valid(result) THEN json_extract(result, '$.disagrees.sentence') END AS disagrees,
    CASE WHEN json_valid(test) THEN json_extract(test, '$.known') END AS excuse,
    CASE WHEN json_valid(test) THEN json_extract(test, '$.known_until') END AS excuse_until
FROM result WHERE night = ? ORDER BY number"""


def _verdict(name: str | None) -> str | None:
    return name if name is None or name in VERDICTS else "ERROR"


def read_tests(store: "Store", night: int, most: int = TEXT) -> typing.Iterator[Test]:
    """The tests of a night as they are in the database, in the order of the plan. most: characters
    of a text."""
    for row in store.rows(_TESTS, night):
        verdict = _verdict(row["verdict"])
        yield taken(Test, row, most, verdict=verdict, state="open" if verdict is None else
                    "passed" if verdict == "PASS" else
                    "failed" if row["known"] is None else "known")


@dataclasses.dataclass
class _Past:
    """A test in a past night that it ran in. revision: None: not known, or with changes that are
    not committed."""
    night: int
    revision: str | None
    verdict: str
    seed: int
    layer_seed: int


def _read_past(store: "Store", review: Review) -> None:
    """What became of the tests in the last nights."""
    nights = [*store.rows(
        "SELECT id, CASE WHEN dirty THEN NULL ELSE revision END AS revision FROM night WHERE "
        "id <= ? AND plan = ? AND kind = ? ORDER BY id DESC LIMIT ?", review.night, review.plan,
        review.kind, PAST)][::-1]
    tests = {test.key: test for test in review.tests}
    ran: dict[str, list[_Past]] = {key: [] for key in tests}
    for place, (night, revision) in enumerate(nights):
        for key, name, seed, layer_seed in store.rows(
                "SELECT key, verdict, seed, layer_seed FROM result WHERE night = ?", night):
            test, verdict = tests.get(key), _verdict(name)
            if test and verdict:
                test.past = test.past.ljust(place, ".") + verdict[0]
                ran[key].append(_Past(night, revision, verdict, seed, layer_seed or 0))
    for key, test in tests.items():
        test.past = test.past.ljust(len(nights), ".")
        if len({past.verdict for past in ran[key]}) > 1:
            test.flaky = _difference(ran[key]) or _alternation(ran[key])


def _difference(ran: list[_Past]) -> str | None:
    """Two nights of the same revision in which the same test with the same seeds came to different
    verdicts; the last of them count."""
    for later in range(len(ran) - 1, 0, -1):
        b = ran[later]
        for a in reversed(ran[:later]):
            if a.verdict != b.verdict and b.revision and \
                    (a.revision, a.seed, a.layer_seed) == (b.revision, b.seed, b.layer_seed):
                return f"{a.verdict} in night {a.night}, {b.verdict} in night {b.night}: " \
                       "same revision, same seeds"
    return None


def _alternation(ran: list[_Past]) -> str | None:
    """Passing and failing by turns. Random layers that are others in each night do so without being
    flaky."""
    pairs = [(a, b) for a, b in zip(ran, ran[1:]) if a.layer_seed == b.layer_seed]
    changes = sum((a.verdict == "PASS") != (b.verdict == "PASS") for a, b in pairs)
    if changes < ALTERNATIONS:
        return None
    other = ", with other seeds" if any(a.seed != b.seed for a, b in pairs) else ""
    return f"changed {changes} times between passing and failing in {len(ran)} nights{other}"


def _compare(store: "Store", review: Review) -> None:
    """Compares the tests with the night before, if there is one."""
    there = {row["key"]: row for row in store.rows(
        "SELECT key, verdict, seed, layer_seed, cycles FROM result WHERE night = ?", review.before)}
    for test in review.tests if review.before else []:
        row = there.pop(test.key, None)
        if row:
            test.was_there, test.before = True, _verdict(row["verdict"])
            test.cycles_before = row["cycles"] or 0
            test.same = (row["seed"], row["layer_seed"]) == (test.seed, test.layer_seed)
        if test.same and test.verdict == test.before == "PASS" and min(
                test.cycles, test.cycles_before) > 0:
            test.ratio = test.cycles / test.cycles_before
        failed_before = test.before not in (None, "PASS")
        test.new_failure = test.state == "failed" and not failed_before
        test.new_pass = test.state == "passed" and test.was_there and failed_before
    review.gone = len(there)


# ---- buckets and trends ----

_BUCKETS = """
SELECT *,
    (SELECT min(night) FROM bucket AS b JOIN night AS n ON b.night = n.id
     WHERE b.signature = bucket.signature AND n.plan = ?2 AND n.kind = ?3 AND n.id <= ?1) AS first,
    (SELECT count(DISTINCT night) FROM bucket AS b JOIN night AS n ON b.night = n.id
     WHERE b.signature = bucket.signature AND n.plan = ?2 AND n.kind = ?3 AND n.id <= ?1) AS nights,
    ?4 AND NOT EXISTS (SELECT 1 FROM bucket AS b
                       WHERE b.night = ?4 AND b.signature = bucket.signature) AS fresh
FROM bucket WHERE night = ?1 ORDER BY number"""


def _read_buckets(store: "Store", review: Review) -> None:
    review.buckets = [taken(Bucket, row) for row in store.rows(
        _BUCKETS, review.night, review.plan, review.kind, review.before)]
    buckets = {bucket.number: bucket for bucket in review.buckets}
    for test in review.tests:
        if test.bucket not in buckets:
            test.bucket = None
        elif test.state == "known":
            buckets[test.bucket].known += 1
    for bucket in review.buckets:
        bucket.fresh = bucket.fresh and not bucket.all_known
    review.buckets.sort(key=lambda b: (b.all_known, not b.fresh, -b.count, b.number))


_TRENDS = f"""
SELECT id AS night, count(number) AS tests, sum(verdict = 'PASS') AS passed,
    sum(verdict <> 'PASS' AND known IS NOT NULL) AS known,
    sum(number IS NOT NULL AND verdict IS NULL) AS open,
    (SELECT count(*) FROM fault WHERE fault.night = id) AS faults,
    (SELECT count(*) FROM fault WHERE fault.night = id AND fault.state = 'noticed') AS noticed,
    (SELECT count(*) FROM fault WHERE fault.night = id AND fault.state = 'equivalent')
        AS equivalent,
    night.seconds AS seconds, started, folder, state
FROM night LEFT JOIN result ON result.night = id WHERE id IN {_TREND_NIGHTS}
GROUP BY id ORDER BY id"""
# Core clocks a second of CPU time.
_SPEEDS = f"""
SELECT night, config, sum(cycles) / sum(cpu_seconds) AS hertz FROM result
WHERE night IN {_TREND_NIGHTS} AND dut <> 'model' AND cycles > 0 AND cpu_seconds > 0
GROUP BY config, night ORDER BY config, night"""


def _read_trends(store: "Store", review: Review) -> None:
    asked = (review.night, *_plan(review), TRENDS)
    review.trends = [dict(row) for row in store.rows(_TRENDS, *asked)]
    places = {trend["night"]: place for place, trend in enumerate(review.trends)}
    for night, config, hertz in store.rows(_SPEEDS, *asked):
        line = review.speeds.setdefault(config, [None] * len(places))
        line[places[night]] = hertz
