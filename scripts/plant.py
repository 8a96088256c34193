#!/usr/bin/env python3
"""Plants faults in a copy of an RTL, all in one: each fault changes one operator or one constant in the body of a module, and a number
chooses at run time which of them is there, so that a thousand faults cost one build.

usage: plant.py OUT --count N --seed S [--config CONFIG] [--filelist FILE.f [--top MODULE]] [--verilator-option OPTION]... [FOLDER...]
  OUT         gets the sources that hold faults, faults.f, the file list of the copy, and faults.json, the table of faults
  --filelist  of the RTL, as `nvcosim build` takes it; default: the RTL in rtl/, of configuration CONFIG
  FOLDER      these folders get faults, by turns; default: every place of the design is as likely as any other

An expression E with fault 7 becomes (nvdla_fault(7, E7 != E) ? E7 : E). The function (tb/planted.h, called from Verilator's C++) tells if the
fault is there, and keeps that the changed expression had another value: in a run without any fault that names the faults that could change
something in it.

  plant.py build/planted --count 40 --seed 1
  nvcosim build --config small --name planted --filelist build/planted/faults.f
  nvcosim run --dut rtl:planted --fault 7 TRACE

`nvcosim qualify` does all of this for a whole corpus. Places for faults are the right-hand sides of assignments, conditions, what case looks
at, and what is connected to inputs, in modules, functions and packages that the design has after elaboration. Sizes, ranges, indices,
labels, replications, parameters, comparisons of a parameter with a number (they switch parts of a design on or off), resets, initial blocks,
clocks and what no branch of `ifdef compiles are none. The copy is elaborated and
translated by Verilator: a place that does not compile gives way to the next one, and is counted; so does one that the translated design has not
any more: in a function that nothing calls, in what a parameter or a constant input switches off, in a value that nothing reads.
"""
import argparse
import concurrent.futures
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
HEADER = os.path.join(ROOT, "tb", "planted.h")
OPERATORS = {"+": "-", "-": "+", "==": "!=", "!=": "==", "===": "!==", "!==": "===", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||",
             "||": "&&", "&": "|", "|": "&", "^": "|", "<<": ">>", ">>": "<<", "!": "", "~": ""}
COMPARISONS = {"==", "!=", "<", "<=", ">", ">="}
ARITHMETIC = {"+", "-", "*", "/", "%", "<<", ">>", "<<<", ">>>", "~", "'0", "'1"}
TOKEN = re.compile(r"""
    "(?:\\.|[^"\\])*"                                       # text
  | \\\S+                                                   # escaped name
  | `\w+
  | (?:\d[\d_]*)?\s*'[sS]?[bodhBODH]\s*[0-9a-fA-FxXzZ?_]+   # constant with a base
  | '[01xXzZ](?!\w)
  | \d[\d_]*(?:\.\d+)?
  | [A-Za-z_$][\w$]*
  | <<<=?|>>>=?|<<=|>>=|===|!==|==\?|!=\?|->>?|\+:|-:|\+\+|--|&&&|&&|\|\||~&|~\||~\^|\^~|\*\*|::|==|!=|<=|>=|<<|>>|[-+*/%&|^]=|\S
""", re.X)
BASED = re.compile(r"(\d[\d_]*)\s*'(s?)([bodh])\s*([0-9a-f_]+)", re.I)
BASES = {"b": 2, "o": 8, "d": 10, "h": 16}
NAME = re.compile(r"[A-Za-z_\\]")
CLOCK_OR_RESET = re.compile(r"clk|clock|rst|reset", re.I)
OPENING = {"(": ")", "[": "]", "{": "}"}
DIRECTIVES = {"timescale", "default_nettype", "resetall", "celldefine", "endcelldefine", "undef", "undefineall", "line", "pragma",
              "begin_keywords", "end_keywords", "include", "define", "nounconnected_drive", "unconnected_drive", "verilator_config"}
# Items and statements without places, up to their ';' or to the word that ends them.
SKIPPED = {"parameter", "localparam", "specparam", "defparam", "typedef", "import", "export", "genvar", "modport", "timeunit", "timeprecision",
           "bind", "alias", "let", "assert", "assume", "cover", "restrict", "expect", "default", "global", "enum", "struct", "union", "event"}
BLOCKS = {"specify": "endspecify", "table": "endtable", "covergroup": "endgroup", "property": "endproperty", "sequence": "endsequence",
          "clocking": "endclocking", "class": "endclass", "primitive": "endprimitive", "config": "endconfig", "checker": "endchecker"}
SYSTEM_CONSTANTS = {"$bits", "$clog2", "$size", "$high", "$low", "$left", "$right"}
MASKED = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.S)


class Site:
    """An expression that may be changed."""

    def __init__(self, start, end, kind, left, head, module):
        self.start, self.end = start, end  # tokens
        self.kind = kind                   # 'value' or 'condition'
        self.left = left                   # text of what it is assigned to, "" if nobody knows
        self.head = head                   # text before it, for a person
        self.module = module


class Source:
    """A source file: finds the expressions of its statements."""

    def __init__(self, path, defines):
        self.path = path
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as f:
            self.text = f.read()
        code = self.active(self.without_comments(self.text), defines)
        matches = list(TOKEN.finditer(code))
        self.tokens = [m.group() for m in matches]
        self.from_ = [m.start() for m in matches]
        self.to = [m.end() for m in matches]
        self.match()
        self.sites = []
        self.module = ""
        self.quiet = 0  # depth of what gets no faults
        self.items(0, len(self.tokens))

    @staticmethod
    def without_comments(text):
        blank = lambda s: re.sub(r"[^\n]", " ", s)
        text = re.sub(r"//[^\n]*\btranslate_off\b.*?(//[^\n]*\btranslate_on\b|\Z)", lambda m: blank(m.group()), text, flags=re.S)
        return MASKED.sub(lambda m: m.group() if m.group()[0] == '"' else blank(m.group()), text)

    @staticmethod
    def active(text, defines):
        """What the compiler directives leave, all else by blanks of the same length."""
        lines = text.split("\n")
        stack = []  # of (active now, some branch was active)
        continued = False
        for number, line in enumerate(lines):
            live = all(s[0] for s in stack)
            match = re.match(r"\s*`(\w+)\s*(\w+)?", line)
            word = match.group(1) if match else ""
            if continued:
                continued = line.rstrip().endswith("\\")
                lines[number] = " " * len(line)
                continue
            if word in ("ifdef", "ifndef"):
                stack.append([(match.group(2) in defines) == (word == "ifdef")] * 2)
            elif word == "elsif" and stack:
                now = not stack[-1][1] and match.group(2) in defines
                stack[-1] = [now, stack[-1][1] or now]
            elif word == "else" and stack:
                stack[-1] = [not stack[-1][1], True]
            elif word == "endif" and stack:
                stack.pop()
            elif word == "define" and live:
                defines.add(match.group(2))
            if word in DIRECTIVES or word in ("ifdef", "ifndef", "elsif", "else", "endif"):
                continued = word == "define" and line.rstrip().endswith("\\")
                lines[number] = " " * len(line)
            elif not live:
                lines[number] = " " * len(line)
        return "\n".join(lines)

    def match(self):
        """The closing bracket of each opening one."""
        self.closing = {}
        stack = []
        for i, token in enumerate(self.tokens):
            if token in OPENING:
                stack.append(i)
            elif token in (")", "]", "}") and stack:
                self.closing[stack.pop()] = i

    def word(self, at):
        return self.tokens[at] if at < len(self.tokens) else ""

    def close(self, at):
        """Behind the bracket that closes the one at `at`."""
        return self.closing.get(at, len(self.tokens) - 1) + 1

    def until(self, at, *stops):
        """The first of the stops outside brackets."""
        while at < len(self.tokens) and self.tokens[at] not in stops:
            at = self.close(at) if self.tokens[at] in OPENING else at + 1
        return at

    def behind(self, at, stop):
        return self.until(at, stop) + 1

    def flat(self, start, end):
        """Tokens as text on one line."""
        return " ".join(self.tokens[start:end])

    # ---- the items of modules ----

    def items(self, at, end):
        while at < end:
            at = self.item(at)

    def item(self, at):
        word = self.word(at)
        if word in ("module", "macromodule", "package", "interface", "program"):
            name = at + 1 + (self.word(at + 1) in ("automatic", "static"))
            self.module = self.word(name)
            return self.behind(name, ";")
        if word in ("function", "task"):
            return self.routine(at)
        if word in BLOCKS:
            while at < len(self.tokens) and self.tokens[at] != BLOCKS[word]:
                at += 1
            return at + 1
        if word == "assign":
            return self.assignments(at + 1)
        if word in ("initial", "final"):
            self.quiet += 1
            at = self.statement(at + 1)
            self.quiet -= 1
            return at
        if word in ("always", "always_ff", "always_comb", "always_latch"):
            return self.statement(at + 1)
        if word in ("generate", "endgenerate", "else", "end", "endmodule", "endpackage", "endinterface", "endprogram", ";"):
            return self.label(at + 1)
        if word == "begin":
            return self.label(at + 1)
        if word in ("if", "for", "case"):  # of elaboration
            return self.close(at + 1) if self.word(at + 1) == "(" else at + 1
        if word == "endcase" or word == "":
            return at + 1
        if word == "default" and self.word(at + 1) in (":", "begin"):
            return at + 1 + (self.word(at + 1) == ":")
        if word in SKIPPED:
            return self.behind(at, ";")
        if word.startswith("`"):
            at += 1
            at = self.close(at) if self.word(at) == "(" else at
            return at + (self.word(at) == ";")
        return self.declaration(at)

    def label(self, at):
        return at + 2 if self.word(at) == ":" and NAME.match(self.word(at + 1)) else at

    def routine(self, at):
        """A function or task."""
        last = {"function": "endfunction", "task": "endtask"}[self.tokens[at]]
        at = self.behind(at, ";")
        while at < len(self.tokens) and self.tokens[at] != last:
            at = self.statement(at)
        return self.label(at + 1)

    def declaration(self, at):
        """A net, a variable, an instance, the label of a branch of a generated case."""
        end = self.until(at, ";", "=", ":", "begin", "end", "endcase", "endmodule")
        word = self.word(end)
        if word == ":":
            return end + 1
        if word == "=":
            head = self.tokens[at:end]
            if head[0] in ("wire", "wand", "wor", "tri", "uwire"):
                return self.assignments(end - 1)
            return self.behind(end, ";")  # what a variable begins with
        if word != ";":
            return max(end, at + 1)
        first = at + 1
        if self.word(first) == "#":
            first = self.close(first + 1) if self.word(first + 1) == "(" else first + 2
        if NAME.match(self.word(at)) and NAME.match(self.word(first)):
            while NAME.match(self.word(first)):
                ports = first + 1
                while self.word(ports) == "[":
                    ports = self.close(ports)
                if self.word(ports) != "(":
                    break
                self.ports(ports, self.tokens[first])
                first = self.close(ports) + 1
        return end + 1

    def ports(self, at, instance):
        end = self.close(at) - 1
        i = at + 1
        while i < end:
            if self.tokens[i] == "." and self.word(i + 2) == "(":
                if not CLOCK_OR_RESET.search(self.tokens[i + 1]):
                    self.site(i + 3, self.close(i + 2) - 1, "value", "", f"{instance}.{self.tokens[i + 1]}(")
                i = self.close(i + 2)
            else:
                i += 1

    def assignments(self, at):
        """L = E, L = E; of assign and of nets."""
        if self.word(at) == "#":
            at = self.close(at + 1) if self.word(at + 1) == "(" else at + 2
        if self.word(at) == "(" and self.word(self.close(at)) != "=":  # strengths
            at = self.close(at)
        while True:
            equals = self.until(at, "=", ";")
            if self.word(equals) != "=":
                return equals + 1
            end = self.until(equals + 1, ",", ";")
            self.site(equals + 1, end, "value", self.flat(at, equals), self.flat(at, equals) + " = ")
            if self.word(end) != ",":
                return end + 1
            at = end + 1

    # ---- statements ----

    def statement(self, at):
        word = self.word(at)
        if word in ("begin", "fork"):
            last = {"begin": ("end",), "fork": ("join", "join_any", "join_none")}[word]
            at = self.label(at + 1)
            while at < len(self.tokens) and self.tokens[at] not in last:
                at = self.statement(at)
            return self.label(at + 1)
        if word in ("unique", "unique0", "priority"):
            return self.statement(at + 1)
        if word == "@":
            return self.statement(self.close(at + 1) if self.word(at + 1) == "(" else at + 2)
        if word == "#":
            return self.statement(self.close(at + 1) if self.word(at + 1) == "(" else at + 2)
        if word == "if":
            return self.if_statement(at)
        if word in ("case", "casez", "casex"):
            return self.case_statement(at)
        if word in ("for", "while", "repeat", "foreach", "wait"):
            return self.statement(self.close(at + 1))
        if word in ("forever", "do"):
            return self.statement(at + 1)
        if word == "return":
            end = self.until(at, ";")
            self.site(at + 1, end, "value", "", "return ")
            return end + 1
        if word.startswith("`"):
            return self.item(at)
        if word in ("end", "endcase", "endmodule", "endfunction", "endtask", ""):
            return at + 1
        if self.label(at + 1) == at + 1 and self.word(at + 1) == ":" and self.word(at + 2) in ("begin", "if", "for"):
            return self.statement(at + 2)
        return self.simple(at)

    def if_statement(self, at):
        end = self.close(at + 1)
        condition = self.tokens[at + 2:end - 1]
        reset = any(CLOCK_OR_RESET.search(t) for t in condition)
        if not reset:
            self.site(at + 2, end - 1, "condition", "", "if (")
        self.quiet += reset
        at = self.statement(end)
        self.quiet -= reset
        return self.statement(at + 1) if self.word(at) == "else" else at

    def case_statement(self, at):
        end = self.close(at + 1)
        self.site(at + 2, end - 1, "value", "", f"{self.tokens[at]} (")
        at = end + (self.word(end) == "inside")
        while at < len(self.tokens) and self.tokens[at] != "endcase":
            if self.tokens[at] == "default":
                at += 1 + (self.word(at + 1) == ":")
            elif self.tokens[at].startswith("`"):
                at = self.item(at)
                continue
            else:
                at = self.behind(at, ":")
            at = self.statement(at)
        return at + 1

    def simple(self, at):
        """An assignment, a declaration in a block, a call."""
        end = self.until(at, ";")
        equals = self.until(at, ";", "=", "<=", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "<<=", ">>=")
        if equals >= end or self.tokens[at] in SKIPPED or self.tokens[at].startswith("$"):
            return end + 1
        start = equals + 1
        if self.word(start) == "#":
            start = self.close(start + 1) if self.word(start + 1) == "(" else start + 2
        left = at
        if NAME.match(self.tokens[at]) and any(NAME.match(t) for t in self.tokens[equals - 1:equals]) and equals - at > 1 and \
                self.tokens[equals - 2] not in (".", "::"):
            left = equals - 1  # a declaration
            if self.tokens[at] in ("static", "const"):
                return end + 1
        if self.tokens[equals] in ("=", "<="):
            self.site(start, end, "value", self.flat(left, equals), f"{self.flat(left, equals)} {self.tokens[equals]} ")
        return end + 1

    # ---- places ----

    def site(self, start, end, kind, left, head):
        tokens = self.tokens[start:end]
        names = [t for t in tokens if re.match(r"[a-z\\]", t)]
        if self.quiet or not names or left.startswith("unused") or any("unused" in t for t in names):
            return
        if any(CLOCK_OR_RESET.search(t) for t in names) or any(t.startswith('"') for t in tokens):
            return
        if "`" in "".join(t[0] for t in tokens) and any(t.startswith("`") and t[1:] in ("ifdef", "ifndef", "else", "endif") for t in tokens):
            return
        if start >= 2 and any(a == "'" and b == "{" for a, b in zip(tokens, tokens[1:])):
            return
        self.sites.append(Site(start, end, kind, left, head, self.module))

    def constants(self, start, end, parameters):
        """Tokens of an expression that stay as they are: indices, replications, sizes, comparisons of a parameter with a number."""
        fixed = set()
        beside = {"", "(", ")", "&&", "||", "!", "?", ":"}
        for i in range(start, end):
            token = self.tokens[i]
            if token == "[":
                fixed.update(range(i, self.close(i)))
            elif token == "{" and i > start and (NAME.match(self.tokens[i - 1]) or self.tokens[i - 1][0].isdigit() or self.tokens[i - 1] == ")"):
                k = i - 1  # back to the brace of the replication
                depth = 0
                while k > start and not (depth == 0 and self.tokens[k] == "{"):
                    depth += (self.tokens[k] in (")", "]", "}")) - (self.tokens[k] in OPENING)
                    k -= 1
                fixed.update(range(k, i))
            elif token == "'" and i > start and self.tokens[i - 1] == ")":
                k = i - 1
                depth = 0
                while k >= start:
                    depth += (self.tokens[k] in (")", "]", "}")) - (self.tokens[k] in OPENING)
                    if depth == 0:
                        break
                    k -= 1
                fixed.update(range(k, i))
            elif token in SYSTEM_CONSTANTS and self.word(i + 1) == "(":
                fixed.update(range(i, self.close(i + 1)))
            elif token in COMPARISONS and i + 1 < end and self.tokens[i - 1] in parameters and self.tokens[i + 1].isdigit():
                k = i - 3 if i - 2 > start and self.tokens[i - 2] == "::" else i - 1
                before, after = "" if k <= start else self.tokens[k - 1], "" if i + 2 >= end else self.tokens[i + 2]
                if before in beside and after in beside:
                    fixed.update(range(k, i + 2))
        return fixed

    def faults(self, parameters):
        """(site, token, what takes its place)"""
        for site in self.sites:
            fixed = self.constants(site.start, site.end, parameters)
            for i in range(site.start, site.end):
                if i in fixed:
                    continue
                token = self.tokens[i]
                before = self.tokens[i - 1] if i > site.start else "("
                after = self.tokens[i + 1] if i + 1 < site.end else ")"
                operand = re.match(r"[\w$)\]}']", before[-1]) is not None
                new = None
                if token in ("!", "~"):
                    new = ""
                elif token in OPERATORS and operand:
                    new = OPERATORS[token]
                elif BASED.fullmatch(token):
                    width, sign, base, digits = BASED.fullmatch(token).groups()
                    value = (int(digits.replace("_", ""), BASES[base.lower()]) + 1) % (1 << int(width.replace("_", "")))
                    new = f"{width}'{sign}d{value}"
                elif token in ("'0", "'1"):
                    new = "'1" if token == "'0" else "'0"
                elif token.isdigit() and before not in (".", "'") and after not in ("'", "{"):
                    new = str(int(token) + 1)
                if new is not None and before != "'":
                    yield site, i, new

    # ---- changes ----

    def line(self, token):
        return self.text.count("\n", 0, self.from_[token]) + 1

    def changed(self, site, token, new):
        return " ".join(filter(None, (self.flat(site.start, token), new, self.flat(token + 1, site.end))))

    def statement_text(self, site, token, new):
        """The statement with the change marked, on one line, without comments."""
        text = "".join((" " if i > site.start and self.from_[i] > self.to[i - 1] else "")
                       + (f"[[{self.tokens[i]} -> {new}]]" if i == token else self.tokens[i]) for i in range(site.start, site.end))
        return " ".join(f"{site.head}{text}{')' if site.head.endswith('(') else ''}".split())

    def plant(self, faults, asks):
        """The text with faults: (number, site, token, new). Lines keep their numbers. asks: what gives the text that asks for a fault, by its
        number, the site and the changed expression."""
        sites = {}
        for number, site, token, new in faults:
            sites.setdefault(site.start, (site, []))[1].append((number, token, new))
        text = self.text
        for start in sorted(sites, reverse=True):
            site, mine = sites[start]
            a, b = self.from_[site.start], self.to[site.end - 1]
            front, back = "", ""
            for number, token, new in mine:
                changed = self.changed(site, token, new)
                front += f"({asks(self, number, site, changed)} ? ({changed}) : "
                back += ")"
            text = f"{text[:a]}{front}({text[a:b]}){back}{text[b:]}"
        return text if asks is at_run_time else text.replace("verilator no_inline_task", "")  # those may read no variable


def at_run_time(source, number, site, changed):
    """Asks tb/planted.h."""
    original = source.flat(site.start, site.end)
    if site.kind == "condition":
        differs = f"(!({changed})) != (!({original}))"
    elif ARITHMETIC.isdisjoint(source.tokens[site.start:site.end]):
        differs = f"({changed}) != ({original})"
    else:  # as wide as what it is assigned to, so that no carry is lost
        zero = f"$signed({{$bits({site.left}){{1'b0}}}})" if site.left else "64'sd0"
        differs = f"({zero} | ({changed})) != ({zero} | ({original}))"
    return f"1'($c(\"nvdla_fault(\", 32'd{number}, \", \", {differs}, \")\"))"


def by_variable(_source, number, _site, _changed):
    """Asks a variable that nothing sets: what reads it in the translated design tells where the fault would count."""
    return f"nvdla_planted::there_{number}"


# ---- the file list ----


def put(path, text):
    """Writes a file unless it is there with this text."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    data = text.encode("utf-8", "surrogateescape")
    if os.path.isfile(path):
        with open(path, "rb") as f:
            if f.read() == data:
                return
    with open(path, "wb") as f:
        f.write(data)


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
            elif word.startswith("+incdir+"):
                self.entries += [("option", f"+incdir+{absolute(p)}") for p in word[8:].split("+") if p]
            elif word.startswith("-I"):
                self.entries.append(("option", f"+incdir+{absolute(word[2:])}"))
            elif word.startswith("+define+") or word.startswith("-D"):
                names = word[8:].split("+") if word[0] == "+" else [word[2:]]
                self.defines.update(n.split("=")[0] for n in names)
                self.entries.append(("option", word))
            elif word.startswith("+libext+"):
                self.extensions = [e for e in word[8:].split("+") if e]
                self.entries.append(("option", word))
            elif word[0] in "+-":
                self.entries.append(("option", word))
            else:
                self.entries.append(("source", absolute(word)))

    def files(self):
        """Files that may hold places."""
        for kind, value in self.entries:
            if kind in ("source", "-v"):
                yield value
            elif kind == "-y" and os.path.isdir(value):
                for name in sorted(os.listdir(value)):
                    if os.path.splitext(name)[1] in self.extensions:
                        yield os.path.join(value, name)

    def write(self, path, first=(), copies=None):
        """The list with other lines first, and copies, a dictionary, in the place of the originals."""
        copies = copies or {}
        left = dict(copies)
        lines = list(first)
        for kind, value in self.entries:
            if kind in ("source", "-v"):
                lines.append(("-v " if kind == "-v" else "") + left.pop(value, copies.get(value, value)))
            elif kind == "-y":
                lines.append(f"-y {value}")
            else:
                lines.append(value)
        lines += left.values()  # found in folders of -y before; what is listed is not looked for
        put(path, "\n".join(lines) + "\n")


class Verilator:
    def __init__(self, options, out):
        self.words = ["verilator", "--error-limit", "100000", "--no-timing", "-Wno-fatal", "-Wno-lint", "-Wno-style", "+1800-2017ext+sv",
                      "--top-module", options.top, *options.verilator_option]
        self.xml = os.path.join(out, "design.xml")
        self.out = out

    def elaborate(self, filelist):
        """The errors as text; None if there are none."""
        done = subprocess.run([*self.words, "--xml-only", "--xml-output", self.xml, "-Mdir", os.path.join(self.out, "xml"), "-f", filelist],
                              capture_output=True, text=True, errors="replace", check=False)
        return None if done.returncode == 0 else done.stderr

    def design(self):
        """The files that define what the design is made of, and the names that are parameters wherever they stand."""
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
        return {files[u] for u in used if u in files}, names[True] - names[False]

    def read(self, filelist, folder):
        """Numbers of the faults, planted with by_variable, that count for anything: Verilator takes away what constants decide and what nothing
        reads. folder: for the translated design, which goes again."""
        done = subprocess.run([*self.words, "--cc", "-Mdir", folder, "-f", filelist], capture_output=True, text=True, errors="replace", check=False)
        if done.returncode:
            sys.exit(f"{done.stderr}plant: the copy is not translated; the errors are above")
        numbers = set()
        for name in os.listdir(folder):
            if name.endswith("_nvdla_planted.h"):
                with open(os.path.join(folder, name), encoding="utf-8") as f:
                    numbers.update(int(number) for number in re.findall(r"\bthere_(\d+);", f.read()))
        shutil.rmtree(folder)
        return numbers


class Copy:
    """The copy of the RTL with faults."""

    def __init__(self, options, listed, verilator, sources, root):
        self.options, self.listed, self.verilator, self.sources, self.root = options, listed, verilator, sources, root

    def relative(self, path):
        return os.path.relpath(path, self.root)

    def write(self, chosen, out, asks=at_run_time):
        """Writes the copy into a folder. chosen: (path, site, token, new) by number. What is there already stays as it is, so that what is built of
        it stays, too. Returns the originals of the copies."""
        copies = {}
        by_file = {}
        for number, (path, *fault) in chosen.items():
            by_file.setdefault(path, []).append((number, *fault))
        for path, faults in by_file.items():
            copies[path] = os.path.join(out, "rtl", self.relative(path))
            put(copies[path], self.sources[path].plant(faults, asks))
        for folder, _, names in os.walk(os.path.join(out, "rtl")):
            for name in names:
                if os.path.join(folder, name) not in copies.values():
                    os.remove(os.path.join(folder, name))
        first = [f"-CFLAGS -DCOSIM_FAULTS={len(chosen)}", f"-CFLAGS -include{HEADER}"]
        if asks is by_variable:
            first = [os.path.join(out, "planted.sv")]
            put(first[0], "package nvdla_planted;\n" + "".join(f"  logic there_{number};\n" for number in chosen) + "endpackage\n")
        self.listed.write(os.path.join(out, "faults.f"), first, copies)
        return {copy: path for path, copy in copies.items()}

    def counting(self, chosen, out):
        """Numbers of the faults that count for anything in the translated design. A fault in what switches a part off keeps the faults in that part,
        so neighbours are looked at apart."""
        apart = 4
        order = sorted(chosen, key=lambda number: (chosen[number][0], chosen[number][1].start, number))

        def some(first):
            folder = os.path.join(out, f"part{first}")
            self.write({number: chosen[number] for number in order[first::apart]}, folder, by_variable)
            return self.verilator.read(os.path.join(folder, "faults.f"), os.path.join(folder, "translated"))

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return set().union(*pool.map(some, range(min(apart, len(order)))))

    def broken(self, chosen, errors, originals):
        """Indices of the faults whose lines the errors name; of their whole files if a line holds none."""
        lines = {(os.path.abspath(m.group(1)), int(m.group(2))) for m in re.finditer(r"(/[^\s:]+):(\d+):", errors)}
        found = set()
        for index, (path, site, *_) in enumerate(chosen):
            source = self.sources[path]
            span = range(source.line(site.start), source.line(site.end - 1) + 1)
            if any(originals.get(file) == path and line in span for file, line in lines):
                found.add(index)
        if not found:
            files = {originals[file] for file, _ in lines if file in originals}
            found = {index for index, (path, *_) in enumerate(chosen) if path in files}
        return found


def read_list(options):
    """The file list, the root of its sources, and their names."""
    listed = FileList()
    if options.filelist:
        listed.read(options.filelist, None)
    else:
        package = os.path.join(options.out, "nvdla_pkg.sv")
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, os.path.join(ROOT, "scripts", "gen_tables.py"), "sv", folder, options.config], check=True)
            with open(os.path.join(folder, "nvdla_pkg.sv"), encoding="utf-8") as f:
                put(package, f.read())
            with open(os.path.join(folder, "config.f"), encoding="utf-8") as f:
                options.verilator_option += f.read().split()  # the engines that not all configurations have
        listed.entries.append(("source", package))
        listed.read(os.path.join(ROOT, "rtl", "nvdla.f"), None)
    for option in options.verilator_option:
        if option.startswith(("+define+", "-D")):
            listed.defines.update(n.split("=")[0] for n in re.sub(r"^(\+define\+|-D)", "", option).split("+"))
    return listed


def choose(options, listed, verilator):
    """The order in which places are tried, and the sources."""
    plain = os.path.join(options.out, "plain.f")
    listed.write(plain)
    errors = verilator.elaborate(plain)
    if errors:
        sys.exit(f"{errors}plant: the RTL does not elaborate by itself; the errors are above")
    used, parameters = verilator.design()
    generated = os.path.abspath(options.out)
    paths = [p for p in dict.fromkeys(listed.files()) if p in used and not p.startswith(generated + os.sep)]
    if not paths:
        sys.exit(f"plant: no file of {options.filelist or 'rtl/nvdla.f'} defines a module of the design below {options.top}")
    defines = set(listed.defines)
    sources = {}
    for path in listed.files():  # all, for their macros
        if os.path.isfile(path) and (path in used or path.endswith((".svh", ".vh"))):
            sources[path] = Source(path, defines)
    root = os.path.commonpath([os.path.dirname(p) for p in paths])
    if not options.filelist:
        root = os.path.join(ROOT, "rtl")
    places = [(path, *fault) for path in paths for fault in sources[path].faults(parameters)]
    return sources, root, places


def by_turns(places, folders, root, rng):
    """Of each folder one after the other."""
    piles = {folder: [p for p in places if os.path.dirname(os.path.relpath(p[0], root)) == folder] for folder in folders}
    for folder in folders:
        if not piles[folder]:
            sys.exit(f"plant: folder {folder} has no places for faults; folders that have: "
                     + ", ".join(sorted({os.path.dirname(os.path.relpath(p[0], root)) for p in places})))
        rng.shuffle(piles[folder])
    order = []
    while any(piles.values()):
        order += [piles[folder].pop() for folder in folders if piles[folder]]
    return order


def settle(options, copy, verilator, order):
    """Faults that compile and are in the design; how many places gave way, by reason."""
    good, dropped = [], {"broken": [], "gone": []}
    out = os.path.join(options.out, "trial")
    rest = iter(order)
    while len(good) < options.count:
        fresh = [p for _, p in zip(range((options.count - len(good)) * 5 // 4 + 8), rest)]
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
            counting = copy.counting(dict(enumerate(trial, 1)), out)
            dropped["gone"] += [p for i, p in enumerate(trial, 1) if i not in counting]
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
    parser.add_argument("--verilator-option", action="append", default=[], help="further option for Verilator")
    options = parser.parse_intermixed_args()
    options.out = os.path.abspath(options.out)
    os.makedirs(options.out, exist_ok=True)
    listed = read_list(options)
    verilator = Verilator(options, options.out)
    sources, root, places = choose(options, listed, verilator)
    rng = random.Random(options.seed)
    if options.folders:
        order = by_turns(places, options.folders, root, rng)
    else:
        order = list(places)
        rng.shuffle(order)
    copy = Copy(options, listed, verilator, sources, root)
    chosen, dropped = settle(options, copy, verilator, order)
    shutil.rmtree(os.path.join(options.out, "trial"), ignore_errors=True)
    copy.write(dict(enumerate(chosen, 1)), options.out)
    errors = verilator.elaborate(os.path.join(options.out, "faults.f"))
    if errors:
        sys.exit(f"{errors}plant: the copy does not compile; the errors are above")

    def described(path, site, token, new):
        source, name = sources[path], copy.relative(path)
        return {"folder": os.path.dirname(name) or ".", "file": name, "line": source.line(token), "module": site.module,
                "original": source.tokens[token], "changed": new, "statement": source.statement_text(site, token, new)}

    table = {"seed": options.seed, "root": root, "faults": [{"number": n, **described(*p)} for n, p in enumerate(chosen, 1)],
             "broken": [described(*p) for p in dropped["broken"]], "gone": len(dropped["gone"]), "places": len(places),
             "statements": sorted({f"{copy.relative(p[0])}\t{sources[p[0]].statement_text(*p[1:])}" for p in places})}
    with open(os.path.join(options.out, "faults.json"), "w", encoding="utf-8", errors="surrogateescape") as f:
        json.dump(table, f, indent=1)
    os.remove(verilator.xml)
    shutil.rmtree(os.path.join(options.out, "xml"), ignore_errors=True)
    print(f"plant: {len(chosen)} faults in {options.out}, seed {options.seed}, out of {len(places)} places; "
          f"{len(dropped['broken'])} did not compile, {len(dropped['gone'])} are not in the elaborated design")
    for fault in table["broken"]:
        print(f"plant: does not compile: {fault['file']}:{fault['line']}: {fault['statement']}")
    if len(chosen) < options.count:
        print(f"plant: there are no more places: {len(chosen)} instead of {options.count}")


if __name__ == "__main__":
    main()
