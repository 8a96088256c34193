"""The page of a comparison, of the same parts as that of a night (page.py)."""
import io
import os
import re

from nvcosim.pages.compare import CHANGES, EXTREMES, NEWS, REST, Comparison, Members, Pair
from nvcosim.pages.compare_text import EDGE, compare_print
from nvcosim.pages.page import data_of, link, page_text, write_file
from nvcosim.text import Style

_DRAWN = ("test", "change", *(f"{name}_{letter}" for letter in "ab" for name in (
    "key", "verdict", "signature", "cycles", "speed")), "cycles_ratio", "speed_ratio")
_LISTED = 200  # tests of a section; the table at the end has all


def _file_word(text: str) -> str:
    """Characters of a choice that a file name may have."""
    return re.sub("[^a-zA-Z0-9_.]", "-", text)


def _default_path(comparison: Comparison) -> str:
    a, b = comparison.a, comparison.b
    folder = b.night.folder[:b.night.folder.rfind("/") + 1]
    words = "-".join(f"{side.night.night}{_file_word(side.chosen)}" for side in (a, b))
    return f"{folder}compare-{words}.html"


def _test(pair: Pair, told: bool, report: str | None) -> Members:
    """What the page shows of a test. told: with what the lists of changes say of it."""
    members, run = pair.members(), pair.told
    test = {name: members[name] for name in _DRAWN} | {"speed_counts": pair.speed_counts} | {
        f"known_{letter}": each.known for letter, each in (("a", pair.a), ("b", pair.b)) if each}
    if told:
        test |= {"reason": run.reason, "report": report,
                 "command": run.fails and (run.debug_command or run.command)}
    return {name: value for name, value in test.items() if value}


def compare_page(comparison: Comparison, path: str | None = None) -> str:
    """Writes the page; path None: compare-A-B.html where the folder of B's night is. Returns where
    it is. Failure: it cannot be written."""
    path = path or _default_path(comparison)
    folder = os.path.dirname(os.path.abspath(path))
    sides = {"a": comparison.a, "b": comparison.b}
    nights = {letter: side.night for letter, side in sides.items()}

    def address(letter: str, file: str | None) -> str | None:
        """Of a file of a night, seen from the page; None where the folder of the night is not
        known."""
        known = file and nights[letter].folder.startswith("/")
        return link(os.path.relpath(os.path.join(nights[letter].folder, file or ""), folder)) \
            if known else None

    indexes = {letter: address(letter, "index.html") for letter in sides}
    title = " to ".join(f"night {side.night.night}{side.chosen}" for side in sides.values())
    outcome, tests = "WORSE" if comparison.worse() else "NOT WORSE", []
    links = [(index, f"night {nights[letter].night}") for letter, index in indexes.items() if index]
    for change in CHANGES:
        for place, pair in enumerate(comparison.of(change)):
            told = change != "passes in both" and place < _LISTED
            report = address("b" if pair.b else "a", pair.told.page) if told else None
            tests.append(_test(pair, told, report))
            links += [(report, f"report of {pair.told.key}")] if report else []
    data: Members = {**comparison.members(), "tests": tests, "title": title, "outcome": outcome,
            "sentence": comparison.sentence(), "limit": comparison.limit, "extremes": EXTREMES,
            "listed": _LISTED, "edge": EDGE, "other_work": comparison.other_work(),
            "news": [(change, *CHANGES[change]) for change in NEWS],
            "rest": [(change, *CHANGES[change]) for change in REST]}
    for letter, side in sides.items():
        data[letter] |= {"chosen": side.chosen, "version": side.night.version,
                         "index": indexes[letter]}
    text = io.StringIO()
    compare_print(comparison, Style(text), every=False)
    write_file(path, page_text(f"{outcome} {title}", text.getvalue(), links, "compare.js",
                               data_of(data)))
    return path
