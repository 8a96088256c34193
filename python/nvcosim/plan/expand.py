"""Makes the tests of a night from a plan: finds the traces, draws the seeds, multiplies by
configurations, duts, memory settings and reseeds, and marks what is known to fail."""
import dataclasses
import time
import typing

from nvcosim import text
from nvcosim.plan import facts, paths
from nvcosim.plan.read import Item, Known, Plan, Random
from nvcosim.plan.seeds import plan_seed
from nvcosim.plan.select import select as select_tests
from nvcosim.plan.test import Test
from nvcosim.plan.tree import Node
from nvcosim.tool import Failure

_TESTS = 200000  # of a plan: the most


@dataclasses.dataclass
class TestList:
    """The tests in the order of the plan, and what the user should read before anything runs: an
    optional pattern that matches nothing, a known failure that has expired or matches no test."""
    tests: list[Test] = dataclasses.field(default_factory=list)
    warnings: list[str] = dataclasses.field(default_factory=list)


def today() -> str:
    """The date for expand(), local time."""
    return time.strftime("%Y-%m-%d")


def expand(plan: Plan, seed: int, day: str, select: str | None = None) -> TestList:
    """seed: of the night; random layers and reseeds without a fixed seed draw theirs from it and
    the key. day: YYYY-MM-DD, for known failures. select: an expression (select.py), None: all.
    Failure: a pattern that matches nothing, a trace that cannot be read, a configuration that it
    does not fit, an expression that is none, two tests of the same key."""
    found = TestList()
    files = [_match(plan, item, found.warnings) for item in plan.items]
    traces = facts.traces(list({path: None for of_item in files for path in of_item}))
    for item, of_item in zip(plan.items, files):
        bases = _layers(item, seed) if item.random else _traces(item, of_item, traces, found)
        _add(plan, item, bases, seed, found.tests)
    _check_keys(plan, found.tests)
    if not found.tests:
        raise Failure(f"{plan.file}: found no test in this plan, expected at least one")
    for known in plan.known_failures:
        _mark(known, day, found)
    if select is not None:
        found.tests = select_tests(select, found.tests)
    return found


# ---- all tests

class _Base(typing.NamedTuple):
    """What the tests of one trace or layer on one configuration have in common."""
    key: str  # ITEM/NAME[,CONFIG]
    trace: str
    config: str
    generator: str | None = None
    layer_seed: int = 0


class _Variant(typing.NamedTuple):
    """What the tests of one device and memory setting have in common; suffix: of the key."""
    suffix: str
    dut: str
    memory: str
    options: tuple[str, ...]


def _variants(plan: Plan, item: Item) -> typing.Iterator[_Variant]:
    for dut in (word.text for word in item.dut):
        short = "" if dut == "both" else "," + dut.replace("rtl:", "rtl-")
        for memory in ["default"] if dut == "model" else [word.text for word in item.memories]:
            named = "" if memory == "default" else memory
            options = tuple(word.text for word in (*plan.memories.get(named, ()), *item.options)
                            if facts.applies(word.text, dut))
            yield _Variant(short + (named and "@" + named), dut, named, options)


def _add(plan: Plan, item: Item, bases: typing.Iterable[_Base], night: int,
         tests: list[Test]) -> None:
    """Adds the tests of an item."""
    variants, tags = list(_variants(plan, item)), tuple(word.text for word in item.tags)
    reseeds = ["", *(f"+{i + 1}" for i in range(item.reseed))]
    limits = item.limits
    for base in bases:
        if len(tests) + len(variants) * len(reseeds) > _TESTS:
            raise item.name.fail(
                f"item {item.name.text}: found more than {_TESTS} tests in this plan")
        for suffix, dut, memory, options in variants:
            for reseed in reseeds:
                key = base.key + suffix + reseed
                seed = plan_seed(night, key) if reseed or item.seed is None else item.seed
                tests.append(Test(key, item.name.text, base.trace, base.generator, base.layer_seed,
                                  base.config, dut, memory, seed, options, tags,
                                  limits.seconds, limits.cycles, limits.memory))


# ---- traces

def _match(plan: Plan, item: Item, warnings: list[str]) -> dict[str, Node]:
    """The files of an item, each with the first pattern that matches it."""
    found: dict[str, Node] = {}
    missing: list[Failure] = []
    end = ("the item is optional, nothing of it runs" if item.optional
           else "`optional: yes` makes this a warning")
    for pattern in item.traces:
        try:
            path = paths.variables(pattern.text)
        except Failure as failure:
            missing.append(pattern.fail(f"traces: {failure}; {end}"))
            continue
        try:
            matched = paths.match(plan.folder, path)
        except Failure as failure:
            raise pattern.fail(f"traces: {failure}") from None
        if not matched:
            missing.append(pattern.fail("traces: found no file that matches "
                                        f"{paths.seen_from(plan.folder, path)}; {end}"))
        for path in matched:
            found.setdefault(path, pattern)
    if missing and not item.optional:
        raise missing[0]
    if missing and not found:
        warnings.append(str(missing[0]))
    return found


def _traces(item: Item, files: dict[str, Node], traces: dict[str, facts.Trace],
            found: TestList) -> typing.Iterator[_Base]:
    unused = {word.text: word for word in item.exclude if files}
    for path, pattern in files.items():
        excluding = [word.text for word in item.exclude
                     if paths.matches(word.text, traces[path].name)]
        if not excluding:
            yield from _on_configurations(item, traces[path], pattern)
        for word in excluding:
            unused.pop(word, None)
    for word, node in unused.items():
        found.warnings.append(str(node.fail(f"exclude: '{word}' matches the name of no trace")))


def _on_configurations(item: Item, trace: facts.Trace, pattern: Node) -> typing.Iterator[_Base]:
    if text.shown(trace.path) != trace.path:
        raise pattern.fail(f"traces: the name of the file {trace.path} has control characters or "
                           "is not UTF-8; give it another")
    if trace.error:
        raise pattern.fail(f"traces: {trace.error}")
    for config in item.config or (dataclasses.replace(pattern, text=trace.config),):
        if facts.drawn(config.text):
            raise config.fail(f"config: found '{config.text}', expected it in an item with "
                              "random layers; a trace is for one configuration")
        name, map_ = (facts.configuration(config.text)[key] for key in ("name", "map"))
        if trace.named and map_ != facts.configuration(trace.config)["map"]:
            raise config.fail(f"config: found {config.text}, whose register map is not that of "
                              f"{trace.config}, which {trace.path} was made for")
        other = "" if name == trace.config else "," + name
        yield _Base(f"{item.name.text}/{trace.name}{other}", trace.path, name)


# ---- random layers

def _configurations(item: Item, night: int) -> typing.Iterator[str]:
    """Their names, and those that are drawn."""
    for word in item.config:
        for number in range(facts.drawn(word.text)):
            key = f"configuration {item.name.text}/{number}"
            yield facts.drawn_configuration(plan_seed(night, key))
        if not facts.drawn(word.text):
            yield facts.configuration(word.text)["name"]


def _layers(item: Item, night: int) -> typing.Iterator[_Base]:
    assert item.random
    for config in _configurations(item, night):
        for engines in item.random.engines:
            _check_engines(config, engines)
            name = facts.generator_name(engines.text)
            other = "" if config == "small" else "," + config
            for number in range(1, item.random.count + 1):
                key = f"{item.name.text}/{name}-{number:04}{other}"
                seed = plan_seed(night, "layer " + key)
                yield _Base(key, f"layers/{config}_{name}_{seed}.nvt.gz", config, engines.text,
                            seed)
            for seed in (seed for seeds in item.random.seeds for seed in seeds):
                for values in _values(item.random, config, engines.text, seed):
                    key = "".join(f"-{value}" for value in values)
                    end = "".join(f"_{value}" for value in values).replace("/", ".")
                    yield _Base(f"{item.name.text}/{name}-s{seed}{key}{other}",
                                f"layers/{config}_{name}_{seed}{end}.nvt.gz", config,
                                ";".join([engines.text, *filter(None, [",".join(values)])]), seed)


def _values(random: Random, config: str, engines: str, seed: int) -> list[list[str]]:
    """The combinations of values of vary; one without values if there are none."""
    if not random.vary:
        return [[]]
    try:
        found = facts.variations(config, engines, seed, tuple(word.text for word in random.vary))
    except Failure as failure:
        raise random.vary[0].fail(f"vary: {str(failure).splitlines()[0]}") from None
    return [combination.split(",") for combination in found]


def _check_engines(config: str, engines: Node) -> None:
    """An engine that is asked for by name must exist in the configuration."""
    wanted, has = facts.engines(engines.text), facts.configuration(config)["generators"]
    lacks = [engine for engine in wanted if engine not in has]
    if lacks and wanted != facts.all_engines():
        raise engines.fail(
            f"engines: found '{engines.text}', but configuration {config} has no "
            f"{facts.engines_name(lacks)}; expected some of {facts.engines_name(has)}, or mix")


# ---- the list

def _check_keys(plan: Plan, tests: list[Test]) -> None:
    by_key: dict[str, Test] = {}
    for test in tests:
        other = by_key.setdefault(test.key, test)
        if other is not test:
            name = next(item.name for item in plan.items if item.name.text == test.item)
            raise name.fail(f"item {test.item}: found two tests called {test.key}: {other.trace} "
                            f"and {test.trace}; give one of them an item of its own")


def _mark(known: Known, day: str, found: TestList) -> None:
    """Marks the tests of a known failure. An expired one excuses nothing, and is warned about."""
    tests = [test for test in found.tests
             if any(paths.matches(word.text, test.key) for word in known.test)]
    start = f"known failure ({known.reason}): "
    count = text.plural(len(tests), "test has", "tests have")
    if not tests:
        found.warnings.append(str(known.place.fail(
            start + "no test of the plan is called like that")))
    elif day > known.until:
        found.warnings.append(str(known.place.fail(
            f"{start}it was known until {known.until}; {count} to pass again")))
    else:
        for test in tests:
            if test.known is None:
                test.known, test.known_until = known.reason, known.until
