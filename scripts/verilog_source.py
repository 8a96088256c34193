"""Reads Verilog and SystemVerilog sources as far as planting faults needs it (scripts/plant.py): the expressions that may be changed.

`Source` follows conditional compilation, splits the text into tokens, and walks through the items and statements of its modules, packages,
functions and tasks. It knows the syntax, not the types. Whatever it does not recognise it skips up to the next semicolon.
"""
import dataclasses
import re

COMPARISONS = {"==", "!=", "<", "<=", ">", ">="}
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
NAME = re.compile(r"[A-Za-z_\\]")
CLOCK_OR_RESET = re.compile(r"clk|clock|rst|reset", re.I)
OPENING, CLOSING = {"(", "[", "{"}, {")", "]", "}"}
DIRECTIVES = {"ifdef", "ifndef", "elsif", "else", "endif", "timescale", "default_nettype", "resetall", "celldefine", "endcelldefine", "undef",
              "undefineall", "line", "pragma", "begin_keywords", "end_keywords", "include", "define", "nounconnected_drive",
              "unconnected_drive", "verilator_config"}
CONDITIONAL = {"`ifdef", "`ifndef", "`else", "`endif"}
ASSIGNMENTS = ("=", "<=", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "<<=", ">>=")
# Items and statements without places for faults: up to their ';', or to the word that ends them.
SKIPPED = {"parameter", "localparam", "specparam", "defparam", "typedef", "import", "export", "genvar", "modport", "timeunit", "timeprecision",
           "bind", "alias", "let", "assert", "assume", "cover", "restrict", "expect", "default", "global", "enum", "struct", "union", "event"}
BLOCKS = {"specify": "endspecify", "table": "endtable", "covergroup": "endgroup", "property": "endproperty", "sequence": "endsequence",
          "clocking": "endclocking", "class": "endclass", "primitive": "endprimitive", "config": "endconfig", "checker": "endchecker"}
SYSTEM_CONSTANTS = {"$bits", "$clog2", "$size", "$high", "$low", "$left", "$right"}
MASKED = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.S)


@dataclasses.dataclass(eq=False)
class Site:
    """An expression that may be changed, or an assignment that may be dropped."""
    start: int   # tokens
    end: int
    kind: str    # 'value', 'condition', 'port', 'reset' (a constant), 'label' (of a case) or 'assignment'
    left: str    # text of what it is assigned to, "" if unknown
    head: str    # text before it, for the user
    module: str


class Source:
    """A source file: finds the expressions of its statements."""

    def __init__(self, path, defines):
        self.path = path
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as f:
            self.text = f.read()
        code = self.active(self.without_comments(self.text), defines)
        matches = list(TOKEN.finditer(code))
        self.tokens = [m.group() for m in matches]
        self.from_, self.to = [m.start() for m in matches], [m.end() for m in matches]
        self.closing, self.opening = self.match()
        self.sites = []
        self.enums = {}  # of each enumerated name: the next one of its type
        self.module = ""
        self.quiet = 0  # depth of statements without places
        self.reset = 0  # depth of statements of a reset
        self.items(0, len(self.tokens))

    @staticmethod
    def without_comments(text):
        blank = lambda s: re.sub(r"[^\n]", " ", s)
        text = re.sub(r"//[^\n]*\btranslate_off\b.*?(//[^\n]*\btranslate_on\b|\Z)", lambda m: blank(m.group()), text, flags=re.S)
        return MASKED.sub(lambda m: m.group() if m.group()[0] == '"' else blank(m.group()), text)

    @staticmethod
    def active(text, defines):
        """The text that conditional compilation keeps; the rest, and the directives, become blanks."""
        lines = text.split("\n")
        stack = []  # of (active now, some branch was active)
        continued = False  # the line belongs to a macro
        for number, line in enumerate(lines):
            live = all(s[0] for s in stack)
            word, name = ("", "") if continued else re.match(r"(?:\s*`(\w+)\s*(\w+)?)?", line).groups("")
            if word in ("ifdef", "ifndef"):
                stack.append([(name in defines) == (word == "ifdef")] * 2)
            elif word == "elsif" and stack:
                now = not stack[-1][1] and name in defines
                stack[-1] = [now, stack[-1][1] or now]
            elif word == "else" and stack:
                stack[-1] = [not stack[-1][1], True]
            elif word == "endif" and stack:
                stack.pop()
            elif word == "define" and live:
                defines.add(name)
            if continued or not live or word in DIRECTIVES:
                lines[number] = " " * len(line)
            continued = (continued or word == "define") and line.rstrip().endswith("\\")
        return "\n".join(lines)

    def match(self):
        """The closing bracket of each opening one, and the other way round."""
        opening, stack = {}, []
        for i, token in enumerate(self.tokens):
            if token in OPENING:
                stack.append(i)
            elif token in CLOSING and stack:
                opening[i] = stack.pop()
        return {first: last for last, first in opening.items()}, opening

    def word(self, at):
        return self.tokens[at] if at < len(self.tokens) else ""

    def close(self, at):
        """The token after the bracket that closes the one at `at`."""
        return self.closing.get(at, len(self.tokens) - 1) + 1

    def operand(self, at):
        """The token after the word, or the bracket with what is in it, that follows a #, an @ or the like at `at`."""
        return self.close(at + 1) if self.word(at + 1) == "(" else at + 2

    def until(self, at, *stops):
        """The first of the stops outside brackets."""
        while at < len(self.tokens) and self.tokens[at] not in stops:
            at = self.close(at) if self.tokens[at] in OPENING else at + 1
        return at

    def after(self, at, stop):
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
            return self.after(name, ";")
        if word in ("function", "task"):
            return self.routine(at)
        if word in BLOCKS:
            return next((i for i in range(at, len(self.tokens)) if self.tokens[i] == BLOCKS[word]), len(self.tokens)) + 1
        if word == "assign":
            return self.assignments(at + 1)
        if word in ("initial", "final"):
            self.quiet += 1
            at = self.statement(at + 1)
            self.quiet -= 1
            return at
        if word in ("always", "always_ff", "always_comb", "always_latch"):
            return self.statement(at + 1)
        if word in ("generate", "endgenerate", "else", "begin", "end", "endmodule", "endpackage", "endinterface", "endprogram", ";"):
            return self.label(at + 1)
        if word in ("if", "for", "case", "endcase", ""):  # of elaboration
            return self.operand(at) if self.word(at + 1) == "(" else at + 1
        if word == "default" and self.word(at + 1) in (":", "begin"):
            return at + 1 + (self.word(at + 1) == ":")
        if word in SKIPPED:
            return self.skipped(at)
        if word.startswith("`"):
            at = self.operand(at) if self.word(at + 1) == "(" else at + 1
            return at + (self.word(at) == ";")
        return self.declaration(at)

    def skipped(self, at):
        """An item without places; the names of an enumeration are kept."""
        end = self.until(at, ";")
        if self.word(at) == "typedef" and self.word(at + 1) == "enum":
            brace = next((i for i in range(at, end) if self.tokens[i] == "{"), end)
            names = [self.tokens[i] for i in range(brace + 1, end) if self.tokens[i - 1] in ("{", ",") and NAME.match(self.tokens[i])]
            self.enums.update(zip(names, names[1:] + names[:1]))
        return end + 1

    def label(self, at):
        return at + 2 if self.word(at) == ":" and NAME.match(self.word(at + 1)) else at

    def routine(self, at):
        """A function or task."""
        last = {"function": "endfunction", "task": "endtask"}[self.tokens[at]]
        at = self.after(at, ";")
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
            return self.after(end, ";")  # what a variable begins with
        if word != ";":
            return max(end, at + 1)
        first = self.operand(at + 1) if self.word(at + 1) == "#" else at + 1
        while NAME.match(self.word(at)) and NAME.match(self.word(first)):
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
                    self.site(i + 3, self.close(i + 2) - 1, "port", "", f"{instance}.{self.tokens[i + 1]}(")
                i = self.close(i + 2)
            else:
                i += 1

    def assignments(self, at):
        """L = E, L = E; of assign and of nets."""
        if self.word(at) == "#":
            at = self.operand(at)
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
        if word in ("unique", "unique0", "priority", "forever", "do"):
            return self.statement(at + 1)
        if word in ("@", "#"):
            return self.statement(self.operand(at))
        if word == "if":
            return self.if_statement(at)
        if word in ("case", "casez", "casex"):
            return self.case_statement(at)
        if word in ("for", "while", "repeat", "foreach", "wait"):
            return self.statement(self.close(at + 1))
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
        self.reset += reset
        at = self.statement(end)
        self.reset -= reset
        return self.statement(at + 1) if self.word(at) == "else" else at

    def case_statement(self, at):
        end = self.close(at + 1)
        head = f"{self.tokens[at]} ("
        self.site(at + 2, end - 1, "value", "", head)
        head += f"{self.flat(at + 2, end - 1)}) "
        at = end + (self.word(end) == "inside")
        while at < len(self.tokens) and self.tokens[at] != "endcase":
            if self.tokens[at] == "default":
                at += 1 + (self.word(at + 1) == ":")
            elif self.tokens[at].startswith("`"):
                at = self.item(at)
                continue
            else:
                at = self.labels(at, head)
            at = self.statement(at)
        return at + 1

    def labels(self, at, head):
        """The labels of a branch of a case, to the token after their colon. head: the case, for the user."""
        while True:
            end = self.until(at, ",", ":")
            if end == at + 1 or (end == at + 3 and self.word(at + 1) == "::"):
                self.site(at, end, "label", "", head)
            if self.word(end) != ",":
                return end + 1
            at = end + 1

    def simple(self, at):
        """An assignment, a declaration in a block, a call."""
        end = self.until(at, ";")
        equals = self.until(at, ";", *ASSIGNMENTS)
        if equals >= end or self.tokens[at] in SKIPPED or self.tokens[at].startswith("$"):
            return end + 1
        start = self.operand(equals + 1) if self.word(equals + 1) == "#" else equals + 1
        left = at
        if NAME.match(self.tokens[at]) and NAME.match(self.tokens[equals - 1]) and equals - at > 1 and self.tokens[equals - 2] not in (".", "::"):
            left = equals - 1  # a declaration
            if self.tokens[at] in ("static", "const"):
                return end + 1
        target = self.flat(left, equals)
        if self.tokens[equals] in ("=", "<="):
            self.site(start, end, "value", target, f"{target} {self.tokens[equals]} ", alone=True)
        never = "x" in self.tokens[end - 1].lower().partition("'")[2]  # an X: the statement is never reached
        if left == at and not never and self.tokens[at:equals] != self.tokens[start:end]:
            self.site(at, end, "assignment", target, "", alone=True)
        return end + 1

    # ---- places ----

    def site(self, start, end, kind, left, head, alone=False):
        """alone: a single constant is a place, too."""
        tokens = self.tokens[start:end]
        names = [t for t in tokens if re.match(r"[a-z\\]", t)]
        single = end == start + 1 and (alone or kind == "label")
        if self.quiet or left.startswith("unused") or any("unused" in t for t in names):
            return
        if self.reset:
            if kind != "value" or names or not single:
                return
            kind, head = "reset", f"in reset: {head}"
        elif not (names or single):
            return
        if any(CLOCK_OR_RESET.search(t) for t in names) or any(t.startswith('"') for t in tokens):
            return
        if not CONDITIONAL.isdisjoint(tokens):
            return
        if start >= 2 and any(a == "'" and b == "{" for a, b in zip(tokens, tokens[1:])):
            return
        self.sites.append(Site(start, end, kind, left, head, self.module))

    def constants(self, start, end, parameters):
        """Tokens of an expression that stay as they are: indices, replications, sizes, comparisons of a parameter with a number."""
        fixed = set()
        beside = {"", "(", ")", "&&", "||", "!", "?", ":"}

        def back(k):
            """The token before this one, or before the bracket that it closes."""
            return self.opening.get(k, k) - 1

        for i in range(start, end):
            token = self.tokens[i]
            if token == "[":
                fixed.update(range(i, self.close(i)))
            elif token == "{" and i > start and (NAME.match(self.tokens[i - 1]) or self.tokens[i - 1][0].isdigit() or self.tokens[i - 1] == ")"):
                k = i - 1
                while k > start and self.tokens[k] != "{":  # of the replication
                    k = back(k)
                fixed.update(range(max(k, start), i))
            elif token == "'" and i > start and self.tokens[i - 1] == ")":
                fixed.update(range(back(i - 1) + 1, i))
            elif token in SYSTEM_CONSTANTS and self.word(i + 1) == "(":
                fixed.update(range(i, self.close(i + 1)))
            elif token in COMPARISONS and i + 1 < end and self.tokens[i - 1] in parameters and self.tokens[i + 1].isdigit():
                k = i - 3 if i - 2 > start and self.tokens[i - 2] == "::" else i - 1
                before, after = "" if k <= start else self.tokens[k - 1], "" if i + 2 >= end else self.tokens[i + 2]
                if before in beside and after in beside:
                    fixed.update(range(k, i + 2))
        return fixed

    def line(self, token):
        return self.text.count("\n", 0, self.from_[token]) + 1
