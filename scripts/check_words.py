#!/usr/bin/python3
"""Finds the words and phrases that the word list of docs/style.md rejects, in documentation, comments, messages and help texts.

usage: check_words.py [FILE...]     default: all of the project; prints FILE:LINE: found "X", write "Y", and the number of each

A row of the list names a phrase, what to write, and longer phrases in which it is right. In a phrase, a/b stands for either word. A phrase may
be spread over the lines of a comment, or over the pieces of a string literal. Whole files are searched, code too: the phrases do not occur there.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "docs/style.md"
ROW = re.compile(r"^\| `([^`]+)` \| ([^|]+?) \| ([^|]*?) ?\|$", re.M)
PLACES = ("*.md", "Makefile", ".ci/run", "docs/*.md", "docs/ci/*", "plans/*.yml",
          *(f"{folder}/**/*" for folder in ("csrc", "tb", "rtl", "scripts", "python", "tests")))
KINDS = {".md", ".c", ".h", ".cpp", ".sv", ".svh", ".py", ".sh", ".bash", ".mk", ".awk", ".csv", ".tsv", ".sql", ".yml", ""}
# Not ours to word: corpora of the fuzzers and Verilog as other tools generate it. docs/nvdla is not in PLACES: the specification keeps to the
# terms of the hardware, and is reviewed on its own.
EXCLUDED = ("tests/fuzz/corpus/", "tests/regress/vmod/")
GAP = r'(?:\s|"\s*\n\s*")+'  # between two words
LEADER = re.compile(r"^[ \t]*(?:\*(?!/)|//+|#+!?|>|--)(?=[ \t])", re.M)


class Phrase:
    def __init__(self, text):
        self.words = [word.split("/") for word in text.split()]
        self.pattern = re.compile(rf"\b{GAP.join('(?:' + '|'.join(map(re.escape, word)) + ')' for word in self.words)}\b")

    def spans(self, text):
        """Where a text in lower case has the phrase. Looking for its words first takes a tenth of the time."""
        if all(any(choice in text for choice in word) for word in self.words):
            return [match.span() for match in self.pattern.finditer(text)]
        return []


def read_list():
    """(phrase, what to write, longer phrases that are right) for each row."""
    rows = ROW.findall(LIST.read_text(encoding="utf-8"))
    if not rows:
        sys.exit(f"check_words.py: {LIST}: found no row | `phrase` | what to write | right in |, expected the word list")
    return [(Phrase(phrase), write, [Phrase(right) for right in re.findall(r"`([^`]+)`", exceptions)]) for phrase, write, exceptions in rows]


def blank(match):
    return " " * len(match.group())


def hits(path, rows):
    """(line, what was found, what to write)."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if path == LIST:
        text = ROW.sub(blank, text)
    text = LEADER.sub(blank, text).lower()
    for rejected, write, exceptions in rows:
        spans = rejected.spans(text)
        right = [span for exception in exceptions if spans for span in exception.spans(text)]
        for start, end in spans:
            if not any(first <= start and end <= last for first, last in right):
                yield text.count("\n", 0, start) + 1, " ".join(re.sub(r'"\s*\n\s*"', " ", text[start:end]).split()), write


def files():
    for path in (path for place in PLACES for path in sorted(ROOT.glob(place))):
        if path.is_file() and path.suffix in KINDS and not str(path.relative_to(ROOT)).startswith(EXCLUDED):
            yield path


def main():
    rows = read_list()
    counts = collections.Counter()
    for path in [pathlib.Path(name).resolve() for name in sys.argv[1:]] or files():
        name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        for line, found, write in sorted(hits(path, rows)):
            print(f'{name}:{line}: found "{found}", write "{write}"')
            counts[found] += 1
    for found, count in counts.most_common():
        print(f"{count:5} {found}")
    return bool(counts)


if __name__ == "__main__":
    sys.exit(main())
