"""The history of the database for the user: all nights, or the results of a test in each of them.
A new column is a row of _night_columns() or _test_columns()."""
import itertools
import json
import sqlite3
import typing

from nvcosim.pages.metrics import METRICS
from nvcosim.pages.query import print_rows
from nvcosim.store.database import Store
from nvcosim.store.nights import runner, trace_name
from nvcosim.table import Cell, Column, Table, coloured
from nvcosim.text import Style, guess, shown
from nvcosim.tool import Failure

WIDE = 100  # columns of a terminal that has room for the time of day
_BLOCKS, _LETTERS = "▁▂▃▄▅▆▇█", "_.-:=+*#"

NIGHTS_SQL = """
    WITH chosen AS (SELECT * FROM night ORDER BY id DESC LIMIT ?),
    counts AS (
        SELECT night, sum(verdict = 'PASS') AS passed,
            sum(verdict NOT IN ('PASS', 'HANG') AND known IS NULL) AS failed,
            sum(verdict = 'HANG' AND known IS NULL) AS hung,
            sum(verdict <> 'PASS' AND known IS NOT NULL) AS known, sum(verdict IS NULL) AS open
        FROM result WHERE night IN (SELECT id FROM chosen) GROUP BY night)
    SELECT id AS night, started, plan, kind, state, ifnull(passed, 0) AS passed,
        ifnull(failed, 0) AS failed, ifnull(hung, 0) AS hung, ifnull(known, 0) AS known,
        ifnull(open, 0) AS open, seconds, revision, dirty, host, pid, birth
    FROM chosen LEFT JOIN counts ON night = id ORDER BY id"""

# The past of the tests whose keys are in a list as JSON.
TESTS_SQL = """
    SELECT key, night, started, revision, dirty, config, dut, memory, seed, layer_seed, verdict,
        known, cycles, change_percent, seconds, cycles_per_second, signature, reason, path
    FROM (
        SELECT r.key, n.id AS night, n.started, n.revision, n.dirty, r.config, r.dut, r.memory,
            r.seed, r.layer_seed, r.verdict, r.known, r.cycles,
            CASE WHEN r.verdict IN ('PASS', 'FAIL') AND lag(r.verdict) OVER w IN ('PASS', 'FAIL')
                AND (r.config, r.seed, r.layer_seed)
                    IS (lag(r.config) OVER w, lag(r.seed) OVER w, lag(r.layer_seed) OVER w)
                THEN round(100.0 * (r.cycles - lag(r.cycles) OVER w) / lag(r.cycles) OVER w, 2)
            END AS change_percent,
            r.seconds, r.cycles / nullif(r.cpu_seconds, 0) AS cycles_per_second, r.signature,
            r.reason, r.path, row_number() OVER (PARTITION BY r.key ORDER BY n.id DESC) AS age
        FROM json_each(?) AS k JOIN result AS r ON r.key = k.value JOIN night AS n ON n.id = r.night
        WINDOW w AS (PARTITION BY r.key ORDER BY n.id))
    WHERE age <= ? ORDER BY key, night"""

Row = sqlite3.Row
Maker = typing.Callable[[Row], str | Cell]


def _text(row: Row, column: str) -> str:
    return "" if row[column] is None else str(row[column])


def _figure(metric: str, value: float | None) -> str:
    return "" if value is None else METRICS[metric].format(value)


def _date(row: Row, time: bool) -> str:
    """The day, or the day and the time."""
    date = _text(row, "started")
    return date if len(date) < 16 else f"{date[:10]} {date[11:16]}" if time else date[:10]


def _revision(row: Row) -> str:
    """The first letters, with a star if files had changes."""
    return _text(row, "revision")[:8] + ("*" if row["dirty"] else "")


def _metric(name: str, spare: int, make: Maker) -> tuple[Column, Maker]:
    """A column of a figure."""
    return Column(METRICS[name].header, right=True, spare=spare), make


def _print_values(store: Store, style: Style, form: str, sql: str, *values: typing.Any) -> None:
    print_rows(style, form, store.columns(sql, *values), map(tuple, store.rows(sql, *values)))


# ---- nights ----

def _state(night: Row) -> Cell:
    state = _text(night, "state")
    if state == "running":
        gone = runner(_text(night, "host"), night["pid"], _text(night, "birth")) == "gone"
        return ("killed" if gone else "running"), "odd"
    return ("done", "") if state == "done" else ("stopped", "odd")


def _count(column: str, colour: str, zero: str) -> Maker:
    """A count that is only worth its colour, or its place, if it is not 0."""
    return lambda night: (_figure(column, night[column]), colour) if night[column] else (zero,
                                                                                       "dim")


def _night_columns(time: bool) -> list[tuple[Column, Maker]]:
    return [
        (Column("id", right=True), lambda night: _text(night, "night")),
        (Column("date (UTC)"), lambda night: _date(night, time)),
        (Column("plan", least=5), lambda night: _text(night, "plan")),
        (Column("kind", spare=3),
         lambda night: _text(night, "kind") if night["kind"] != "regress" else ""),
        (Column("state"), _state),
        _metric("passed", 0, _count("passed", "good", "0")),
        _metric("failed", 0, _count("failed", "bad", "0")),
        _metric("hung", 0, _count("hung", "bad", "0")),
        _metric("known", 1, _count("known", "odd", "")),
        _metric("open", 3, _count("open", "odd", "")),
        _metric("night_seconds", 0, lambda night: _figure("night_seconds", night["seconds"] or 0)),
        (Column("revision", spare=1), _revision),
    ]


def print_nights(store: Store, style: Style, form: str, limit: int) -> None:
    """Prints the last nights, the very last one at the end. form: "table", "csv", "json"."""
    if form != "table":
        _print_values(store, style, form, NIGHTS_SQL, limit)
        return
    columns = _night_columns(time=not 0 < style.width < WIDE)
    table = Table(style, [column for column, _ in columns])
    for night in store.rows(NIGHTS_SQL, limit):
        table.add(*(make(night) for _, make in columns))
    table.print()


# ---- tests ----

# What is the same in all nights of a test is printed above its table, what changes is a column.
SETTINGS = {"config": "config", "dut": "dut", "memory": "memory", "seed": "seed",
            "layer_seed": "layer seed"}


def _setting(night: Row, column: str) -> str:
    value = night[column]
    return str(value % (1 << 64)) if isinstance(value, int) else _text(night, column)


def _colour(night: Row) -> str:
    """How a result counts; "dim": there is none."""
    if not night["verdict"]:
        return "dim"
    return "good" if night["verdict"] == "PASS" else "bad" if night["known"] is None else "odd"


def _mark(night: Row, utf8: bool) -> str:
    """A result as one character: high it passed, low it failed, between: as it is known to; a dot:
    it did not run."""
    colour = _colour(night)
    if utf8:
        return {"dim": "·", "good": "█", "odd": "▄", "bad": "▁"}[colour]
    return {"dim": ".", "good": "#"}.get(colour) or str(night["verdict"])[0]


def sparkline(values: typing.Sequence[float | None], utf8: bool) -> str:
    """Eight levels of each value from the least to the most; None: a gap."""
    there = [value for value in values if value is not None]
    least, most = min(there, default=0), max(there, default=0)

    def level(value: float) -> int:
        part = (value - least) / (most - least) if most > least else 0.5
        return int(part * 7 + 0.5)

    return "".join(" " if value is None else (_BLOCKS if utf8 else _LETTERS)[level(value)]
                   for value in values)


def _print_head(style: Style, last: Row, varies: set[str]) -> None:
    """ "conformance/rand_sdp_000@slow" and below it what it is."""
    same = [f"{name} {shown(_setting(last, column))}" for column, name in SETTINGS.items()
            if column not in varies and _setting(last, column)]
    style.out.write(f"{coloured(style, shown(_text(last, 'key')), 'bold')}\n"
                    f"  {shown(_text(last, 'path'))}{': ' if same else ''}{', '.join(same)}\n")


def _print_lines(style: Style, nights: list[Row]) -> None:
    """Sparklines of as many nights as there is room for."""
    beside, least = 40, 20  # columns of names and figures; nights
    if style.width:
        nights = nights[-max(style.width - beside, least):]
    marks = "".join(coloured(style, _mark(night, style.utf8), _colour(night)) for night in nights)
    passed = sum(night["verdict"] == "PASS" for night in nights)
    ran = sum(night["verdict"] is not None for night in nights)
    style.out.write(f"  verdicts  {marks}  {passed} of {ran} passed\n")
    cycles = [night["cycles"] for night in nights]
    there = [value for value in cycles if value is not None]
    if there:
        low, high = _figure("cycles", min(there)), _figure("cycles", max(there))
        style.out.write(f"  cycles    {sparkline(cycles, style.utf8)}  {low}"
                        f"{f' to {high}' if max(there) > min(there) else ''}\n")


def _change(night: Row) -> Cell:
    change = night["change_percent"]
    if not change:
        return ("" if change is None else "="), "dim"
    metric = METRICS["cycles_change"]
    return metric.format(change), metric.colour(change)


def _test_columns(varies: set[str]) -> list[tuple[Column, Maker]]:
    def setting(column: str) -> Maker:
        return lambda night: _setting(night, column) if column in varies else ""

    return [
        (Column("night", right=True), lambda night: _text(night, "night")),
        (Column("date (UTC)"), lambda night: _date(night, time=False)),
        (Column("revision", spare=3), _revision),
        *((Column(name, least=6, spare=1), setting(column)) for column, name in SETTINGS.items()),
        (Column("verdict"), lambda night: (_text(night, "verdict") or "not run", _colour(night))),
        _metric("cycles", 1, lambda night: _figure("cycles", night["cycles"])),
        _metric("cycles_change", 1, _change),
        _metric("seconds", 1, lambda night: _figure("seconds", night["seconds"] or 0)
               if night["verdict"] else ""),
        _metric("speed", 5, lambda night: _figure("speed", night["cycles_per_second"] or None)),
        (Column("why", least=12, spare=1), lambda night: _text(night, "signature")),
    ]


def _print_past(style: Style, nights: list[Row]) -> None:
    """The past of one test."""
    varies = {column for column in SETTINGS
              if len({_setting(night, column) for night in nights}) > 1}
    columns = _test_columns(varies)
    table = Table(style, [column for column, _ in columns])
    for night in nights:
        reason = _text(night, "reason")
        table.add(*(make(night) for _, make in columns), note=reason if _colour(night) != "odd"
                  else f"known: {_text(night, 'known')}; {reason}")
    _print_head(style, nights[-1], varies)
    _print_lines(style, nights)
    table.print()


# ---- which tests ----

def _keys(store: Store, word: str) -> list[str]:
    """The keys that a word names: a key, a trace, patterns of them, the file of a trace."""
    ways = (("key = {}", word), ("key GLOB {}", word), ("trace = {}", word),
            ("trace GLOB {}", word), ("trace = {}", trace_name(word)))
    for condition, value in ways:
        where = condition.format("CAST(? AS TEXT)")
        keys = [_text(row, "key") for row in store.rows(
            f"SELECT DISTINCT key FROM result WHERE {where} ORDER BY key",
            value.encode("utf-8", "surrogateescape"))]
        if keys:
            return keys
    return []


def _none(store: Store, word: str) -> Failure:
    """That there is no such test, and what is near: one that is spelled alike, or some that have
    the word in them."""
    most = 5
    keys, traces = ([_text(row, "name") for row in store.rows(
        f"SELECT DISTINCT {column} AS name FROM result ORDER BY 1")] for column in ("key", "trace"))
    path = store.file_name()
    if not keys and not traces:
        return Failure(f"{path}: found no test at all; nvcosim regress runs some")
    said = f"{path}: found no test and no trace '{shown(word)}'"
    alike = [key for key in keys if word.lower() in key.lower()]
    if alike:
        listed = ", ".join(map(shown, alike[:most])) + (", ..." if len(alike) > most else "")
        return Failure(f"{said}; with it in their names: {listed}")
    return Failure(said + (shown(guess(word, sorted(keys + traces))) or
                           "; nvcosim history '*' shows all tests"))


def print_tests(store: Store, style: Style, form: str, word: str, limit: int) -> None:
    """Prints the history of the tests that a word names in the last nights. Failure, which names
    what is near, if there is no such test."""
    keys = _keys(store, word)
    if not keys:
        raise _none(store, word)
    listed = json.dumps(keys)
    if form != "table":
        _print_values(store, style, form, TESTS_SQL, listed, limit)
        return
    for index, (_, nights) in enumerate(itertools.groupby(
            store.rows(TESTS_SQL, listed, limit), key=lambda row: row["key"])):
        if index:
            style.out.write("\n")
        _print_past(style, list(nights))
