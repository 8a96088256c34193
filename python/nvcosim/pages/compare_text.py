"""A comparison on a terminal, as JSON, and between commas."""
import json
import re
import typing

from nvcosim.pages.compare import CHANGES, EXTREMES, NEWS, REST, Comparison, Pair, Side
from nvcosim.pages.metrics import METRICS
from nvcosim.pages.review import Test
from nvcosim.table import Cell, Column, Table, coloured
from nvcosim.text import Style, plural, shown

SHOWN = 20  # tests of a list, unless all are asked for
EDGE = 0.0005  # a ratio that is nearer to 1 has no colour
_CSV = ("test", "change", "item", "config", "verdict_a", "verdict_b", "cycles_a", "cycles_b",
        "cycles_ratio", "speed_a", "speed_b", "speed_ratio", "signature_a", "signature_b", "reason")

# ---- on a terminal ----


def _verdict(run: Test | None) -> Cell:
    if not run or run.verdict is None:
        return ("not run" if run else "-"), "dim"
    return run.verdict, "good" if not run.fails else "bad" if run.known is None else "odd"


def _cycles(run: Test | None) -> str:
    return f"{run.cycles}" if run and run.cycles > 0 else ""


def _speed(run: Test | None) -> str:
    return METRICS["speed_khz"].format(run.speed / 1000) if run and run.speed else ""


def _ratio(name: str, ratio: float | None, counts: bool = True) -> Cell:
    """A figure of METRICS with its colour; counts: whether it may have one."""
    if not ratio:
        return "", ""
    metric = METRICS[name]
    colour = metric.colour(ratio - 1) if counts and abs(ratio - 1) > EDGE else ""
    return metric.format(ratio), "bad" if colour == "odd" else colour


def _print_side(side: Side, letter: str, style: Style) -> None:
    night = side.night
    text = f"{letter}  night {night.night}{side.chosen}, {night.plan}, {night.started[:10]} " \
           f"{night.started[11:16]}"
    if night.revision:
        text += f", revision {night.revision[:10]}{'*' if night.dirty else ''}"
    text += "" if night.state == "done" else f", {night.state}"
    print(shown(f"{text}: {len(side.tests)} tests")[:style.width or None], file=style.out)


def _print_changes(comparison: Comparison, changes: tuple[str, ...], style: Style,
                   every: bool) -> None:
    for change in changes:
        pairs = comparison.of(change)
        if not pairs:
            continue
        print(f"\n{CHANGES[change][1]} ({len(pairs)})", file=style.out)
        table = Table(style, [Column("A"), Column("B"), Column("test", least=24),
                              Column("looks like", least=12, spare=1)])
        for pair in pairs if every else pairs[:SHOWN]:
            before, now = (run.signature if run else None for run in (pair.a, pair.b))
            changed = f", was {before}" if before and now and before != now else ""
            table.add(_verdict(pair.a), _verdict(pair.b), pair.name,
                      f"{now or before or ''}{changed}",
                      note=pair.told.reason or "" if change == "new failure" else "")
        table.print()
        if len(pairs) > SHOWN and not every:
            print(f"... and {len(pairs) - SHOWN} more (--all shows them)", file=style.out)


def _print_means(comparison: Comparison, style: Style) -> None:
    means = comparison.means()
    if not means:
        return
    print("\nGeometric means of B/A over tests that pass in both", file=style.out)
    table = Table(style, [
        Column("of"), Column("", least=12), Column("tests", right=True),
        Column("cycles", right=True), Column("more", right=True, spare=2),
        Column("fewer", right=True, spare=2), Column("speed", right=True)])
    for mean in means:
        table.add((mean["kind"], "dim"), mean["name"] or "",
                  f"{max(mean['tests'], mean['speed_tests'])}",
                  _ratio("cycles_ratio", mean["cycles"]), f"{mean['more']}", f"{mean['fewer']}",
                  _ratio("speed_ratio", mean["speed"], mean["speed_counts"]))
    table.print()
    other = comparison.other_work()
    if other:
        print(f"{plural(other, 'test passes', 'tests pass')} in both with other layers or seeds: "
              "cycles and speed are not compared.", file=style.out)


def _print_extremes(title: str, pairs: list[Pair], style: Style) -> None:
    if not pairs:
        return
    print(f"\n{title} ({len(pairs)})", file=style.out)
    table = Table(style, [
        Column(METRICS["cycles_ratio"].header, right=True), Column("cycles A", right=True),
        Column("cycles B", right=True), Column(METRICS["speed_ratio"].header, right=True, spare=1),
        Column("test", least=24)])
    for pair in pairs[:EXTREMES]:
        table.add(_ratio("cycles_ratio", pair.cycles_ratio), _cycles(pair.a), _cycles(pair.b),
                  _ratio("speed_ratio", pair.speed_ratio, pair.speed_counts), pair.name)
    table.print()


def _print_all(comparison: Comparison, style: Style) -> None:
    print(f"\nAll tests ({len(comparison.pairs)})", file=style.out)
    table = Table(style, [
        Column("A"), Column("B"), Column("cycles A", right=True, spare=2),
        Column("cycles B", right=True), Column("B/A", right=True),
        Column("kHz A", right=True, spare=4), Column("kHz B", right=True, spare=3),
        Column("B/A", right=True, spare=1), Column("test", least=24)])
    for pair in comparison.pairs:
        table.add(_verdict(pair.a), _verdict(pair.b), _cycles(pair.a), _cycles(pair.b),
                  _ratio("cycles_ratio", pair.cycles_ratio), _speed(pair.a), _speed(pair.b),
                  _ratio("speed_ratio", pair.speed_ratio, pair.speed_counts), pair.name)
    table.print()


def compare_print(comparison: Comparison, style: Style, every: bool) -> None:
    """For the user. every: all tests, not only those that changed."""
    worse = comparison.worse()
    _print_side(comparison.a, "A", style)
    _print_side(comparison.b, "B", style)
    word = coloured(style, "WORSE" if worse else "NOT WORSE", "bad" if worse else "good")
    print(f"{word}: {comparison.sentence()}", file=style.out)
    _print_changes(comparison, (*NEWS, *REST[:-2]), style, every)
    _print_means(comparison, style)
    _print_extremes("More cycles, the most first", comparison.most_changed(True), style)
    _print_extremes("Fewer cycles, the fewest first", comparison.most_changed(False), style)
    _print_changes(comparison, REST[-2:], style, every)
    if every:
        _print_all(comparison, style)


# ---- data ----

def compare_json(comparison: Comparison, out: typing.TextIO) -> None:
    """Everything as one JSON object; bytes that are not UTF-8 are shown."""
    text = json.dumps(comparison.members(), ensure_ascii=False, separators=(",", ":"))
    text = re.sub("[\ud800-\udfff]", lambda found: json.dumps(shown(found[0]))[1:-1], text)
    out.write(f"{text}\n")


def compare_csv(comparison: Comparison, out: typing.TextIO) -> None:
    """The tests between commas."""
    from nvcosim.pages.query import print_rows
    tests = (pair.members() for pair in comparison.pairs)
    print_rows(Style(out), "csv", list(_CSV), ([test[name] for name in _CSV] for test in tests))
