"""A YAML document as a tree of nodes that know their place in the file. Plans are written by hand
and may be wrong or hostile: the tree is bounded in size and depth, aliases cannot blow up, no key
is there twice. Every scalar is a text; tags and merge keys are errors."""
import dataclasses
import typing

from nvcosim.text import shown
from nvcosim.tool import Failure

BYTES, DEPTH, MEMBERS, NODES = 1 << 20, 16, 1000, 100000
Place = tuple[int, int]  # line and column, from 1


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
        keys = (node.text for node in self.nodes[::2])
        return next((self.nodes[2 * i + 1] for i, name in enumerate(keys) if name == key), None)

    def show(self) -> str:
        """For messages: 'text', a list, a mapping, or nothing."""
        if self.kind != "text":
            return "a list" if self.kind == "list" else "a mapping"
        if not self.text and self.plain:
            return "nothing"
        return f"'{cut(self.text, 60)}{'...' if len(self.text.encode()) >= 60 else ''}'"


def cut(text: str, size: int) -> str:
    """The text as it may be shown, in less than `size` bytes."""
    out, used = "", 0
    for piece in map(shown, text):
        used += len(piece.encode())
        if used >= size:
            break
        out += piece
    return out


class _Builder:
    """Makes the tree from the events of libyaml."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.root: Node | None = None
        self.stack: list[Node] = []
        self.anchors: dict[str, Node] = {}

    def take(self, event: typing.Any) -> None:
        """An event that has no part in the tree is left out."""
        method = getattr(self, f"on_{type(event).__name__}", None)
        if method:
            method(event, (event.start_mark.line + 1, event.start_mark.column + 1))

    def on_ScalarEvent(self, event: typing.Any, place: Place) -> None:
        if "\0" in event.value and not event.tag:
            self.fail(place, "found a text with a zero character in it; expected one without")
        node = self.begin("text", event, place)
        node.text, node.plain = event.value, not event.style
        self.put(node, place)
        self.count(node, place)

    def on_SequenceStartEvent(self, event: typing.Any, place: Place) -> None:
        self.enter("list", event, place)

    def on_MappingStartEvent(self, event: typing.Any, place: Place) -> None:
        self.enter("map", event, place)

    def on_SequenceEndEvent(self, _event: typing.Any, place: Place) -> None:
        self.count(self.stack.pop(), place)

    on_MappingEndEvent = on_SequenceEndEvent

    def on_AliasEvent(self, event: typing.Any, place: Place) -> None:
        name, node = event.anchor, self.anchors.get(event.anchor)
        if not node:
            self.fail(place, f"found *{name}; expected the name of an anchor, there is no &{name} "
                             "before it")
        if node.open:
            self.fail(place, f"found *{name} inside of &{name}, a circle")
        self.put(node, place)
        self.count(node, place)

    def on_DocumentStartEvent(self, _event: typing.Any, place: Place) -> None:
        if self.root:
            self.fail(place, "found a second document; expected one")

    def on_StreamEndEvent(self, _event: typing.Any, place: Place) -> None:
        if not self.root:
            self.fail(place, "found nothing; expected a document")

    def fail(self, place: Place, message: str) -> typing.NoReturn:
        raise at(self.name, place, message)

    def begin(self, kind: str, event: typing.Any, place: Place) -> Node:
        if event.tag:
            self.fail(place, "found a tag (!...); expected a value without one")
        if kind != "text" and len(self.stack) == DEPTH:
            self.fail(place, f"found more than {DEPTH} lists and mappings in one another")
        node = Node(kind, place)
        if event.anchor:
            self.anchors[event.anchor] = node
        return node

    def enter(self, kind: str, event: typing.Any, place: Place) -> None:
        node = self.begin(kind, event, place)
        self.put(node, place)
        self.stack.append(node)

    def put(self, node: Node, place: Place) -> None:
        """Gives the node its place in the mapping or list that is being read, or at the top."""
        if not self.stack:
            self.root = node
            return
        parent = self.stack[-1]
        if parent.kind == "map":
            if len(parent.nodes) % 2 == 0:
                self.check_key(parent, node, place)
            if len(parent.nodes) >= 2 * MEMBERS:
                self.fail(place, f"found more than {MEMBERS} keys in one mapping")
        parent.nodes.append(node)

    def check_key(self, parent: Node, node: Node, place: Place) -> None:
        if node.kind != "text":
            self.fail(place, "found a list or a mapping as a key; expected a word")
        if node.plain and node.text == "<<":
            self.fail(place, "found the merge key '<<', which is not known here; expected a word")
        for key in parent.nodes[::2]:
            if key.text == node.text:
                self.fail(place, f"found the key {node.show()} again; it is in line {key.place[0]} "
                                 "already")

    def count(self, node: Node, place: Place) -> None:
        """A node that is complete counts in the one around it."""
        node.open = False
        if self.stack:
            self.stack[-1].weight += node.weight
            if self.stack[-1].weight > NODES:
                self.fail(place, f"found more than {NODES} values, aliases counted as what they "
                                 "stand for")


def at(name: str, place: Place, message: str) -> Failure:
    """The error of a place in a file: NAME:LINE:COLUMN: MESSAGE, in one line."""
    return Failure(shown(f"{name}:{place[0]}:{place[1]}: {message}"))


def parse(name: str, data: bytes) -> Node:
    """Reads a document. Failure: FILE:LINE:COLUMN: what was found, what was expected."""
    import yaml
    if len(data) > BYTES:
        raise Failure(f"{name}: found more than {BYTES} bytes")
    builder = _Builder(name)
    try:
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):  # libyaml would take it for UTF-16
            raise yaml.reader.ReaderError(name, 0, data[0], "utf-8", "")
        for event in yaml.parse(data, Loader=yaml.CBaseLoader):
            builder.take(event)
    except yaml.reader.ReaderError as error:
        before = data[:error.position]
        what = ("a control character (0x{:02x}); expected text" if "control" in error.reason
                else "a byte that is not UTF-8 (0x{:02x}); expected text in UTF-8")
        place = (before.count(b"\n") + 1, len(before) - before.rfind(b"\n"))
        raise at(name, place, "found " + what.format(error.character & 0xffffffff)) from None
    except yaml.MarkedYAMLError as error:
        raise _syntax(name, data, error) from None
    assert builder.root
    return builder.root


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
    return at(name, (mark.line + 1, mark.column + 1), f"not YAML: {error.problem}{context}{advice}")
