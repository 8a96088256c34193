#!/usr/bin/python3
"""Index of the chapters in docs/nvdla: sections, registers and rules, each with a link to its place.

usage: spec_index.py            writes docs/nvdla/index.md
       spec_index.py --check    exit status 1 if that file is not what would be written

Registers come from csrc/nvdla/registers.csv, rules from the tables csrc/model/rules_*.csv, and from the texts in C
there that a section follows.
"""
import csv
import dataclasses
import pathlib
import re
import sys

import tables

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHAPTERS = ROOT / "docs/nvdla"
INDEX = CHAPTERS / "index.md"
CITATION = re.compile(r"(\d\d-[a-z-]+)(?: section ([0-9.]+)|, illegal programming)")
STRING = r'"(?:[^"\\\n]|\\.)*"'
STRINGS = rf"{STRING}(?:\s*{STRING})*"


@dataclasses.dataclass
class Section:
    file: str
    title: str
    text: str
    number: str = ""

    def link(self, text):
        """With the anchor that GitHub and GitLab give the heading."""
        anchor = re.sub(r"[^\w\- ]", "", self.title.lower()).replace(" ", "-")
        return f"[{text}]({self.file}#{anchor})"

    def short(self):
        return self.link(f"{self.file[:2]} {self.number or 'head'}")


def read_sections():
    for path in sorted(CHAPTERS.glob("[0-9]*.md")):
        parts = re.split(r"^(#{1,4}) (.*)$", path.read_text(), flags=re.M)
        for level, title, text in zip(parts[1::3], parts[2::3], parts[3::3]):
            number = re.match(r"[0-9]+(\.[0-9]+)*", title.strip()) if level != "#" else None
            yield Section(path.name, title.strip(), text, number.group() if number else "")


def registers(sections):
    """The section in which each register is named, of the chapters of its unit; else the section about registers, or the head, of the main one."""
    rows = {}
    with open(ROOT / "csrc/nvdla/engines.csv", newline="") as file:
        chapters_of = {row["unit"]: row["chapters"].split() for row in reversed(list(csv.DictReader(file)))}
    for name, registers in sorted(tables.load_registers().items()):
        for register in registers:
            offsets, fields = rows.setdefault((register.unit, register.name), ({"small": "", "full": ""}, {}))
            offsets[name] = f"0x{register.offset:05x}"
            fields.update((field.name, None) for field in register.fields)
    yield from ("| register | small | full | fields | sections |", "|---|---|---|---|---|")
    for (unit, name), (offsets, fields) in sorted(rows.items(), key=lambda row: row[0]):
        chapters = chapters_of[unit]
        main = [s for s in sections if s.file[:2] == chapters[0]]
        word = re.compile(rf"(?<![A-Z0-9_]){name}(?![A-Z0-9_])")
        where = ([s for s in sections if s.file[:2] in chapters and s.number and word.search(s.text)]
                 or [s for s in main if "egister" in s.title][:1] or main[:1])
        fields = ", ".join(fields if len(fields) < 9 else [*list(fields)[:8], "..."])
        yield f"| {unit}.{name} | {offsets['small']} | {offsets['full']} | {fields} | {' '.join(s.short() for s in where)} |"


def joined(strings):
    """The text of string literals that follow each other."""
    return re.sub(r'"\s*"', "", strings)[1:-1]


def rules(sections):
    cited, named = {}, {}
    for path in sorted((ROOT / "csrc/model").glob("*.c")):
        code = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
        strings = [(m.start(), joined(m.group())) for m in re.finditer(STRINGS, code)]
        strings = [(at, text) for at, text in strings if len(text) > 10]
        for i, (at, text) in enumerate(strings):
            if CITATION.fullmatch(text):
                # A rule's section follows its text; that of a warning which is put together comes first.
                first = re.search(r"(section = |explain_wait\()[^;]*$", code[:at])
                cited[strings[i + (1 if first else -1)][1].strip()] = text
    for path in sorted((ROOT / "csrc/model").glob("rules_*.csv")):
        for row in tables.read_csv(path):
            if CITATION.fullmatch(row["section"]):
                cited[row["text"]] = row["section"]
                named.setdefault(row["text"], {}).update(dict.fromkeys(row["registers"].split()))
    yield from ("| rule | section | registers |", "|---|---|---|")
    places = {text: CITATION.fullmatch(section).groups("") for text, section in cited.items()}
    for text, (chapter, number) in sorted(places.items(), key=lambda item: (item[1], item[0])):
        found = [s for s in sections if s.file[:-3] == chapter and (s.number == number if number else "llegal" in s.title)]
        if not found:
            sys.exit(f"csrc/model: the message \"{text}\" cites {chapter} section {number}, which does not exist")
        yield f"| {text.replace('|', chr(92) + '|')} | {found[-1 if number else 0].short()} | {' '.join(named.get(text, []))} |"


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    sections = list(read_sections())
    text = "\n".join([
        "# Index of the chapters", "", "Made by `scripts/spec_index.py`. `nvcosim info TRACE` decodes the registers that a trace writes.", "",
        "## Sections", "", *(f"{'  ' if s.number else ''}- {s.link(s.title)}" for s in sections), "",
        "## Registers", "", "Byte offsets from the base of NVDLA. Sections: chapter and section in which the register is named.", "",
        *registers(sections), "", "## Rules of legal programming", "",
        "What the model says of programming that breaks a rule, where the rule is explained, and the registers that it names.", "", *rules(sections)]) + "\n"
    if not sys.argv[1:]:
        INDEX.write_text(text)
    elif not INDEX.exists() or INDEX.read_text() != text:
        print(f"{INDEX.relative_to(ROOT)} is not what scripts/spec_index.py makes; run it and commit the result", file=sys.stderr)
        return 1
    return 0


sys.exit(main())
