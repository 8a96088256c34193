"""File lists as Verilator reads them with -F: which list and line names a file."""
import dataclasses
import os
import pathlib
import typing

from nvcosim.tool import Failure

_NAMES_LIST = ("-F", "-f")
_SUFFIXES = (".v", ".sv", ".vlib")


@dataclasses.dataclass
class Entry:
    """A file that a list names, itself or as one of a folder."""
    path: str
    place: str  # LIST:LINE
    kind: str   # "", -v or -y


def read(name: str, base: str = "") -> typing.Iterator[Entry]:
    """The sources of a list, of those that it names, and of its folders. base: the folder that
    paths are relative to, else that of the list. Failure: a list that cannot be read."""
    base = base or os.path.dirname(os.path.abspath(name))
    try:
        text = pathlib.Path(name).read_text(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise Failure(f"{name}: {error.strerror}") from error
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("//")[0].split()
        kind = ""
        for word in words:
            path = os.path.normpath(os.path.join(base, word))
            if word in ("-v", "-y", *_NAMES_LIST):
                kind = word
                continue
            if kind in _NAMES_LIST:
                yield from read(path, os.getcwd() if kind == "-f" else "")
            elif kind == "-y":
                yield from (Entry(os.path.join(path, file), f"{name}:{number}", kind)
                            for file in _names(path) if file.endswith(_SUFFIXES))
            elif word[0] not in "+-":
                yield Entry(path, f"{name}:{number}", kind)
            kind = ""


def is_foreign(name: str) -> bool:
    """True if a list is neither of this project's RTL nor of a copy of it: then no checks are
    inside, and what is inside is known only as far as a table of taps says."""
    return not any(entry.path.endswith("/nvdla_csc_sequence.sv") for entry in read(name))


def _names(folder: str) -> list[str]:
    """The names in a folder, sorted; none if it cannot be read."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
