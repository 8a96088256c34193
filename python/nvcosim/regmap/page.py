"""The map as one page with a search: registers and fields, the sections of docs/nvdla that name
them, the rules of `nvcosim lint` about them. Sections and rules come from docs/nvdla/index.md."""
import functools
import pathlib
import re
from html import escape

from nvcosim import tool
from nvcosim.regmap.model import ACCESS, Field, Map, Register

_LINK = re.compile(r"\[[^]]*\]\(([^)#]*)\.md#([^)]*)\)")
_FORMAT = re.compile(r"%[a-z]+")  # what a rule's text says of a trace
_WORD = re.compile(r"[A-Z][A-Z0-9_]+")


class Chapters:
    """What docs/nvdla says of a register: by UNIT.REGISTER its sections (file, anchor) and its
    rules with theirs."""

    def __init__(self) -> None:
        self.folder = pathlib.Path(tool.sources()) / "docs/nvdla"
        self.sections: dict[str, list[tuple[str, str]]] = {}
        self.rules: dict[str, list[tuple[str, tuple[str, str]]]] = {}
        index = self.folder.joinpath("index.md").read_text(encoding="utf-8")
        _, registers, rules = re.split("^## Registers$|^## Rules .*$", index, flags=re.M)
        for row in re.findall(r"^\| (\w+\.\w+) \|.*\| (.*) \|$", registers, re.M):
            self.sections[row[0]] = _LINK.findall(row[1])
        for rule, link, names in re.findall(r"^\| (.*) \| (\[.*\)) \| (.*) \|$", rules, re.M):
            for name in names.split():
                self.rules.setdefault(name, []).append(
                    (_FORMAT.sub("N", rule), _LINK.findall(link)[0]))

    @functools.cache
    def _words(self, file: str) -> dict[str, tuple[str, frozenset[str]]]:
        """Of each section of a chapter, by its anchor: title, words in capitals."""
        text = self.folder.joinpath(f"{file}.md").read_text(encoding="utf-8")
        parts = re.split(r"^#{1,4} (.*)$", text, flags=re.M)[1:]
        return {re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-"):
                (title.strip(), frozenset(_WORD.findall(body)))
                for title, body in zip(parts[::2], parts[1::2])}

    def title(self, section: tuple[str, str]) -> str:
        """ "30-cdma-cbuf, 2. Registers"."""
        file, anchor = section
        return f"{file}, {self._words(file)[anchor][0]}"

    def of(self, register: Register, field: Field) -> list[tuple[str, str]]:
        """The sections of the register that name the field; else those of the same chapters; else
        all sections of the register."""
        own = self.sections.get(register.full, [])
        if found := [(file, at) for file, at in own if field.name in self._words(file)[at][1]]:
            return found
        files = dict.fromkeys(file for file, _ in own)
        return [(file, at) for file in files for at, (_, words) in self._words(file).items()
                if field.name in words] or own


def _cell(text: str, kind: str = "") -> str:
    return f'<td class="{kind}">{text}</td>' if kind else f"<td>{text}</td>"


def _field(chapters: Chapters, register: Register, field: Field) -> str:
    values = "".join(f"<li>{value} <code>{name}</code></li>"
                     for name, value in field.values.items())
    where = "".join(f"<li>{escape(chapters.title(section))}</li>"
                    for section in chapters.of(register, field))
    return "<tr>" + _cell(field.bits) + _cell(f"<code>{field.name}</code>") + _cell(
        f'<abbr title="reads {escape(ACCESS[field.access][0])}; written: '
        f'{escape(ACCESS[field.access][1])}">{field.access}</abbr>') + _cell(
        f"0x{field.reset:x}", "n") + _cell(
        escape(field.text) + (f'<ul class="values">{values}</ul>' if values else ""), "wide") + \
        _cell(f"<ul>{where}</ul>", "where") + "</tr>\n"


def _register(chapters: Chapters, regmap: Map, register: Register) -> str:
    find = (f"0x{register.address:x} 0x{register.word:x} 0x{register.token:08x} "
            f"0x{regmap.base + register.address:x}")
    soc = f", <code>0x{regmap.base + register.address:x}</code> in the SoC" if regmap.base else ""
    rules = "".join(f"<li>{escape(rule)} <small>{escape(chapters.title(section))}</small></li>"
                    for rule, section in chapters.rules.get(register.full, []))
    rules = f"<details><summary>Rules of lint</summary><ul>{rules}</ul></details>" if rules else ""
    fields = "".join(_field(chapters, register, field) for field in register.fields)
    groups = f"groups 0 and 1: {register.about}" if register.grouped else "no groups"
    return (
        f'<article id="{register.full}" data-find="{find}"><h3><a href="#{register.full}">'
        f"{register.full}</a></h3>\n<p class=\"about\"><code>0x{register.address:05x}</code>, CSB "
        f"word <code>0x{register.word:04x}</code>, input.txn <code>0x{register.token:08x}</code>"
        f"{soc}; reset <code>0x{register.reset:08x}</code>; {groups}</p>\n"
        '<div class="scroll"><table><thead><tr><th>bits</th><th>field</th><th>access</th>'
        f'<th class="n">reset</th><th>meaning</th><th>specification</th></tr></thead>\n<tbody>'
        f"{fields}</tbody></table></div>\n{rules}</article>\n")


def page(regmap: Map) -> str:
    """The text of the page. It needs no other file; without JavaScript it has no search."""
    chapters = Chapters()
    own = pathlib.Path(__file__).parent
    shared = own.parent / "pages"
    css, script = ("".join(path.read_text(encoding="utf-8") for path in paths) for paths in (
        (shared / "base.css", own / "page.css"), (shared / "base.js", own / "page.js")))
    units = "".join(
        f'<section id="{unit}"><h2>{unit}</h2>\n'
        + "".join(_register(chapters, regmap, register) for register in registers) + "</section>\n"
        for unit, registers in regmap.units())
    links = " ".join(f'<a href="#{unit}">{unit}</a>' for unit, _ in regmap.units())
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; \
script-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(regmap.title)}</title>
<style>
{css}</style>
</head>
<body>
<button id="theme" type="button" hidden>light / dark</button>
<h1>{escape(regmap.title)}</h1>
<form id="find" role="search" hidden><input type="search" aria-label="Search" placeholder="name, \
address or words of a meaning" autofocus> <output></output></form>
<nav>{links}</nav>
<main>
{units}</main>
<script>
{script}</script>
</body>
</html>
"""
