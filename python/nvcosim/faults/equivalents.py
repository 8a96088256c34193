"""The list of faults that change nothing observable, each with the reason: a YAML file
(docs/qualify.md)."""
import dataclasses
import pathlib

from nvcosim.plan import tree
from nvcosim.tool import Failure

_MEMBERS = ("file", "statement", "reason")


@dataclasses.dataclass(frozen=True)
class Equivalent:
    """file: relative to the RTL. statement: with the change marked, as it is printed. line: in the
    list."""
    file: str
    statement: str
    reason: str
    line: int


Equivalents = dict[tuple[str, str], Equivalent]  # by file and statement, in the order of the list


def _take(node: tree.Node, known: Equivalents) -> Equivalent:
    if node.kind != "map":
        raise node.fail(f"found {node.show()}, expected a mapping of file, statement and reason")
    for key in node.nodes[::2]:
        if key.text not in _MEMBERS:
            raise key.fail(f"found '{key.text}', expected file, statement or reason")
    texts = {}
    for member in _MEMBERS:
        value = node.member(member)
        if not value or not value.text:
            raise (value or node).fail(f"found {value.show() if value else 'none'}, expected the "
                                       f"{member} of a fault as a text")
        texts[member] = value.text
    if (texts["file"], texts["statement"]) in known:
        raise node.fail("this fault is in the list twice")
    return Equivalent(**texts, line=node.place.line)


def read(path: str) -> Equivalents:
    """Failure: FILE:LINE:COLUMN: what was found, what was expected."""
    try:
        root = tree.parse(path, pathlib.Path(path).read_bytes())
    except OSError as error:
        raise Failure(f"{path}: cannot open: {error.strerror}") from None
    if root.kind != "list":
        raise root.fail(f"found {root.show()}, expected a list of faults")
    found: Equivalents = {}
    for node in root.nodes:
        entry = _take(node, found)
        found[entry.file, entry.statement] = entry
    return found
