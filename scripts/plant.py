#!/usr/bin/python3
"""Plants faults in a copy of an RTL, all of them in one copy: each fault changes one operator, constant, selection or condition in the body of a
module, or drops an assignment (docs/qualify.md has the table). A number selects at run time which fault is present, so a thousand faults cost
one build.

usage: plant.py OUT --count N --seed S [--config CONFIG] [--filelist FILE.f [--top MODULE]] [--verilator-option OPTION]... [FOLDER...]
  OUT         folder for the copy: rtl/ with the changed sources, faults.f, the file list of the copy, and faults.json, the table of faults
  --filelist  of the RTL, as `nvcosim build` takes it; default: the RTL in rtl/, of configuration CONFIG
  FOLDER      only these folders get faults, in turn; default: every place in the design is equally likely

  plant.py build/planted --count 40 --seed 1
  nvcosim build --config small --name planted --filelist build/planted/faults.f
  nvcosim run --dut rtl:planted --fault 7 TRACE

`nvcosim qualify` does all of this for a whole corpus of traces.

OUT/made.json says what a copy was made of. If nothing of that has changed, and nothing in the copy, it stays as it is.

OUT/rtl and the scratch folders OUT/trial and OUT/xml are emptied by each call. They carry a mark, the file planted-by-nvcosim.txt. A folder of
that name that has files and no mark is refused, and so is an OUT that is the top of a project or contains the RTL.

An expression E with fault 7 becomes (nvdla_fault(7, E7 != E) ? E7 : E), an assignment that it drops if (!nvdla_fault(7, 1)). The function
(tb/planted.h, called from Verilator's C++) returns whether fault 7 is selected. It also records that the changed expression had another value, so
one run without a fault lists the faults that could have any effect.

Faults are placed in the right-hand sides of assignments, in conditions, in the selectors and labels of case statements, in the connections of
inputs and in the constants that a reset sets, in modules, functions and packages that are part of the elaborated design. These stay as they are:
sizes, what is assigned to, replications, parameters, comparisons of a parameter with a number (they switch parts of a design on or off), the
signals of clocks and resets, initial blocks, and inactive branches of `ifdef. Verilator elaborates and translates the copy. A place that does not
compile is replaced by the next one and counted. So is a place that the translated design no longer has: a function that nothing calls, logic that
a parameter or a constant input switches off, a value that nothing reads.
"""
import argparse
import concurrent.futures
import contextlib
import hashlib
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import typing

sys.dont_write_bytecode = True  # the folder of an installed copy stays as it is
from verilog_source import OPENING, Source

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
MARK = "planted-by-nvcosim.txt"
HEADER = os.path.join(ROOT, "tb", "planted.h")
OPERATORS = {"+": "-", "-": "+", "==": "!=", "!=": "==", "===": "!==", "!==": "===", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||",
             "||": "&&", "&": "|", "|": "&", "^": "|", "<<": ">>", ">>": "<<", "!": "", "~": ""}
OPERAND = re.compile(r"[\w$)\]}']")  # its last character
REDUCTIONS = {"&": "|", "|": "&", "^": "|"}
STRENGTH = {"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, "<=": 7, ">": 7, ">=": 7, "<<": 8, ">>": 8, "<<<": 8, ">>>": 8,
            "+": 9, "-": 9, "*": 10, "/": 10, "%": 10, "**": 11}
ARITHMETIC = {"+", "-", "*", "/", "%", "<<", ">>", "<<<", ">>>", "~", "'0", "'1"}
BASED = re.compile(r"(\d[\d_]*)\s*'(s?)([bodh])\s*([0-9a-f_]+)", re.I)
BASES = {"b": 2, "o": 8, "d": 10, "h": 16}


class Fault(typing.NamedTuple):
    """A change of a site: its tokens from `first` up to `last` become `text`."""
    site: object
    first: int
    last: int
    text: str
    seen: int          # the user sees `original -> changed` instead of the tokens from here up to `until`
    until: int
    original: str
    changed: str
    kind: str          # a heading of the table in docs/qualify.md


def token_fault(site, source, i, enums):
    """The fault that changes one token; None if there is none."""
    token, before, after = source.tokens[i], source.tokens[i - 1] if i > site.start else "(", source.tokens[i + 1] if i + 1 < site.end else ")"
    operand = OPERAND.match(before[-1]) is not None
    new, kind = None, "constant"
    if token in ("!", "~"):
        new, kind = "", "negation"
    elif token in OPERATORS and operand:
        new, kind = OPERATORS[token], "operator"
    elif token in REDUCTIONS and not operand:
        new, kind = REDUCTIONS[token], "operator"
    elif token in enums:
        new, kind = enums[token], "label" if site.kind == "label" else "state"
    elif BASED.fullmatch(token):
        width, sign, base, digits = BASED.fullmatch(token).groups()
        value = (int(digits.replace("_", ""), BASES[base.lower()]) + 1) % (1 << int(width.replace("_", "")))
        new = f"{width}'{sign}d{value}"
    elif token in ("'0", "'1"):
        new = "'1" if token == "'0" else "'0"
    elif token.isdigit() and before not in (".", "'") and after not in ("'", "{"):
        new = str(int(token) + 1)
    if new is None or before == "'":
        return None
    if site.kind in ("reset", "label"):
        kind = site.kind
    return Fault(site, i, i + 1, new, i, i + 1, token, new, kind)


def operand_end(source, site, at, step, strength):
    """Where the operand of a binary operator ends that begins at a token, to the left or to the right."""
    first = at
    while site.start <= at < site.end:
        token = source.tokens[at]
        if step > 0 and token in OPENING:
            at = source.close(at)
            continue
        if step < 0 and token in (")", "]", "}"):
            at = source.opening[at] - 1
            continue
        unary = at == first if step > 0 else at == site.start or not OPERAND.match(source.tokens[at - 1][-1])
        if token in (",", "?", ":", "(", "[", "{", ")", "]", "}") or (token in STRENGTH and STRENGTH[token] <= strength and not unary):
            break
        at += step
    return at


def choices(source, site, names):
    """Faults of c ? a : b: the arms are swapped. names: whether tokens name a signal."""
    for i in range(site.start, site.end):
        if source.tokens[i] == "?":
            first = operand_end(source, site, i - 1, -1, 0) + 1
            if names(first, i):
                yield Fault(site, first, i, f"!({source.flat(first, i)})", i, i + 1, "?", "arms swapped", "arms")


def differences(source, site, fixed, names):
    """Faults of a - b: b - a."""
    for i in range(site.start + 1, site.end - 1):
        if source.tokens[i] == "-" and OPERAND.match(source.tokens[i - 1][-1]) and i not in fixed:
            first, last = operand_end(source, site, i - 1, -1, STRENGTH["-"]) + 1, operand_end(source, site, i + 1, 1, STRENGTH["-"])
            if names(first, last) and (first == site.start or source.tokens[first - 1] != "-"):  # a - b - c is a - c - b
                yield Fault(site, first, last, f"{source.flat(i + 1, last)} - {source.flat(first, i)}", i, i + 1, "-", "operands swapped", "operands")


def selections(source, site):
    """Faults of v[i], v[high:low], v[low+:width]: one further, and one bit less at either end."""
    plus = lambda text, more: str(int(text) + more) if text.isdigit() else f"({text}) {'+' if more > 0 else '-'} 1"
    for i in range(site.start + 1, site.end):
        end = source.close(i) - 1
        if source.tokens[i] != "[" or not re.match(r"[\w$\]]", source.tokens[i - 1][-1]) or "?" in source.tokens[i:end]:
            continue
        colon = source.until(i + 1, ":", "+:", "-:", "]")
        first, second = source.flat(i + 1, colon), source.flat(colon + 1, end)
        changes = [(end if source.tokens[colon] == ":" else colon, plus(first, 1) + (f" : {plus(second, 1)}" if source.tokens[colon] == ":" else ""))]
        if source.tokens[colon] == ":" and first != second:
            changes += [(colon, plus(first, -1)), (end, f"{first} : {plus(second, 1)}")]
        for last, text in changes:
            yield Fault(site, i + 1, last, text, i + 1, last, source.flat(i + 1, last), text, "selection")


def faults_of(source, parameters, enums):
    """The faults that a source allows. enums: of each enumerated name the next one."""
    for site in source.sites:
        start, end = site.start, site.end
        whole = source.flat(start, end)
        if site.kind == "assignment":
            yield Fault(site, start, end, "", end, end, ";", "dropped", "dropped")
            continue
        fixed = source.constants(start, end, parameters)
        for i in range(start, end):
            fault = token_fault(site, source, i, enums) if i not in fixed else None
            if fault:
                yield fault
        names = lambda a, b: any(re.match(r"[a-z\\]", t) and t not in parameters for t in source.tokens[a:b])
        if not names(start, end) or (site.kind == "port" and not any(t in STRENGTH or t in ("?", "!", "~") for t in source.tokens[start:end])):
            continue  # the latter may be an output
        yield from choices(source, site, names)
        yield from differences(source, site, fixed, names)
        yield from selections(source, site)
        high = start % 2  # one of both, or a third of all places were these
        yield Fault(site, start, end, f"({whole}) {'|' if high else '& ~'}2'sd1", end, end, "bit 0", str(high), "stuck")
        if site.kind == "condition" and source.tokens[start] != "!":
            yield Fault(site, start, end, f"!({whole})", end, end, "true", "false", "arms")


def statement_text(source, fault):
    """The statement with the change marked, on one line, without comments."""
    site, mark = fault.site, f"[[{fault.original} -> {fault.changed}]]"
    text = ""
    for i in range(site.start, site.end):
        if fault.seen < i < fault.until:
            continue
        space = " " if i > site.start and source.from_[i] > source.to[i - 1] or text.endswith("[") and i == fault.seen else ""
        text += space + (mark if i == fault.seen else source.tokens[i])
    closed = ")" if site.head.endswith("(") else ""
    return " ".join(f"{site.head}{text}{closed}{f' {mark}' if fault.seen == site.end else ''}".split())


def planted(source, faults, asks):
    """The text of a source with faults: (number, fault). Lines keep their numbers. asks(source, number, fault) returns the Verilog that asks
    for a fault."""
    sites = {}
    for number, fault in faults:
        sites.setdefault(fault.site, []).append((number, fault))
    added = []  # (where, text)
    for site, mine in sites.items():
        if site.kind == "assignment":
            (number, fault), = mine
            front, back, last = f"begin if (!{asks(source, number, fault)}) ", " end", site.end
        else:
            front, back, last = "", ")" * (len(mine) + 1), site.end - 1
            for number, fault in mine:
                changed = " ".join(filter(None, (source.flat(site.start, fault.first), fault.text, source.flat(fault.last, site.end))))
                front += f"({asks(source, number, fault, changed)} ? ({changed}) : "
            front += "("
        added += [(source.from_[site.start], front), (source.to[last], back)]
    text = source.text
    for where, more in sorted(added, key=lambda a: a[0], reverse=True):
        text = text[:where] + more + text[where:]
    return text if asks is at_run_time else text.replace("verilator no_inline_task", "")  # such a task may read no variable


def at_run_time(source, number, fault, changed=None):
    """Asks tb/planted.h. changed: the site's expression with the fault; None: an assignment is dropped."""
    site = fault.site
    original = source.flat(site.start, site.end)
    if site.kind in ("assignment", "reset", "label"):
        differs = "1'b1"
    elif site.kind == "condition":
        differs = f"(!({changed})) != (!({original}))"
    elif ARITHMETIC.isdisjoint(source.tokens[site.start:site.end]):
        differs = f"({changed}) != ({original})"
    else:  # as wide as what it is assigned to, so that no carry is lost
        zero = f"$signed({{$bits({site.left}){{1'b0}}}})" if site.left else "64'sd0"
        differs = f"({zero} | ({changed})) != ({zero} | ({original}))"
    return f"1'($c(\"nvdla_fault(\", 32'd{number}, \", \", {differs}, \")\"))"


def by_variable(_source, number, _fault, _changed=None):
    """Asks a variable that nothing sets: the translated design reads it where the fault would have an effect."""
    return f"nvdla_planted::there_{number}"


# ---- the file list ----


def put(path, text):
    """Writes a file, unless it has this text already."""
    file, data = pathlib.Path(path), text.encode("utf-8", "surrogateescape")
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.is_file() or file.read_bytes() != data:
        file.write_bytes(data)


def own(folders):
    """Marks folders whose files plant.py may remove. One that has files and no mark is refused."""
    for folder in folders:
        if os.path.isdir(folder) and os.listdir(folder) and not os.path.isfile(os.path.join(folder, MARK)):
            sys.exit(f"plant: {folder}: found files and no {MARK}, expected an empty folder or one that plant.py made, because its files are "
                     "removed; remove it yourself, or give another OUT")
    for folder in folders:
        put(os.path.join(folder, MARK), "scripts/plant.py of nvcosim made this folder. It removes all files in it without asking.\n")


def inside(path, folder):
    path, folder = os.path.realpath(path), os.path.realpath(folder)
    return os.path.commonpath([path, folder]) == folder


def refuse(out, listed):
    """Ends with a message if OUT is a folder that holds something other than a copy."""
    expected = "expected a folder for the copy alone, such as build/planted"
    if os.path.realpath(out) == ROOT:
        sys.exit(f"plant: {out}: found the checkout of nvcosim, {expected}")
    source = next((path for path in listed.files() if inside(path, out)), None)
    if source:
        name = os.path.relpath(os.path.realpath(source), os.path.realpath(out))
        sys.exit(f"plant: {out}: found {name}, a source of the RTL to be copied, {expected}")
    if os.path.lexists(os.path.join(out, ".git")):
        sys.exit(f"plant: {out}: found the top folder of a project (.git), {expected}")


def digests(paths):
    """Of the contents of files, by path; None if one cannot be read."""
    found = dict.fromkeys(paths)
    for path in found:
        with contextlib.suppress(OSError), open(path, "rb") as f:
            found[path] = hashlib.sha256(f.read()).hexdigest()
    return found


class Made:
    """What a copy was made of, in OUT/made.json: the call, and the content of each file that was read or written."""

    def __init__(self, options, listed):
        self.out, self.path = options.out, os.path.join(options.out, "made.json")
        version = subprocess.run(["verilator", "--version"], capture_output=True, text=True, check=False).stdout
        scripts = digests([__file__, os.path.join(ROOT, "scripts", "verilog_source.py"), HEADER])
        self.call = {"options": vars(options), "list": [list(entry) for entry in listed.entries], "verilator": version, "scripts": scripts}

    def written(self):
        copy = [os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(self.out, "rtl")) for name in names]
        return digests([os.path.join(self.out, name) for name in ("faults.f", "faults.json")] + copy)

    def last(self):
        """What the last call printed, if this one would make the same; else None."""
        with contextlib.suppress(OSError, ValueError), open(self.path, encoding="utf-8") as f:
            last = json.load(f)
            if last["call"] == self.call and last["written"] == self.written() and last["read"] == digests(last["read"]):
                return last["printed"]
        return None

    def keep(self, read, printed):
        """To be called once the copy is whole."""
        put(self.path, json.dumps({"call": self.call, "read": digests(read), "written": self.written(), "printed": printed}, indent=1))


class FileList:
    """What a file list names, by absolute paths."""

    def __init__(self):
        self.entries = []  # (kind, value); kind: source, -v, -y, option
        self.defines = {"VERILATOR", "verilator", "SYSTEMVERILOG", "SV_COV_START"}
        self.extensions = [".v", ".sv"]

    def read(self, path, base):
        """base: of relative paths in it; None: its own folder."""
        folder = os.path.dirname(os.path.abspath(path)) if base is None else base
        try:
            with open(path, encoding="utf-8") as f:
                text = f.read()
        except OSError as error:
            sys.exit(f"plant: {path}: {error.strerror}")
        words = iter(re.sub(r"(?m)(^|\s)//.*$|(^|\s)#.*$|/\*.*?\*/", " ", text).split())
        absolute = lambda p: os.path.normpath(os.path.join(folder, os.path.expandvars(p)))
        for word in words:
            if word in ("-f", "-F"):
                name = absolute(next(words, ""))
                self.read(name, None if word == "-F" else folder)
            elif word in ("-v", "-y"):
                self.entries.append((word, absolute(next(words, ""))))
            elif word.startswith(("+incdir+", "-I")):
                folders = word[8:].split("+") if word[0] == "+" else [word[2:]]
                self.entries += [("option", f"+incdir+{absolute(p)}") for p in folders if p]
            elif word[0] in "+-":
                self.define(word)
                if word.startswith("+libext+"):
                    self.extensions = [e for e in word[8:].split("+") if e]
                self.entries.append(("option", word))
            else:
                self.entries.append(("source", absolute(word)))

    def define(self, option):
        """Notes the names that an option defines, if it does."""
        if option.startswith(("+define+", "-D")):
            self.defines.update(n.split("=")[0] for n in re.sub(r"^(\+define\+|-D)", "", option).split("+"))

    def files(self):
        """Files that may have places for faults."""
        for kind, value in self.entries:
            if kind in ("source", "-v"):
                yield value
            elif kind == "-y" and os.path.isdir(value):
                for name in sorted(os.listdir(value)):
                    if os.path.splitext(name)[1] in self.extensions:
                        yield os.path.join(value, name)

    def write(self, path, first=(), copies=None):
        """The list with other lines first, and with copies instead of the originals. copies: the copy of each."""
        copies, lines = copies or {}, list(first)
        for kind, value in self.entries:
            lines.append((f"{kind} " if kind in ("-v", "-y") else "") + copies.get(value, value))
        listed = {value for _, value in self.entries}
        # Those that were found in folders of -y before; what is listed is not looked for.
        lines += [copy for value, copy in copies.items() if value not in listed]
        put(path, "\n".join(lines) + "\n")


class Verilator:
    def __init__(self, options, out):
        self.words = ["verilator", "--error-limit", "100000", "--no-timing", "-Wno-fatal", "-Wno-lint", "-Wno-style", "+1800-2017ext+sv",
                      "--top-module", options.top, *options.verilator_option]
        if options.filelist:  # what the build has in place of the RTL's own gets no faults
            self.words += [os.path.join(ROOT, "tb", "nvidia", "NV_DW02_tree.sv"), "-v", os.path.join(ROOT, "tb", "nvidia", "nv_assert_no_x.sv")]
        self.folder = os.path.join(out, "xml")
        self.xml = os.path.join(self.folder, "design.xml")
        self.files = []  # that it has read

    def elaborate(self, filelist):
        """The errors as text; None if there are none."""
        done = subprocess.run([*self.words, "--xml-only", "--xml-output", self.xml, "-Mdir", self.folder, "-f", filelist],
                              capture_output=True, text=True, errors="replace", check=False)
        return None if done.returncode == 0 else done.stderr

    def design(self):
        """The files that define what the design is made of, and the names that are only used for parameters."""
        files, used, names = {}, set(), {True: set(), False: set()}
        with open(self.xml, encoding="utf-8", errors="replace") as f:
            for line in f:
                match = re.match(r'\s*<file id="(\w+)" filename="([^"]*)"', line)
                if match:
                    files[match.group(1)] = os.path.abspath(match.group(2))
                match = re.match(r'\s*<(?:module|package|iface)\b[^>]*\bloc="(\w+),', line)
                if match:
                    used.add(match.group(1))
                match = re.match(r'\s*<var .*\borigName="([^"]*)"(.*)', line)
                if match:
                    names[' param="true"' in match.group(2) or ' localparam="true"' in match.group(2)].add(match.group(1))
        self.files = sorted(path for path in files.values() if os.path.isfile(path))
        return {files[u] for u in used if u in files}, names[True] - names[False]

    def read(self, filelist, folder):
        """Numbers of the faults, planted with by_variable, that have any effect: Verilator removes what constants decide and what nothing
        reads; and the errors as text, None if there are none. folder: for the translated design; it is removed again."""
        done = subprocess.run([*self.words, "--cc", "-Mdir", folder, "-f", filelist], capture_output=True, text=True, errors="replace", check=False)
        if done.returncode:
            return set(), "".join(line + "\n" for line in done.stderr.splitlines() if line.startswith("%Error"))
        numbers = set()
        for name in os.listdir(folder):
            if name.endswith("_nvdla_planted.h"):
                with open(os.path.join(folder, name), encoding="utf-8") as f:
                    numbers.update(int(number) for number in re.findall(r"\bthere_(\d+);", f.read()))
        shutil.rmtree(folder)
        return numbers, None


class Copy:
    """The copy of the RTL with faults."""

    def __init__(self, options, listed, verilator, sources, root):
        self.options, self.listed, self.verilator, self.sources, self.root = options, listed, verilator, sources, root

    def relative(self, path):
        return os.path.relpath(path, self.root)

    def write(self, chosen, out, asks=at_run_time):
        """Writes the copy into a folder. chosen: (path, fault) by number. A file that does not change is not written, so it
        is not compiled again. Returns the original of each copy."""
        by_file = {}
        for number, (path, fault) in chosen.items():
            by_file.setdefault(path, []).append((number, fault))
        copies = {path: os.path.join(out, "rtl", self.relative(path)) for path in by_file}
        for path, faults in by_file.items():
            put(copies[path], planted(self.sources[path], faults, asks))
        for folder, _, names in os.walk(os.path.join(out, "rtl")):
            for name in names:
                if name != MARK and os.path.join(folder, name) not in copies.values():
                    os.remove(os.path.join(folder, name))
        first = ["-Wno-ENUMVALUE", f"-CFLAGS -DCOSIM_FAULTS={len(chosen)}", f"-CFLAGS -include{HEADER}"]  # a state may get any value
        if asks is by_variable:
            first[1:] = [os.path.join(out, "planted.sv")]
            put(first[1], "package nvdla_planted;\n" + "".join(f"  logic there_{number};\n" for number in chosen) + "endpackage\n")
        elif self.options.random_start:
            first.append("--x-initial unique")
        self.listed.write(os.path.join(out, "faults.f"), first, copies)
        return {copy: path for path, copy in copies.items()}

    def counting(self, chosen, out):
        """Numbers of the faults that have any effect in the translated design, and of those that Verilator cannot translate. A fault in a condition
        that switches a part off would keep that part in the design, so neighbouring faults are translated in different copies."""
        apart = 4
        order = sorted(chosen, key=lambda number: (chosen[number][0], chosen[number][1].site.start, number))

        def some(first):
            folder, mine, refused = os.path.join(out, f"part{first}"), order[first::apart], set()
            while True:
                originals = self.write({number: chosen[number] for number in mine}, folder, by_variable)
                found, errors = self.verilator.read(os.path.join(folder, "faults.f"), os.path.join(folder, "translated"))
                if errors is None:
                    return found, refused
                broken = self.broken([chosen[number] for number in mine], errors, originals)
                if not broken:
                    sys.exit(f"{errors}plant: the copy is not translated, and the errors name no fault; they are above")
                refused |= {number for i, number in enumerate(mine) if i in broken}
                mine = [number for number in mine if number not in refused]

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            parts = list(pool.map(some, range(min(apart, len(order)))))
        return tuple(set().union(*sets) for sets in zip(*parts))

    def broken(self, chosen, errors, originals):
        """Indices of the faults whose lines the errors name; of their whole files if a line holds none."""
        lines = {(originals.get(os.path.abspath(file)), int(line)) for file, line in re.findall(r"(/[^\s:]+):(\d+):", errors)}
        files = {path for path, _ in lines}

        def named(path, fault):
            source, site = self.sources[path], fault.site
            return any((path, line) in lines for line in range(source.line(site.start), source.line(site.end - 1) + 1))

        found = {index for index, place in enumerate(chosen) if named(*place)}
        return found or {index for index, (path, _) in enumerate(chosen) if path in files}


def read_list(options):
    """The file list, the root of its sources, and their names."""
    listed = FileList()
    listed.read(options.filelist or os.path.join(ROOT, "rtl", "nvdla.f"), None)
    refuse(options.out, listed)
    if not options.filelist:
        package = os.path.join(options.out, "nvdla_pkg.sv")
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, os.path.join(ROOT, "scripts", "gen_tables.py"), "sv", folder, options.config], check=True)
            with open(os.path.join(folder, "nvdla_pkg.sv"), encoding="utf-8") as f:
                put(package, f.read())
            with open(os.path.join(folder, "config.f"), encoding="utf-8") as f:
                options.verilator_option += f.read().split()  # the engines that not all configurations have
        listed.entries.insert(0, ("source", package))
    for option in options.verilator_option:
        listed.define(option)
    return listed


def choose(options, listed, verilator):
    """The order in which places are tried, and the sources."""
    plain = os.path.join(options.out, "plain.f")
    listed.write(plain)
    errors = verilator.elaborate(plain)
    if errors:
        sys.exit(f"{errors}plant: the RTL does not elaborate by itself; the errors are above")
    used, parameters = verilator.design()
    paths = [p for p in dict.fromkeys(listed.files()) if p in used and not p.startswith(options.out + os.sep)]
    if not paths:
        sys.exit(f"plant: no file of {options.filelist or 'rtl/nvdla.f'} defines a module of the design below {options.top}")
    sources, defines, enums = {}, set(listed.defines), {}
    for path in listed.files():  # all, for their macros
        if os.path.isfile(path) and (path in used or path.endswith((".svh", ".vh"))):
            sources[path] = Source(path, defines)
            enums.update(sources[path].enums)
    root = os.path.commonpath([os.path.dirname(p) for p in paths]) if options.filelist else os.path.join(ROOT, "rtl")
    places = [(path, fault) for path in paths for fault in faults_of(sources[path], parameters, enums | sources[path].enums)]
    return sources, root, places


def folder_of(name):
    """The folder of a file, relative to the root; a form for simulators (rtl/sim/nvdla_ENGINE_*.sv) counts as its engine's."""
    folder = os.path.dirname(name) or "."
    simulated = re.fullmatch(r"sim/nvdla_([a-z]+)_\w+\.sv", name)
    return simulated[1] if simulated else folder


def by_turns(places, folders, root, rng):
    """The places in random order, one from each folder in turn."""
    piles = {}
    for place in places:
        piles.setdefault(folder_of(os.path.relpath(place[0], root)), []).append(place)
    for folder in folders:
        if folder not in piles:
            sys.exit(f"plant: folder {folder} has no places for faults; folders that have: {', '.join(sorted(piles))}")
        rng.shuffle(piles[folder])
    turns = itertools.zip_longest(*(reversed(piles[folder]) for folder in folders))
    return [place for turn in turns for place in turn if place]


def settle(options, copy, verilator, order):
    """Faults that compile and are in the translated design; and the places that were dropped, by reason."""
    good, dropped = [], {"broken": [], "gone": []}
    out = os.path.join(options.out, "trial")
    rest = iter(order)
    while len(good) < options.count:
        fresh = list(itertools.islice(rest, (options.count - len(good)) * 5 // 4 + 8))
        if not fresh:
            break
        while fresh:
            trial = good + fresh
            originals = copy.write(dict(enumerate(trial, 1)), out)
            errors = verilator.elaborate(os.path.join(out, "faults.f"))
            if errors is None:
                break
            broken = copy.broken(trial, errors, originals)
            if not broken:
                sys.exit(f"{errors}plant: the copy does not compile, and the errors name no fault; they are above")
            dropped["broken"] += [p for i, p in enumerate(trial) if i in broken]
            good = [p for i, p in enumerate(good) if i not in broken]
            fresh = [p for i, p in enumerate(trial) if i not in broken and p not in good]
        if fresh:
            trial = good + fresh
            counting, refused = copy.counting(dict(enumerate(trial, 1)), out)
            dropped["broken"] += [p for i, p in enumerate(trial, 1) if i in refused]
            dropped["gone"] += [p for i, p in enumerate(trial, 1) if i not in counting | refused]
            good = [p for i, p in enumerate(trial, 1) if i in counting]
    return good[:options.count], dropped


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("folders", nargs="*", metavar="FOLDER")
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--config", default="small", help="configuration of the copy")
    parser.add_argument("--filelist", help="file list of another RTL")
    parser.add_argument("--top", default="NV_nvdla", help="top module")
    parser.add_argument("--random-start", action="store_true", help="registers begin with random values: an initialisation that is missing shows")
    parser.add_argument("--verilator-option", action="append", default=[], help="further option for Verilator")
    options = parser.parse_intermixed_args()
    options.out = os.path.abspath(options.out)
    listed = read_list(options)
    made = Made(options, listed)
    scratch = [os.path.join(options.out, name) for name in ("trial", "xml")]
    own([os.path.join(options.out, "rtl"), *scratch])
    printed = made.last()
    if printed:
        for folder in scratch:
            shutil.rmtree(folder)
        print(printed)
        return
    verilator = Verilator(options, options.out)
    sources, root, places = choose(options, listed, verilator)
    rng = random.Random(options.seed)
    if options.folders:
        order = by_turns(places, list(dict.fromkeys(options.folders)), root, rng)
    else:
        order = list(places)
        rng.shuffle(order)
    copy = Copy(options, listed, verilator, sources, root)
    chosen, dropped = settle(options, copy, verilator, order)
    copy.write(dict(enumerate(chosen, 1)), options.out)
    errors = verilator.elaborate(os.path.join(options.out, "faults.f"))
    if errors:
        sys.exit(f"{errors}plant: the copy does not compile; the errors are above")

    def described(path, fault):
        source, name = sources[path], copy.relative(path)
        return {"folder": folder_of(name), "file": name, "line": source.line(fault.seen), "module": fault.site.module,
                "kind": fault.kind, "original": fault.original, "changed": fault.changed, "statement": statement_text(source, fault)}

    table = {"seed": options.seed, "root": root, "faults": [{"number": n, **described(*p)} for n, p in enumerate(chosen, 1)],
             "broken": [described(*p) for p in dropped["broken"]], "gone": len(dropped["gone"]), "places": len(places),
             "statements": sorted({f"{copy.relative(p[0])}\t{statement_text(sources[p[0]], p[1])}" for p in places})}
    with open(os.path.join(options.out, "faults.json"), "w", encoding="utf-8", errors="surrogateescape") as f:
        json.dump(table, f, indent=1)
    for folder in scratch:
        shutil.rmtree(folder)
    lines = [f"plant: {len(chosen)} faults in {options.out}, seed {options.seed}, out of {len(places)} places; "
             f"{len(dropped['broken'])} did not compile, {len(dropped['gone'])} are not in the elaborated design"]
    lines += [f"plant: does not compile: {fault['file']}:{fault['line']}: {fault['statement']}" for fault in table["broken"]]
    if len(chosen) < options.count:
        lines.append(f"plant: there are no more places: {len(chosen)} instead of {options.count}")
    made.keep(verilator.files, "\n".join(lines))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
