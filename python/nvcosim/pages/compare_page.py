"""The page of a comparison, of the same parts as that of a night (page.py)."""
import dataclasses
import io
import os
import re
import typing

from nvcosim.pages.compare import CHANGES, EXTREMES, Comparison, Pair, Run
from nvcosim.pages.compare_text import compare_print
from nvcosim.pages.page import data_of, link, page_text, write_file
from nvcosim.text import Style

_LISTED = 200  # tests of a section; the table at the end has all


def _file_word(text: str) -> str:
    """Characters of a choice that a file name may have."""
    return re.sub("[^a-zA-Z0-9_.]", "-", text)


def _default_path(comparison: Comparison) -> str:
    a, b = comparison.a, comparison.b
    folder = b.folder[:b.folder.rfind("/") + 1]
    return f"{folder}compare-{a.night}{_file_word(a.chosen)}-{b.night}{_file_word(b.chosen)}.html"


def _run(run: Run, address: str | None, told: bool) -> dict[str, typing.Any]:
    """What the page shows of a test in a night. told: with what the lists of changes say of it."""
    values: dict[str, typing.Any] = {
        "verdict": run.verdict, "known": run.known is not None, "cycles": run.cycles,
        "speed": float(f"{run.speed:.5g}")}
    if told:
        values |= {"signature": run.signature, "reason": run.reason, "report": address,
                   "command": run.fails and (run.debug_command or run.command)}
    return {name: value for name, value in values.items() if value}


def _pair(pair: Pair, told: bool,
          address: typing.Callable[[str, str | None], str | None]) -> dict[str, typing.Any]:
    return {"name": pair.told.name, "change": pair.change, "cycles": pair.cycles_ratio,
            "speed": pair.speed_ratio, "speed_counts": pair.speed_counts,
            "a": pair.a and _run(pair.a, address("a", pair.a.page), told),
            "b": pair.b and _run(pair.b, address("b", pair.b.page), told)}


def compare_page(comparison: Comparison, path: str | None = None) -> str:
    """Writes the page; path None: compare-A-B.html where the folder of B's night is. Returns where
    it is. Failure: it cannot be written."""
    path = path or _default_path(comparison)
    folder = os.path.dirname(os.path.abspath(path))
    sides = {"a": comparison.a, "b": comparison.b}

    def address(letter: str, file: str | None) -> str | None:
        """Of a file of a night, seen from the page; None where the folder of the night is not
        known."""
        known = file and sides[letter].folder.startswith("/")
        return link(os.path.relpath(os.path.join(sides[letter].folder, file or ""), folder)) \
            if known else None

    indexes = {letter: address(letter, "index.html") for letter in sides}
    title = " to ".join(f"night {side.night}{side.chosen}" for side in sides.values())
    outcome, pairs = "WORSE" if comparison.worse() else "NOT WORSE", []
    links = [(index, f"night {sides[letter].night}") for letter, index in indexes.items() if index]
    for change in CHANGES:
        for place, pair in enumerate(comparison.of(change)):
            told = change != "passes in both" and place < _LISTED
            pairs.append(_pair(pair, told, address))
            report = told and address("b" if pair.b else "a", pair.told.page)
            links += [(report, f"report of {pair.told.key}")] if report else []
    data = {"title": title, "outcome": outcome, "sentence": comparison.sentence(), "pairs": pairs,
            "sides": [{**data_of(dataclasses.replace(side, runs=[])), "tests": len(side.runs),
                       "chosen": side.chosen, "index": indexes[letter]}
                      for letter, side in sides.items()],
            "limit": comparison.limit, "over": comparison.over(), "extremes": EXTREMES,
            "listed": _LISTED, "other_work": comparison.other_work(),
            "means": [{"kind": mean.kind, "name": mean.name, **mean.figures()}
                      for mean in comparison.means()]}
    text = io.StringIO()
    compare_print(comparison, Style(text), every=False)
    write_file(path, page_text(f"{outcome} {title}", text.getvalue(), links, "compare.js",
                               data_of(data)))
    return path
