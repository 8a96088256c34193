"""Values of a plan: a Kind reads one from its node, or refuses it with its place, what was found
and what was expected. A mapping becomes a dataclass whose members name their kinds."""
import dataclasses
import re
import typing

from nvcosim.plan import facts
from nvcosim.plan.select import is_operator
from nvcosim.plan.tree import Node, Place, at
from nvcosim.text import guess
from nvcosim.tool import Failure

NAME = ("a name of letters, digits, '_' and '-', at most 64, that begins with a letter or digit "
        "and is not and, or, not")
_BIGGEST = 2 ** 63 - 1
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


class File:
    """The file that is read."""
    file: str

    def fail(self, place: Place, message: str) -> Failure:
        return at(self.file, place, message)

    def refuse(self, node: Node, what: str, expected: str) -> Failure:
        return self.fail(node.place, f"{what}: found {node.show()}, expected {expected}")


@dataclasses.dataclass(frozen=True)
class Word:
    text: str
    place: Place


Words = tuple[Word, ...]
Target = typing.TypeVar("Target")
Kind = typing.Callable[[typing.Any, Node, str], typing.Any]  # plan, node, key for messages
Check = typing.Callable[[typing.Any, Node, str], None]


def member(kind: Kind, default: typing.Any = None) -> typing.Any:
    """A member of a dataclass that a plan may give. default: a value, or the type of a new one."""
    factory: typing.Callable[[], typing.Any] = lambda: default
    if isinstance(default, type):
        factory = default
    return dataclasses.field(default_factory=factory, metadata={"kind": kind})


def kinds(target: typing.Any) -> dict[str, Kind]:
    fields = dataclasses.fields(target)
    return {f.name: f.metadata["kind"] for f in fields if "kind" in f.metadata}


def check_keys(plan: File, node: Node, what: str, target: typing.Any) -> None:
    """Is it a mapping that has no other keys than the members of a dataclass?"""
    keys = kinds(target)
    if node.kind != "map":
        raise plan.refuse(node, what, f"a mapping with some of the keys {', '.join(keys)}")
    for key in node.nodes[::2]:
        if key.text not in keys:
            raise plan.fail(key.place, f"{what}: found the key {key.show()}, expected one of "
                                       f"{', '.join(keys)}{guess(key.text, keys)}")


def fill(plan: File, node: Node, target: Target, prefix: str = "") -> Target:
    """Sets the members that the mapping gives; returns the target."""
    for key, kind in kinds(target).items():
        value = node.member(key)
        if value:
            setattr(target, key, kind(plan, value, prefix + key))
    return target


def is_text(node: Node) -> bool:
    """Which may be empty if it is in quotes."""
    return node.kind == "text" and bool(node.text or not node.plain)


def is_name(text: str, more: str = "") -> bool:
    return bool(re.fullmatch(f"[A-Za-z0-9][A-Za-z0-9_{more}-]{{0,63}}", text)
                and not is_operator(text))


def whole(text: str, most: int = _BIGGEST) -> int | None:
    """A number, decimal or 0x...; None if it is none, or too large."""
    if not re.fullmatch("[0-9]+|0[xX][0-9a-fA-F]+", text):
        return None
    value = int(text, 16 if text[1:2] in ("x", "X") else 10) if len(text) < 400 else most + 1
    return value if value <= most else None


def text(plan: File, node: Node, what: str) -> str:
    if not is_text(node) or not 1 <= len(node.text.encode()) <= 400:
        raise plan.refuse(node, what, "a text of 1 to 400 bytes")
    return node.text


def boolean(plan: File, node: Node, what: str) -> bool:
    words = ("no", "yes", "false", "true", "off", "on")
    if node.kind != "text" or node.text not in words:
        raise plan.refuse(node, what, "yes or no")
    return words.index(node.text) % 2 == 1


def number(least: int, most: int) -> Kind:
    def read(plan: File, node: Node, what: str) -> int:
        value = whole(node.text, most) if is_text(node) else None
        if value is None or value < least:
            raise plan.refuse(node, what, f"a number from {least} to {most}")
        return value
    return read


def amount(letters: str, step: int, expected: str) -> Kind:
    """A number, perhaps with a letter after it, each `step` times the one before; none: 0."""
    def read(plan: File, node: Node, what: str) -> int:
        digits, factor = node.text, 1
        if is_text(node) and digits == "none":
            return 0
        if len(digits) > 1 and digits[-1] in letters:
            factor = int(step ** (letters.index(digits[-1]) + 1))
            digits = digits[:-1]
        value = whole(digits, _BIGGEST // factor) if is_text(node) else None
        if not value:
            raise plan.refuse(node, what, expected)
        return value * factor
    return read


def seconds(or_none: bool) -> Kind:
    """90, 1.5, 90s, 5m, 2h, 1d; none, where there may be no limit: 0."""
    def read(plan: File, node: Node, what: str) -> float:
        if or_none and is_text(node) and node.text == "none":
            return 0.0
        found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,8})?)([smhd]?)", node.text)
        if not found or node.kind != "text":
            raise plan.refuse(node, what, "seconds, or a time such as 90s, 5m, 2h"
                              + (", or none" if or_none else ""))
        return float(found[1]) * _SECONDS[found[2]]
    return read


def words(expected: str, check: Check | None = None, again: bool = False) -> Kind:
    """A text, or a list of at least one; none twice unless `again`. check looks at each."""
    def read(plan: File, node: Node, what: str) -> Words:
        nodes = node.nodes if node.kind == "list" else [node]
        found: list[Word] = []
        if node.kind == "map" or not nodes:
            raise plan.refuse(node, what, expected)
        for element in nodes:
            if not is_text(element) or not element.text:
                raise plan.refuse(element, what, expected)
            if check:
                check(plan, element, what)
            if not again and any(word.text == element.text for word in found):
                raise plan.fail(element.place, f"{what}: found '{element.text}' twice")
            found.append(Word(element.text, element.place))
        return tuple(found)
    return read


def option(plan: File, node: Node, what: str) -> None:
    """A check of words: is it an option that a plan may give?"""
    message = facts.why_not(node.text)
    if message:
        raise plan.fail(node.place, f"{what}: {message}")


def mappings(read: Kind) -> Kind:
    """A list of at least one mapping."""
    def read_all(plan: File, node: Node, what: str) -> list[typing.Any]:
        if node.kind != "list" or not node.nodes:
            raise plan.refuse(node, what,
                              "a list of at least one mapping (lines that begin with '-')")
        return [read(plan, element, what) for element in node.nodes]
    return read_all
