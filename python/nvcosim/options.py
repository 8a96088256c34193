"""The options of a command, as argp of the C library reads and explains them: abbreviated long
options, words in any order, optional arguments by `=` only, the layout of --help (from which man
pages and completion are made) and the messages of wrong usage."""
import dataclasses
import sys
import types
import typing

from nvcosim.text import guess, whole
from nvcosim.tool import EXIT_BAD_INPUT, EXIT_OK

WIDTH, DOC_COLUMN = 79, 29
# Options of `nvcosim run` that say what it writes and prints of one trace.
RUN_OUTPUT = (
    "wave", "wave-from", "wave-to", "wave-layer", "wave-scope", "wave-plain", "saif", "timeline",
    "results", "coverage", "coverage-kind", "histogram", "tap", "stats", "verbose", "quiet", "name",
    "html", "only-failed", "debug")
Kind = typing.Callable[[str], typing.Any]


class Wrong(ValueError):
    """An argument that its option cannot take; the text goes behind "--NAME: "."""


def number(least: int, most: int) -> Kind:
    """A number from least to most, decimal or 0x..."""
    def take(text: str) -> int:
        value = whole(text, most)
        if value is None or value < least:
            raise Wrong(f"found '{text}', expected a number from {least} to {most}")
        return value
    return take


def text(what: str) -> Kind:
    """A text that is not empty. what: what was expected."""
    def take(given: str) -> str:
        if not given:
            raise Wrong(f"found '', expected {what}")
        return given
    return take


@dataclasses.dataclass
class Option:
    """A row of a command's table. arg: name of its argument, "": it has none. group: rows of a
    lower group come first in --help. hidden: --help leaves it out. passed: its value is the
    option as a word for another program, --LONG or --LONG=VALUE. default: its value where it is
    not given."""
    long: str
    short: str = ""
    arg: str = ""
    optional: bool = False
    help: str = ""
    kind: Kind = str
    repeat: bool = False
    dest: str = ""
    group: int = 0
    hidden: bool = False
    passed: bool = False
    default: typing.Any = None

    def shown(self, long: str) -> str:
        """--LONG with its argument."""
        argument = f"[={self.arg}]" if self.optional else f"={self.arg}" if self.arg else ""
        return f"--{long}{argument}"


def _wrap(paragraph: str, width: int) -> list[str]:
    """Lines of at most `width` columns, those of the text as far as they fit; like argp, the last
    of a line that is cut leaves a column free."""
    lines = []
    for line in paragraph.split("\n"):
        while len(line) >= width:
            at = line.rfind(" ", 0, width + 1)
            if at <= 0:
                at = line.find(" ", width)
                if at < 0:
                    break
            lines.append(line[:at].rstrip())
            line = line[at:].lstrip()
        lines.append(line)
    return lines


class Parser:
    """The options of `nvcosim NAME`. synopses: what stands after the options in the usage. heads:
    lines above the options of a group in --help."""

    def __init__(self, name: str, *synopses: str, doc: str, after: str = "") -> None:
        self.name = f"nvcosim {name}"
        self.synopses = synopses
        self.doc, self.after = doc, after
        self.options: list[Option] = []
        self.heads: dict[int, str] = {}
        self.add("help", help="Give this help list", group=99, short="?")
        self.add("usage", help="Give a short usage message", group=99)

    def add(self, long: str, **members: typing.Any) -> None:
        """Adds an option: Option(long, ...); dest is its long name with _ for - by default."""
        option = Option(long, **members)
        option.dest = option.dest or long.replace("-", "_")
        self.options.append(option)

    def add_run(self, *left_out: str) -> None:
        """Adds the options of `nvcosim run` except these and those that the command has itself;
        dest: "run", the words to pass on. check_run() judges them."""
        from nvcosim import tool
        own = {*left_out, *(option.long for option in self.options)}
        for row in tool.run_json("info", "--json", "--brief")["options"]:
            if row["name"] not in own:
                self.add(row["name"], short=row["letter"], arg=row["argument"] or "",
                         optional=row["optional"], help=row["text"] or "", hidden=row["hidden"],
                         group=1, dest="run", repeat=True, passed=True)

    def check_run(self, words: list[str]) -> dict[str, typing.Any]:
        """What these words ask `nvcosim run` for, as its --check-options says. Ends the program
        with a usage error if it does not take them."""
        import json
        from nvcosim import tool
        found: dict[str, typing.Any] = tool.run_json("run", "--check-options", "-",
                                                     stdin=json.dumps(words))
        if "error" in found:
            self.error(found["error"])
        return found

    # ---- reading ----

    def parse(self, argv: typing.Sequence[str]) -> types.SimpleNamespace:
        """The values by dest: True or False of an option without argument; the default, or a list
        of a repeated one, where it is not given; "" of an optional argument that is not. Other
        words are in `words`. Ends the program, as argp does, after --help or with a usage error."""
        found = types.SimpleNamespace(words=[])
        for option in self.options:
            setattr(found, option.dest, [] if option.repeat else
                    option.default if option.arg else False)
        rest = list(argv)
        while rest:
            word = rest.pop(0)
            if word == "--":
                found.words += rest
                break
            if word.startswith("--"):
                self._long(word[2:], rest, found)
            elif word.startswith("-") and word != "-":
                self._short(word[1:], rest, found)
            else:
                found.words.append(word)
        return found

    def _long(self, word: str, rest: list[str], found: types.SimpleNamespace) -> None:
        name, equals, value = word.partition("=")
        options = [o for o in self.options if o.long == name] or \
                  [o for o in self.options if o.long.startswith(name)]
        if not options:
            near = guess(name, (o.long for o in self.options)).replace("mean ", "mean --")
            self.error(f"unrecognized option '--{word if equals else name}'{near}", prefix=True)
        if len(options) > 1:
            listed = " ".join(f"'--{o.long}'" for o in options)
            self.error(f"option '--{word}' is ambiguous; possibilities: {listed}", prefix=True)
        option = options[0]
        if equals and not option.arg:
            self.error(f"option '--{option.long}' doesn't allow an argument", prefix=True)
        if option.arg and not equals and not option.optional:
            if not rest:
                self.error(f"option '--{option.long}' requires an argument", prefix=True)
            value = rest.pop(0)
        self._take(option, value if equals or value else None, found)

    def _short(self, letters: str, rest: list[str], found: types.SimpleNamespace) -> None:
        while letters:
            letter, letters = letters[0], letters[1:]
            option = next((o for o in self.options if o.short == letter), None)
            if option is None:
                self.error(f"invalid option -- '{letter}'", prefix=True)
            if not option.arg:
                self._take(option, None, found)
                continue
            if not letters and not option.optional:
                if not rest:
                    self.error(f"option requires an argument -- '{letter}'", prefix=True)
                letters = rest.pop(0)
            self._take(option, letters or None, found)
            return

    def _take(self, option: Option, value: str | None, found: types.SimpleNamespace) -> None:
        if option.long == "help" and option.group == 99:
            self._print(self.help())
        if option.long == "usage" and option.group == 99:
            self._print(self.usage())
        try:
            result = True if not option.arg else \
                "" if value is None and option.optional else option.kind(value or "")
        except Wrong as wrong:
            self.error(f"--{option.long}: {wrong}")
        if option.passed:
            result = f"--{option.long}" + ("" if value is None else f"={value}")
        if option.repeat:
            getattr(found, option.dest).append(result)
        else:
            setattr(found, option.dest, result)

    def error(self, message: str, prefix: bool = True) -> typing.NoReturn:
        """Ends the program with a usage error."""
        sys.stdout.flush()
        lines = [f"{self.name}: {message}" if prefix else message, *_wrap(
            f"Try `{self.name} --help' or `{self.name} --usage' for more information.", WIDTH)]
        print(*lines, sep="\n", file=sys.stderr)
        sys.exit(EXIT_BAD_INPUT)

    # ---- explaining ----

    @staticmethod
    def _print(lines: list[str]) -> typing.NoReturn:
        print(*lines, sep="\n", flush=True)
        sys.exit(EXIT_OK)

    def _sorted(self) -> list[Option]:
        return sorted((o for o in self.options if not o.hidden), key=lambda o: (
            o.group, (o.short or o.long)[0].lower(), o.short != "", o.long.lower()))

    def help(self) -> list[str]:
        """The lines of --help."""
        usages = [f"{'Usage:' if i == 0 else '  or: '} {self.name} [OPTION...] {words}".rstrip()
                  for i, words in enumerate(self.synopses)]
        lines = [*usages, *_wrap(self.doc, WIDTH), ""]
        group = 0
        for option in self._sorted():
            if self.heads and option.group != group:
                group = option.group
                lines += ["", f" {self.heads[group]}"] if group in self.heads else [""]
            left = f"  -{option.short}, " if option.short else "      "
            left += option.shown(option.long)
            over = len(left) + 3 - DOC_COLUMN  # columns that the first line has less
            over = over if 3 <= over <= 6 else 0
            doc = _wrap("." * over + option.help, WIDTH - DOC_COLUMN)
            if len(left) > DOC_COLUMN + 3:
                lines.append(left)
            else:
                left += "   " if over else ""
                lines.append(f"{left:{DOC_COLUMN}}" + doc.pop(0)[over:])
            lines += [" " * DOC_COLUMN + line for line in doc]
        if any(o.short and o.arg for o in self._sorted()):
            lines += ["", *_wrap("Mandatory or optional arguments to long options are also "
                                 "mandatory or optional for any corresponding short options.",
                                 WIDTH)]
        return [*lines, "", *_wrap(self.after, WIDTH)] if self.after else lines

    def usage(self) -> list[str]:
        """The lines of --usage."""
        ordered = self._sorted()
        words = [f"[-{''.join(o.short for o in ordered if o.short and not o.arg)}]"]
        words += [f"[-{o.short} {o.arg}]" for o in ordered if o.short and o.arg]
        words += [f"[{o.shown(o.long)}]" for o in ordered]
        line, lines = f"Usage: {self.name}", []
        for word in [*words, *self.synopses[0].split(" ")]:
            if len(line) + 1 + len(word) > WIDTH:
                lines.append(line)
                line = " " * 11
            line += " " + word
        return [*lines, line, *(f"  or:  {self.name} [OPTION...] {s}" for s in self.synopses[1:])]
