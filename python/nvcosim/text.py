"""Texts as people read them: safe to show, quoted for a shell, counted, measured in columns."""
import math
import os
import re
import typing

_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
_PLAIN = re.compile(r"[a-zA-Z0-9_\-+=.,:/@%]+")
_FLOAT = (r"\s*([+-]?(?:0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?[0-9]+)?"
          r"|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?))( *(?:(?-i:ns|us)))?")


def _escape(found: re.Match[str]) -> str:
    character = found.group()
    errors = "surrogateescape" if "\udc80" <= character <= "\udcff" else "surrogatepass"
    return _ESCAPES.get(character) or "".join(
        f"\\x{byte:02x}" for byte in character.encode("utf-8", errors))


def shown(text: str) -> str:
    r"""A name or a message as it may be shown in a line: control characters, and bytes that are not
    UTF-8 (surrogates here), as \n, \t, \r or \xHH. It cannot send commands to the terminal."""
    return _UNSAFE.sub(_escape, text)


def quoted(word: str) -> str:
    """The text as one word of a shell's command line, in quotes if necessary."""
    return word if _PLAIN.fullmatch(word) else "'" + word.replace("'", "'\\''") + "'"


def plural(n: int, one: str, many: str = "") -> str:
    """ "1 test", "2 tests"; many: where it is not `one` with an s."""
    return f"{n} {one if n == 1 else many or one + 's'}"


def duration(seconds: float) -> str:
    """ "1 h 12 min", "3 min 20 s", "12.3 s", "20 ms"."""
    whole = int(seconds + 0.5)
    if seconds < 1:
        return f"{seconds * 1e3:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def whole(text: str, most: int = 2 ** 63 - 1) -> int | None:
    """A number, decimal or 0x...; None if it is none, or too large."""
    if not re.fullmatch("[0-9]+|0[xX][0-9a-fA-F]+", text):
        return None
    value = int(text, 16 if text[1:2] in ("x", "X") else 10) if len(text) < 400 else most + 1
    return value if value <= most else None


def measure(text: str) -> tuple[float, str]:
    """A number, and its unit: ns, us or "". (-1, ""): it is none."""
    found = re.fullmatch(_FLOAT, text, re.ASCII | re.IGNORECASE)
    if not found:
        return -1, ""
    try:
        number = float.fromhex(found[1]) if "x" in found[1].lower() else float(found[1])
    except OverflowError:
        number = math.inf
    return number, (found[2] or "").strip()


def distance(a: str, b: str) -> int:
    """Letters changed, left out, added or swapped with their neighbour; case is ignored."""
    a, b = a.lower(), b.lower()
    rows = [list(range(len(b) + 1))]
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            least = min(rows[-1][j - 1] + (x != y), rows[-1][j] + 1, row[j - 1] + 1)
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                least = min(least, rows[-2][j - 2] + 1)
            row.append(least)
        rows.append(row)
    return rows[-1][-1]


def guess(word: str, candidates: typing.Iterable[str]) -> str:
    """ "; did you mean X?" with the candidate that is near, at most 2 letters and fewer than half
    of the word away; "" if there is none."""
    most = min(2, max(len(word) - 1, 0) // 2)
    found = [(distance(word, c), i, c) for i, c in enumerate(candidates)
             if abs(len(c) - len(word)) <= most]
    near = min((entry for entry in found if entry[0] <= most), default=None)
    return f"; did you mean {near[2]}?" if near else ""


class Style(typing.NamedTuple):
    """What a stream can show. width: columns of the terminal, 0: as wide as it gets."""
    out: typing.TextIO
    width: int = 0
    colour: bool = False
    utf8: bool = False

    @classmethod
    def of(cls, stream: typing.TextIO) -> "Style":
        terminal = stream.isatty()
        width = 0
        if terminal:
            try:
                width = os.get_terminal_size(stream.fileno()).columns or 80
            except OSError:
                width = 80
        term = os.environ.get("TERM", "dumb")
        colour = terminal and not os.environ.get("NO_COLOR") and term != "dumb"
        return cls(stream, width, colour, locale_is_utf8())


def locale_is_utf8() -> bool:
    """Whether the environment's locale uses UTF-8, installed or not."""
    values = (os.environ.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    return bool(re.search("utf-?8", next(filter(None, values), ""), re.I))
