"""The plan of a regression: a YAML file that says which traces and random layers run, on which
device, with which memory settings, and what is known to fail (docs/plans.md). The dataclasses here
are the table of its keys; expand.py makes tests from them."""
import dataclasses
import gzip
import os
import re
import typing

from nvcosim.plan import facts, paths, tree, values
from nvcosim.plan.tree import Node, Place
from nvcosim.plan.values import Words, member
from nvcosim.text import guess, whole
from nvcosim.tool import Failure

_LAYERS, _RESEED = 100000, 10000  # layers of one item or range, plays of one test after the first
_VARIANTS = ("waves", "coverage", "toggle", "checks", "taps")  # of simulators: no names of RTL
_NOWHERE = Place("", 0, 0)


# ---- words that have to name something

def _config(_plan: "Plan", node: Node, what: str) -> None:
    known = facts.configurations()
    if facts.drawn(node.text):
        return
    if not re.search("[,+]", node.text) and node.text not in known:
        raise node.refuse(what, f"a configuration: {', '.join(known)}{guess(node.text, known)}")
    try:
        facts.configuration(node.text)
    except Failure as failure:
        raise node.fail(f"{what}: {failure}") from None


def _dut(_plan: "Plan", node: Node, what: str) -> None:
    rtl = re.fullmatch("rtl:([a-z0-9_]{1,31})", node.text)
    if node.text not in ("both", "model", "rtl") and (not rtl or rtl[1] in _VARIANTS):
        raise node.refuse(what, "both, model, rtl, or rtl:NAME of an RTL that `nvcosim build` has "
                                "made")


def _memory(plan: "Plan", node: Node, what: str) -> None:
    if node.text != "default" and node.text not in plan.memories:
        names = f": {', '.join(plan.memories)}" if plan.memories else ""
        raise node.refuse(what, f"default or a name of the plan's memories{names}"
                                f"{guess(node.text, ['default', *plan.memories])}")


def _tag(_plan: "Plan", node: Node, what: str) -> None:
    if not values.is_name(node.text, ".:"):
        raise node.refuse(what, values.NAME + ", or a list of such; '.' and ':' may be in it")


def _engines(_plan: "Plan", node: Node, what: str) -> None:
    if not facts.engines(node.text):
        raise node.refuse(what, f"{', '.join(facts.all_engines())}, several of them with commas "
                                "between, or mix; or a list of such")


def _option(_plan: "Plan", node: Node, what: str) -> None:
    message = facts.why_not(node.text)
    if message:
        raise node.fail(f"{what}: {message}")


# ---- what an item has

@dataclasses.dataclass
class Limits:
    seconds: float = member(values.seconds(or_none=True), 0.0)  # 0: no limit
    cycles: int = member(values.amount(
        "kMG", 1000,
        "core clocks, at least 1, such as 500000 or 20M (k, M, G: thousands), or none"), 0)
    memory: int = member(values.amount(
        "KMGT", 1024, "bytes, at least 1, such as 512M or 2G (K, M, G, T: times 1024), or none"), 0)


def _limits(plan: "Plan", node: Node, what: str) -> Limits:
    return values.fill(plan, node, what, dataclasses.replace(plan.limits), what + ": ")


def _ranges(_plan: "Plan", node: Node, what: str) -> list[range]:
    """17, 1-500, or a list of these."""
    found: list[range] = []
    for element in node.nodes if node.kind == "list" else [node]:
        first, dash, last = element.text.partition("-")
        a, b = whole(first), whole(last if dash else first)
        if a is None or b is None or not 0 <= b - a < _LAYERS:
            raise element.refuse(what, "a seed, or a range of at most 100000 such as 1-500, or a "
                                       "list of these")
        for other in found:
            if a < other.stop and other.start <= b:
                raise element.fail(f"{what}: found '{element.text}', expected no seed of "
                                   f"{other.start}-{other.stop - 1}, which was given before")
        found.append(range(a, b + 1))
    if not found:
        raise node.refuse(what, "at least one seed or range")
    return found


@dataclasses.dataclass
class Random:
    """Layers of each engine and configuration: count with seeds of the night, or those of seeds."""
    engines: Words = member(values.words("names of engines", _engines), ())
    count: int = member(values.number(1, _LAYERS), 0)
    seeds: list[range] | tuple[()] = member(_ranges, ())
    vary: Words = member(values.words("settings and their values, such as w=1:8"), ())


def _random(plan: "Plan", node: Node, what: str) -> Random:
    random = values.fill(plan, node, what, Random())
    if not random.engines:
        raise node.fail(f"{what}: expected the key engines, such as engines: mix")
    _need_one(node, what, "count", " (layers with seeds of the night)",
              "seeds", " (the same layers every night, such as 1-500)")
    if random.vary and random.count:
        raise node.fail(f"{what}: found vary and count, expected the key seeds with vary: it needs "
                        "the same layers every night")
    return random


def _need_one(node: Node, what: str, one: str, of_one: str, other: str, of_other: str) -> None:
    """A mapping has one of two keys. of_one, of_other: what they give."""
    if bool(node.member(one)) == bool(node.member(other)):
        both = bool(node.member(one))
        raise node.fail(f"{what}: found {'both' if both else 'neither'} {one} "
                        f"{'and' if both else 'nor'} {other}, expected either {one}{of_one} or "
                        f"{other}{of_other}")


def _seed(_plan: "Plan", node: Node, what: str) -> int | None:
    value = whole(node.text)
    if value is None and node.text != "night":
        raise node.refuse(what, "a number from 0 to 2^63-1, or night: one drawn from the seed of "
                                "the night")
    return value


def _item_name(plan: "Plan", node: Node, what: str) -> Node:
    if not values.is_name(node.text):
        raise node.refuse(what, values.NAME)
    for item in plan.items:
        if item.name.text == node.text:
            raise node.fail(f"{what}: found '{node.text}' again; it is that of the item in line "
                            f"{item.name.place.line}")
    return node


_options = values.words("a list of options of nvcosim run, such as [--latency=200]", _option,
                        again=True)


@dataclasses.dataclass
class Item:
    """Traces or random layers, and what they are played on."""
    name: Node = member(_item_name, Node("text", _NOWHERE))
    traces: Words = member(values.words("a pattern of file names, or a list of such"), ())
    random: Random | None = member(_random)
    config: Words = member(values.words("the name of a configuration, or a list of such", _config),
                           ())  # each trace's own
    dut: Words = member(values.words("both, model, rtl, rtl:NAME, or a list of such", _dut), ())
    memories: Words = member(values.words("names of the plan's memories, or default", _memory), ())
    tags: Words = member(values.words("words, or a list of such", _tag), ())
    options: Words = member(_options, ())
    seed: int | None = member(_seed, 1)  # None: one of the night
    reseed: int = member(values.number(0, _RESEED), 0)
    limits: Limits = member(_limits)
    optional: bool = member(values.boolean, False)
    exclude: Words = member(values.words("a pattern of names of traces, or a list of such"), ())


def _item(plan: "Plan", node: Node, what: str) -> Item:
    item = values.fill(plan, node, what, Item(limits=plan.limits))
    name = item.name
    if not name.text:
        raise node.fail(f"{what}: found an item without the key name, expected one")
    _need_one(node, f"item {name.text}", "traces", " (patterns of file names)",
              "random", " (layers)")
    item.dut = item.dut or (dataclasses.replace(name, text="both"),)
    item.memories = item.memories or (dataclasses.replace(name, text="default"),)
    if item.random:
        item.config = item.config or (dataclasses.replace(name, text="small"),)
        if item.random.count and not node.member("seed"):
            item.seed = None
    _check_item(plan, node, item)
    plan.items.append(item)
    return item


def _check_item(plan: "Plan", node: Node, item: Item) -> None:
    """What only traces have, and what only RTL has."""
    for key in ("optional", "exclude"):
        given = node.member(key)
        if item.random and given:
            raise given.fail(f"{key}: it is of items with the key traces; this one has random "
                             "layers")
    memories = node.member("memories")
    if memories and [dut.text for dut in item.dut] == ["model"]:
        raise memories.fail("memories: the model has none; leave the key out, or play on another "
                            "dut than model")
    for dut in item.dut:
        useful = [word for word in item.options if facts.applies(word.text, dut.text)]
        for word in item.options:
            if word not in useful and len(item.dut) == 1:
                raise word.fail(f"options: {word.text} has no effect with dut {dut.text}")
        plan.check_later(dut.text, useful, "options")
        for memory in item.memories if dut.text != "model" else ():
            more = [dataclasses.replace(word, place=memory.place)
                    for word in plan.memories.get(memory.text, ())]
            plan.check_later(dut.text, useful + more, "options and memories together")


# ---- the others

@dataclasses.dataclass
class Triage:
    debug: int = member(values.number(0, 100000), 20)
    debug_seconds: float = member(values.seconds(or_none=False), 600.0)
    shrink_seconds: float = member(values.seconds(or_none=False), 60.0)


def _triage(plan: "Plan", node: Node, what: str) -> Triage:
    return values.fill(plan, node, what, Triage(), what + ": ")


def _memories(plan: "Plan", node: Node, what: str) -> dict[str, Words]:
    if node.kind != "map":
        raise node.refuse(what, "a mapping of names to lists of options of nvcosim run")
    found = {}
    for name, options in zip(node.nodes[::2], node.nodes[1::2]):
        if not values.is_name(name.text) or name.text == "default":
            raise name.refuse(what, values.NAME
                              + ", and not default, which is the memory without options")
        found[name.text] = _options(plan, options, name.text)
        plan.check_later("both", found[name.text], name.text)
    return found


def _day(_plan: "Plan", node: Node, what: str) -> str:
    import datetime
    try:
        if not re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", node.text):
            raise ValueError
        datetime.date.fromisoformat(node.text)
    except ValueError:
        raise node.refuse(what, "the last day on which it is known, YYYY-MM-DD") from None
    return node.text


@dataclasses.dataclass
class Known:
    """Tests that are known to fail: patterns of keys."""
    test: Words = member(values.words("a pattern of names of tests, or a list of such"), ())
    reason: str = member(values.text, "")
    until: str = member(_day, "")
    place: Place = _NOWHERE


def _known(plan: "Plan", node: Node, what: str) -> Known:
    known = values.fill(plan, node, what, Known(place=node.place))
    for key in ("test", "reason", "until"):
        if not getattr(known, key):
            raise node.fail(f"{what}: found an entry without the key {key}, expected test, reason "
                            "and until")
    return known


def _database(plan: "Plan", node: Node, what: str) -> str:
    text = values.text(plan, node, what)
    try:
        return paths.seen_from(plan.folder, paths.variables(text))
    except Failure as failure:
        raise node.fail(f"{what}: {failure}") from None


# ---- the plan

@dataclasses.dataclass(frozen=True)
class Settings:
    """Of the night, or their defaults; None, jobs 0: the plan says nothing."""
    name: str  # of the plan: its key `name`, or the file name without suffix
    database: str | None  # path, absolute
    slurm_options: str | None  # words for sbatch
    jobs: int  # processes at a time
    debug_reports: int  # failures that nvcosim debug looks at
    debug_seconds: float  # wall time for all of them; 0: none
    shrink_seconds: float  # to shrink the smallest case of one bucket; 0: it is not
    night_seconds: float  # wall time of the night: no test starts after it; 0: no limit


@dataclasses.dataclass
class Plan:
    """What the file says, with the place of all that may still prove wrong."""
    file: str
    text: str
    name: str | None = member(values.text)
    database: str | None = member(_database)
    jobs: int = member(values.number(1, 1024), 0)
    night_seconds: float = member(values.seconds(or_none=True), 0.0)
    slurm_options: str | None = member(values.text)
    limits: Limits = member(_limits, Limits)  # of items that do not give theirs
    triage: Triage = member(_triage, Triage)
    memories: dict[str, Words] = member(_memories, dict)
    items: list[Item] = member(values.mappings(_item), list)
    known_failures: list[Known] = member(values.mappings(_known), list)
    folder: str = ""  # that relative paths begin at, absolute
    checks: list[facts.Together] = dataclasses.field(default_factory=list)

    @classmethod
    def read(cls, path: str) -> "Plan":
        """Failure: FILE:LINE:COLUMN: what was found, what was expected."""
        if os.path.exists(path) and not os.path.isfile(path):
            raise Failure(f"{path}: is not a regular file")
        try:
            with open(path, "rb") as file:
                packed = file.read(2) == b"\x1f\x8b"
            with gzip.open(path) if packed else open(path, "rb") as file:
                data = file.read(tree.BYTES + 1)
        except (OSError, EOFError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise Failure(f"{path}: cannot open: {reason}") from None
        return cls.parse(path, data)

    @classmethod
    def parse(cls, name: str, data: bytes) -> "Plan":
        """name: of the file, for messages and to find what is named relative to it."""
        root = tree.parse(name, data)
        plan = cls(name, data.decode(), folder=os.path.realpath(os.path.dirname(name)))
        try:
            values.fill(plan, root, "plan", plan)
            if not plan.items:
                raise root.fail("plan: found no key items, expected it: what is to be run")
        finally:
            facts.check_together(plan.checks)  # what it refuses comes before another failure
        return plan

    def check_later(self, dut: str, words: typing.Sequence[Node], what: str) -> None:
        """Whether the options go together is asked once, for all."""
        if words:
            self.checks.append(facts.Together(dut, list(words), what))

    @property
    def settings(self) -> Settings:
        base, triage = os.path.basename(self.file), self.triage
        return Settings(self.name or re.sub(r"(.)\.[^.]*$", r"\1", base), self.database,
                        self.slurm_options, self.jobs, triage.debug, triage.debug_seconds,
                        triage.shrink_seconds, self.night_seconds)
