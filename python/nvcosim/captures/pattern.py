"""Log lines with a format defined by the user: trace events, printks of other drivers
(80-trace-formats section 6.4).

The file of --pattern has one line per pattern; # starts a comment:

    KIND addr=N[*4] value=N REGEX

KIND: write, read; read-address and read-value if address and value of a read are in two lines; hole
for lines that report missing ones. N: number of a group of the extended regular expression; *4: a
word address. Numbers are hexadecimal, with or without 0x. The first pattern that matches counts."""
import ctypes
import locale
import os
import typing

from nvcosim.captures.source import BLANKS, LONG, Lines, Source, WORD, hexadecimal, number, shown, \
    wrong_option
from nvcosim.tool import Failure

_SHAPES, _GROUPS = 64, 10
_KINDS = (b"write", b"read", b"read-address", b"read-value", b"hole")
_EXTENDED = 1


class _Compiled(ctypes.Structure):
    """regex_t of the C library, whose expressions differ from those of re."""
    _fields_ = [("buffer", ctypes.c_void_p), ("sizes", ctypes.c_ulong * 3),
                ("fast", ctypes.c_void_p), ("translate", ctypes.c_void_p),
                ("groups", ctypes.c_size_t), ("flags", ctypes.c_uint)]


_Matches = ctypes.c_int * (2 * _GROUPS)


class _Shape(typing.NamedTuple):
    kind: bytes
    regex: _Compiled
    address: int  # groups; 0: none
    value: int
    words: bool


def _group(word: bytes, key: bytes) -> tuple[int, bool]:
    """addr=N[*4] or value=N: the group, 0 if it is none, and whether it is a word address."""
    text = word.removeprefix(key)
    words = key == b"addr=" and len(text) > 2 and text.endswith(b"*4")
    group = number(text[:-2] if words else text) if word.startswith(key) else None
    return (group or 0) if (group or 0) < _GROUPS else 0, words


def _shape(library: ctypes.CDLL, line: bytes) -> _Shape | bytes:
    """A pattern, or what is wrong with it."""
    kind, rest = (line.split(None, 1) + [b""])[:2]
    if kind not in _KINDS:
        return b"found %s; expected write, read, read-address, read-value or hole" % shown(kind)
    address = value = 0
    words = False
    while rest:
        word = rest.split(None, 1)
        group, star = _group(word[0], b"addr=")
        words = words or (star and word[0].startswith(b"addr="))
        if group:
            address = group
        elif group := _group(word[0], b"value=")[0]:
            value = group
        else:
            break
        rest = word[1] if len(word) > 1 else b""
    needs = [b" addr=N"] * (kind not in (b"read-value", b"hole")), \
        [b" value=N"] * (kind not in (b"read-address", b"hole"))
    if not rest or (needs[0] and not address) or (needs[1] and not value):
        return b"expected %s%s REGEX" % (kind, b"".join(needs[0] + needs[1]))
    regex = _Compiled()
    status = library.regcomp(ctypes.byref(regex), rest, _EXTENDED)
    if status != 0:
        reason = ctypes.create_string_buffer(128)
        library.regerror(status, ctypes.byref(regex), reason, ctypes.c_size_t(len(reason)))
        return b"the regular expression cannot be used: %s" % reason.value
    if max(address, value) > regex.groups:
        return b"the regular expression has %d groups" % regex.groups
    return _Shape(kind, regex, address, value, words)


def _shapes(library: ctypes.CDLL, path: str) -> list[_Shape]:
    shapes: list[_Shape] = []
    lines = Lines(path)
    try:
        for line in lines:
            line = line.strip(BLANKS)
            if line and not line.startswith(b"#"):
                shape = _shape(library, line) if len(shapes) < _SHAPES else \
                    b"more than %d shapes" % _SHAPES
                if isinstance(shape, bytes):
                    raise Failure(f"{path}:{lines.number}: {os.fsdecode(shape)}")
                shapes.append(shape)
        if not shapes:
            raise Failure(f"{path}: holds no pattern")
    except Failure as failure:
        raise wrong_option(b"--pattern: " + os.fsencode(str(failure))) from None
    return shapes


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.asked: int | None = None  # the address of a read whose value is not known yet

    def take(self, shape: _Shape, line: bytes, groups: "ctypes.Array[ctypes.c_int]") -> None:
        """A line that matches a pattern."""
        def get(group: int) -> int | None:
            start, end = groups[2 * group], groups[2 * group + 1]
            return hexadecimal(line[start:end]) if start >= 0 else None
        source = self.source
        if source.cut:
            source.drop(b"the file ends with this line, which may be truncated: dropped")
            return
        if shape.kind == b"hole":
            source.hole(line)
            return
        address = get(shape.address) if shape.address else self.asked or 0
        value = get(shape.value) if shape.value else 0
        if address is None or value is None or value > WORD:
            source.refuse(b"address or value is not a hexadecimal number of 32 bits")
            return
        if shape.words:
            address = address * 4 & LONG
        if shape.kind == b"read-address":
            self.asked = address
            return
        if shape.kind == b"read-value" and self.asked is None:
            source.refuse(b"the value of a read whose address is unknown")
            return
        self.asked = None
        offset = source.offset(address)
        if offset is not None:
            source.access(b"W" if shape.kind == b"write" else b"R", offset, value)


def read(source: Source) -> None:
    path = source.options.words.get("pattern")
    if path is None:
        raise wrong_option(b"--from pattern needs --pattern FILE, with the patterns of the lines")
    locale.setlocale(locale.LC_ALL, "C")
    library = ctypes.CDLL(None)
    shapes = _shapes(library, os.fsdecode(path))
    reader, groups, most = _Reader(source), _Matches(), ctypes.c_size_t(_GROUPS)
    for line in source.lines():
        for shape in shapes:
            if library.regexec(ctypes.byref(shape.regex), line, most, groups, 0) == 0:
                reader.take(shape, line, groups)
                break
