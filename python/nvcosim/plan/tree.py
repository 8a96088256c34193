"""A YAML document as a tree of nodes that know their place in the file. Plans are written by hand
and may be wrong or hostile: the tree is bounded in size and depth, aliases cannot blow up, no key
is there twice. Every scalar is a text; tags and merge keys are errors."""
import dataclasses
import typing

from nvcosim.text import shown
from nvcosim.tool import Failure

BYTES, DEPTH, MEMBERS, NODES = 1 << 20, 16, 1000, 100000
_KINDS = {"ScalarEvent": "text", "SequenceStartEvent": "list", "MappingStartEvent": "map"}


class Place(typing.NamedTuple):
    """Line and column from 1."""
    file: str
    line: int
    column: int

    def fail(self, message: str) -> Failure:
        """What is wrong there: FILE:LINE:COLUMN: MESSAGE, in one line."""
        return Failure(shown(f"{self.file}:{self.line}:{self.column}: {message}"))


@dataclasses.dataclass(slots=True)
class Node:
    """nodes: of a list its elements, of a mapping a key and its value in turn."""
    kind: str  # "text", "list", "map"
    place: Place
    text: str = ""
    plain: bool = False  # a text without quotes
    nodes: list["Node"] = dataclasses.field(default_factory=list)
    weight: int = 1  # nodes in it, itself included, aliases counted as what they stand for
    open: bool = True  # being read: an alias to it would be a circle

    def member(self, key: str) -> "Node | None":
        pairs = zip(self.nodes[::2], self.nodes[1::2])
        return next((value for name, value in pairs if name.text == key), None)

    def show(self) -> str:
        """For messages: 'text', a list, a mapping, or nothing."""
        if self.kind != "text":
            return "a list" if self.kind == "list" else "a mapping"
        if not self.text and self.plain:
            return "nothing"
        return f"'{cut(self.text, 60)}{'...' if len(self.text.encode()) >= 60 else ''}'"

    def fail(self, message: str) -> Failure:
        return self.place.fail(message)

    def refuse(self, what: str, expected: str) -> Failure:
        return self.fail(f"{what}: found {self.show()}, expected {expected}")


def cut(text: str, size: int) -> str:
    """The text as it may be shown, in less than `size` bytes."""
    out, used = "", 0
    for piece in map(shown, text):
        used += len(piece.encode())
        if used >= size:
            break
        out += piece
    return out


class _Reader:
    """Makes the tree from the events of libyaml."""

    def __init__(self, name: str, events: typing.Iterator[typing.Any]) -> None:
        self.name, self.events = name, events
        self.anchors: dict[str, Node] = {}
        self.kind, self.place = "", Place(name, 1, 1)  # of the event that came last

    def advance(self) -> typing.Any:
        event = next(self.events)
        self.kind, mark = type(event).__name__, event.start_mark
        self.place = Place(self.name, mark.line + 1, mark.column + 1)
        return event

    def document(self) -> Node:
        self.advance()  # the start of the stream
        self.advance()
        if self.kind == "StreamEndEvent":
            raise self.place.fail("found nothing; expected a document")
        root = self.value(self.advance(), 0)
        self.advance()  # the end of the document
        self.advance()
        if self.kind == "DocumentStartEvent":
            raise self.place.fail("found a second document; expected one")
        return root

    def value(self, event: typing.Any, depth: int) -> Node:
        if self.kind == "AliasEvent":
            return self.alias(event.anchor)
        if event.tag:
            raise self.place.fail("found a tag (!...); expected a value without one")
        node = Node(_KINDS[self.kind], self.place)
        if event.anchor:
            self.anchors[event.anchor] = node
        if node.kind != "text":
            self.fill(node, depth)
        elif "\0" in event.value:
            raise node.fail("found a text with a zero character in it; expected one without")
        else:
            node.text, node.plain = event.value, not event.style
        node.open = False
        return node

    def alias(self, name: str) -> Node:
        node = self.anchors.get(name)
        if not node:
            raise self.place.fail(f"found *{name}; expected the name of an anchor, there is no "
                                  f"&{name} before it")
        if node.open:
            raise self.place.fail(f"found *{name} inside of &{name}, a circle")
        return node

    def fill(self, node: Node, depth: int) -> None:
        """Reads what a list or mapping has in it, up to its end."""
        if depth == DEPTH:
            raise node.fail(f"found more than {DEPTH} lists and mappings in one another")
        event = self.advance()
        while not self.kind.endswith("EndEvent"):
            place, child = self.place, self.value(event, depth + 1)
            if node.kind == "map" and len(node.nodes) % 2 == 0:
                _check_key(node, child, place)
            node.nodes.append(child)
            node.weight += child.weight
            if node.weight > NODES:
                raise place.fail(f"found more than {NODES} values, aliases counted as what they "
                                 "stand for")
            event = self.advance()


def _check_key(parent: Node, node: Node, place: Place) -> None:
    if node.kind != "text":
        raise place.fail("found a list or a mapping as a key; expected a word")
    if node.plain and node.text == "<<":
        raise place.fail("found the merge key '<<', which is not known here; expected a word")
    before = next((key for key in parent.nodes[::2] if key.text == node.text), None)
    if before:
        raise place.fail(f"found the key {node.show()} again; it is in line {before.place.line} "
                         "already")
    if len(parent.nodes) >= 2 * MEMBERS:
        raise place.fail(f"found more than {MEMBERS} keys in one mapping")


def parse(name: str, data: bytes) -> Node:
    """Reads a document. Failure: FILE:LINE:COLUMN: what was found, what was expected."""
    import yaml
    events: typing.Any = yaml.parse
    if len(data) > BYTES:
        raise Failure(f"{name}: found more than {BYTES} bytes")
    try:
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):  # libyaml would take it for UTF-16
            raise yaml.reader.ReaderError(name, 0, data[0], "utf-8", "")
        return _Reader(name, events(data, Loader=yaml.CBaseLoader)).document()
    except yaml.reader.ReaderError as error:
        before = data[:error.position]
        what = ("a control character (0x{:02x}); expected text" if "control" in error.reason
                else "a byte that is not UTF-8 (0x{:02x}); expected text in UTF-8")
        place = Place(name, before.count(b"\n") + 1, len(before) - before.rfind(b"\n"))
        raise place.fail("found " + what.format(error.character & 0xffffffff)) from None
    except yaml.MarkedYAMLError as error:
        raise _syntax(name, data, error) from None


def _syntax(name: str, data: bytes, error: typing.Any) -> Failure:
    """What libyaml says is wrong, and what to do about it."""
    mark, context, advice = error.problem_mark, "", ""
    line = (data.split(b"\n") + [b""])[mark.line]
    if line[mark.column:mark.column + 1] == b"\t":
        advice = "; a line is indented with blanks, not with tabs"
    elif "did not find expected" in error.problem or "not allowed in this" in error.problem:
        advice = "; keys of one mapping, and the '-' of one list, begin in the same column"
    if error.context:
        context = f" ({error.context}, which begins in line {error.context_mark.line + 1})"
    return Place(name, mark.line + 1, mark.column + 1).fail(
        f"not YAML: {error.problem}{context}{advice}")
