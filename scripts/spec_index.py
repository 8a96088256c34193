#!/usr/bin/env python3
"""Index of the chapters in docs/nvdla: sections, registers and rules, each with a link to its place.

usage: spec_index.py            writes docs/nvdla/index.md
       spec_index.py --check    exit status 1 if that file is not what would be written

Registers come from csrc/nvdla/registers.csv, rules from the texts in csrc/model that a section follows.
"""
import collections
import csv
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHAPTERS = ROOT / "docs/nvdla"
INDEX = CHAPTERS / "index.md"

CITATION = re.compile(r"(\d\d-[a-z-]+)(?: section ([0-9.]+)|, illegal programming)")
Section = collections.namedtuple("Section", "file number title anchor text")


def anchor(title):
    """The anchor that GitHub and GitLab give a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def sections():
    found = []
    for path in sorted(CHAPTERS.glob("[0-9]*.md")):
        parts = re.split(r"^(#{1,4} .*)$", path.read_text(), flags=re.M)
        for heading, text in zip(parts[1::2], parts[2::2]):
            title = heading.lstrip("#").strip()
            number = re.match(r"[0-9]+(\.[0-9]+)*", title) if heading.startswith("##") else None
            found.append(Section(path.name, number.group() if number else "", title, anchor(title), text))
    return found


def link(section):
    return f"[{section.file[:2]} {section.number or 'head'}]({section.file}#{section.anchor})"


def unit_chapters():
    """The chapters that describe a unit's registers, the first one always named."""
    with open(ROOT / "csrc/nvdla/engines.csv", newline="") as file:
        return {row["unit"]: row["chapters"].split() for row in reversed(list(csv.DictReader(file)))}


def registers(all_sections):
    rows, of_unit = {}, unit_chapters()
    with open(ROOT / "csrc/nvdla/registers.csv", newline="") as file:
        for row in csv.DictReader(file):
            entry = rows.setdefault((row["unit"], row["register"]), {"small": "", "full": "", "fields": []})
            entry[row["config"]] = row["byte_offset"]
            if row["field"] not in entry["fields"]:
                entry["fields"].append(row["field"])
    lines = ["| register | small | full | fields | sections |", "|---|---|---|---|---|"]
    for (unit, name), entry in sorted(rows.items()):
        chapters = of_unit[unit]
        word = re.compile(rf"(?<![A-Z0-9_]){name}(?![A-Z0-9_])")
        where = [s for s in all_sections if s.file[:2] in chapters and s.number and word.search(s.text)]
        if not where:
            where = [s for s in all_sections if s.file[:2] == chapters[0] and "egister" in s.title][:1]
        where = where or [s for s in all_sections if s.file[:2] == chapters[0]][:1]
        fields = ", ".join(entry["fields"]) if len(entry["fields"]) < 9 else ", ".join(entry["fields"][:8]) + ", ..."
        lines.append(f"| {unit}.{name} | {entry['small']} | {entry['full']} | {fields} | {' '.join(link(s) for s in where)} |")
    return lines


def rules(all_sections):
    by_number = {(s.file[:-3], s.number): s for s in all_sections}
    cited = {}
    for path in sorted((ROOT / "csrc/model").glob("*.[ch]")):
        code = re.sub(r"/\*.*?\*/|\\\n", "", path.read_text(), flags=re.S)
        strings = [(m.start(), re.sub(r'"\s*"', "", m.group())[1:-1]) for m in re.finditer(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', code)]
        strings = [(at, text, CITATION.fullmatch(text)) for at, text in strings if len(text) > 10]
        for i, (at, _, citation) in enumerate(strings):
            if not citation:
                continue
            # A rule's section follows its text; that of a warning which is put together comes first.
            first = re.search(r"(section = |explain_wait\()[^;]*$", code[:at])
            rule = strings[i + (1 if first else -1)][1]
            cited[rule.strip()] = (citation.group(1), citation.group(2) or "")
    lines = ["| rule | section |", "|---|---|"]
    broken = []
    for text, (chapter, number) in sorted(cited.items(), key=lambda item: (item[1][0], item[1][1], item[0])):
        section = by_number.get((chapter, number))
        if number == "":
            section = next((s for s in all_sections if s.file[:-3] == chapter and "llegal" in s.title), None)
        if section is None:
            broken.append(f"csrc/model: the message \"{text}\" cites {chapter} section {number}, which does not exist")
            continue
        lines.append(f"| {text.replace('|', chr(92) + '|')} | {link(section)} |")
    return lines, broken


def main():
    all_sections = sections()
    rule_lines, broken = rules(all_sections)
    for line in broken:
        print(line, file=sys.stderr)
    out = ["# Index of the chapters", "", "Made by `scripts/spec_index.py`. `nvcosim info TRACE` decodes the registers that a trace writes.", "",
           "## Sections", ""]
    for section in all_sections:
        out.append(f"{'  ' if section.number else ''}- [{section.title}]({section.file}#{section.anchor})")
    out += ["", "## Registers", "", "Byte offsets from the base of NVDLA. Sections: chapter and section in which the register is named.", ""]
    out += registers(all_sections) + ["", "## Rules of legal programming", "", "What the model says of programming that breaks a rule, and where the rule stands.", ""]
    text = "\n".join(out + rule_lines) + "\n"
    if sys.argv[1:] == ["--check"]:
        if not INDEX.exists() or INDEX.read_text() != text:
            print(f"{INDEX.relative_to(ROOT)} is not what scripts/spec_index.py makes; run it and commit the result", file=sys.stderr)
            return 1
    elif sys.argv[1:]:
        print(__doc__, file=sys.stderr)
        return 2
    else:
        INDEX.write_text(text)
    return 1 if broken else 0


sys.exit(main())
