"""Values of a plan: a Kind reads one from its node, or refuses it with its place, what was found
and what was expected. A mapping becomes a dataclass whose members name their kinds."""
import dataclasses
import re
import typing

from nvcosim.plan.select import is_operator
from nvcosim.plan.tree import Node
from nvcosim.text import guess, whole

NAME = ("a name of letters, digits, '_' and '-', at most 64, that begins with a letter or digit "
        "and is not and, or, not")
_BIGGEST = 2 ** 63 - 1
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}

Words = tuple[Node, ...]
Target = typing.TypeVar("Target")
Kind = typing.Callable[[typing.Any, Node, str], typing.Any]  # plan, node, key for messages
Check = typing.Callable[[typing.Any, Node, str], None]


def member(kind: Kind, default: typing.Any = None) -> typing.Any:
    """A member of a dataclass that a plan may give. default: a value, or the type of a new one."""
    factory: typing.Callable[[], typing.Any] = lambda: default
    if isinstance(default, type):
        factory = default
    return dataclasses.field(default_factory=factory, metadata={"kind": kind})


def fill(plan: typing.Any, node: Node, what: str, target: Target, prefix: str = "") -> Target:
    """Sets the members of a dataclass that a mapping gives, which has no other keys; returns the
    dataclass. prefix: of keys in messages."""
    known = {field.name: field.metadata["kind"]
             for field in dataclasses.fields(typing.cast(typing.Any, target)) if field.metadata}
    if node.kind != "map":
        raise node.refuse(what, f"a mapping with some of the keys {', '.join(known)}")
    for key in node.nodes[::2]:
        if key.text not in known:
            raise key.fail(f"{what}: found the key {key.show()}, expected one of "
                           f"{', '.join(known)}{guess(key.text, known)}")
    for name, kind in known.items():
        value = node.member(name)
        if value:
            setattr(target, name, kind(plan, value, prefix + name))
    return target


def is_name(text: str, more: str = "") -> bool:
    return bool(re.fullmatch(f"[A-Za-z0-9][A-Za-z0-9_{more}-]{{0,63}}", text)
                and not is_operator(text))


def text(_plan: typing.Any, node: Node, what: str) -> str:
    if not 1 <= len(node.text.encode()) <= 400:
        raise node.refuse(what, "a text of 1 to 400 bytes")
    return node.text


def boolean(_plan: typing.Any, node: Node, what: str) -> bool:
    words = ("no", "yes", "false", "true", "off", "on")
    if node.text not in words:
        raise node.refuse(what, "yes or no")
    return words.index(node.text) % 2 == 1


def number(least: int, most: int) -> Kind:
    def read(_plan: typing.Any, node: Node, what: str) -> int:
        value = whole(node.text, most)
        if value is None or value < least:
            raise node.refuse(what, f"a number from {least} to {most}")
        return value
    return read


def amount(letters: str, step: int, expected: str) -> Kind:
    """A number, perhaps with a letter after it, each `step` times the one before; none: 0."""
    def read(_plan: typing.Any, node: Node, what: str) -> int:
        if node.text == "none":
            return 0
        digits = node.text.rstrip(letters)
        letter = node.text[len(digits):]
        factor: int = step ** (letters.index(letter) + 1) if len(letter) == 1 else 1
        value = whole(digits, _BIGGEST // factor) if len(letter) < 2 else None
        if not value:
            raise node.refuse(what, expected)
        return value * factor
    return read


def seconds(or_none: bool) -> Kind:
    """90, 1.5, 90s, 5m, 2h, 1d; none, where there may be no limit: 0."""
    def read(_plan: typing.Any, node: Node, what: str) -> float:
        if or_none and node.text == "none":
            return 0.0
        found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,8})?)([smhd]?)", node.text)
        if not found:
            raise node.refuse(what, "seconds, or a time such as 90s, 5m, 2h"
                              + (", or none" if or_none else ""))
        return float(found[1]) * _SECONDS[found[2]]
    return read


def words(expected: str, check: Check | None = None, again: bool = False) -> Kind:
    """A text, or a list of at least one; none twice unless `again`. check looks at each."""
    def read(plan: typing.Any, node: Node, what: str) -> Words:
        found: list[Node] = []
        nodes = node.nodes if node.kind == "list" else [node]
        if not nodes:
            raise node.refuse(what, expected)
        for word in nodes:
            if not word.text:
                raise word.refuse(what, expected)
            if check:
                check(plan, word, what)
            if not again and any(other.text == word.text for other in found):
                raise word.fail(f"{what}: found '{word.text}' twice")
            found.append(word)
        return tuple(found)
    return read


def mappings(read: Kind) -> Kind:
    """A list of at least one mapping."""
    def read_all(plan: typing.Any, node: Node, what: str) -> list[typing.Any]:
        if node.kind != "list" or not node.nodes:
            raise node.refuse(what, "a list of at least one mapping (lines that begin with '-')")
        return [read(plan, element, what) for element in node.nodes]
    return read_all
