"""Makes the tests of a night from a plan: finds the traces, draws the seeds, multiplies by
configurations, duts, memory settings and reseeds, and marks what is known to fail."""
import dataclasses
import time
import typing

from nvcosim import text
from nvcosim.plan import facts, paths
from nvcosim.plan.read import Item, Known, Plan
from nvcosim.plan.seeds import plan_seed
from nvcosim.plan.select import select as select_tests
from nvcosim.plan.test import Test
from nvcosim.plan.tree import Place
from nvcosim.plan.values import Word
from nvcosim.tool import Failure

_TESTS = 200000  # of a plan: the most


@dataclasses.dataclass
class TestList:
    """The tests in the order of the plan, and what a person should read before anything runs: an
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
    expansion = _Expansion(plan, seed)
    matched = _match_all(plan)
    for item in plan.items:
        if item.random:
            expansion.add_random(item)
        else:
            expansion.add_traces(item, matched)
    found = expansion.found
    _check_keys(plan, found.tests)
    if not found.tests:
        raise Failure(f"{plan.file}: found no test in this plan, expected at least one")
    for known in plan.known_failures:
        _mark(plan, known, day, found)
    if select is not None:
        found.tests = select_tests(select, found.tests)
    return found


# ---- traces

@dataclasses.dataclass
class _Match:
    """The files of a pattern, or why there are none."""
    pattern: Word
    paths: list[str]
    failure: Failure | None = None


class _Matches(typing.NamedTuple):
    of_item: dict[str, list[_Match]]
    traces: dict[str, facts.Trace]


def _match_all(plan: Plan) -> _Matches:
    """All that the patterns match, up to the first failure; then the traces are read at once."""
    of_item: dict[str, list[_Match]] = {}
    failed = False
    for item in plan.items:
        for pattern in item.traces if not failed else ():
            match = _match(plan, item, pattern)
            of_item.setdefault(item.name.text, []).append(match)
            failed = bool(match.failure) and not item.optional
    every = [path for matches in of_item.values() for match in matches for path in match.paths]
    return _Matches(of_item, facts.traces(list(dict.fromkeys(every))))


def _match(plan: Plan, item: Item, pattern: Word) -> _Match:
    end = "; `optional: yes` makes this a warning"
    if item.optional:
        end = "; the item is optional, nothing of it runs"
    try:
        path = paths.variables(pattern.text)
        seen = paths.seen_from(plan.folder, path)
    except Failure as failure:
        return _Match(pattern, [], plan.fail(pattern.place, f"traces: {failure}{end}"))
    try:
        found = paths.match(plan.folder, path)
    except Failure as failure:
        raise plan.fail(pattern.place, f"traces: {failure}") from None
    return _Match(pattern, found, None if found else plan.fail(
        pattern.place, f"traces: found no file that matches {seen}{end}"))


# ---- all tests

@dataclasses.dataclass
class _Base:
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
        memories = ["default"] if dut == "model" else [word.text for word in item.memories]
        for memory in memories:
            named = "" if memory == "default" else memory
            options = tuple(word.text for word in (*plan.memories.get(named, ()), *item.options)
                            if facts.applies(word.text, dut))
            yield _Variant(short + (named and "@" + named), dut, named, options)


class _Expansion:
    def __init__(self, plan: Plan, seed: int) -> None:
        self.plan, self.night, self.found = plan, seed, TestList()

    def add(self, item: Item, bases: typing.Iterable[_Base]) -> None:
        """Adds the tests of an item."""
        variants, tags = list(_variants(self.plan, item)), tuple(word.text for word in item.tags)
        name, limits, tests = item.name.text, item.limits, self.found.tests
        reseeds = ["", *(f"+{i + 1}" for i in range(item.reseed))]
        for base in bases:
            if len(tests) + len(variants) * len(reseeds) > _TESTS:
                raise self.plan.fail(item.name.place,
                                     f"item {name}: found more than {_TESTS} tests in this plan")
            for suffix, dut, memory, options in variants:
                for reseed in reseeds:
                    key = base.key + suffix + reseed
                    seed = item.seed
                    if seed is None or reseed:
                        seed = plan_seed(self.night, key)
                    tests.append(Test(key, name, base.trace, base.generator, base.layer_seed,
                                      base.config, dut, memory, seed, options, tags,
                                      limits.seconds, limits.cycles, limits.memory))

    # ---- traces

    def add_traces(self, item: Item, matches: _Matches) -> None:
        seen: set[str] = set()
        missing: list[Failure] = []
        used: set[Word] = set()
        for match in matches.of_item[item.name.text]:
            if match.failure and not item.optional:
                raise match.failure
            missing += [match.failure] if match.failure else []
            mine = []
            for path in match.paths:
                excluding = {word for word in item.exclude
                             if paths.matches(word.text, matches.traces[path].name)}
                used |= excluding
                if not excluding and path not in seen:
                    mine.append(path)
            seen.update(match.paths)
            self.add(item, (base for path in mine for base in
                            self.bases(item, path, matches.traces[path], match.pattern.place)))
        if not seen:
            self.found.warnings.append(str(missing[0]))
        for word in item.exclude if seen else ():
            if word not in used:
                self.found.warnings.append(str(self.plan.fail(
                    word.place, f"exclude: '{word.text}' matches the name of no trace")))

    def bases(self, item: Item, path: str, trace: facts.Trace,
              place: Place) -> typing.Iterator[_Base]:
        """Of a trace, one for each configuration. place: of the pattern that has matched it."""
        if text.shown(path) != path:
            raise self.plan.fail(place, f"traces: the name of the file {path} has control "
                                        "characters or is not UTF-8; give it another")
        if trace.error:
            raise self.plan.fail(place, f"traces: {trace.error}")
        known = facts.configurations()
        key = f"{item.name.text}/{trace.name}"
        for config in item.config or (Word(trace.config, place),):
            if trace.named and known[config.text].map != known[trace.config].map:
                raise self.plan.fail(config.place, f"config: found {config.text}, whose register "
                                     f"map is not that of {trace.config}, which {path} was made "
                                     "for")
            other = "" if config.text == trace.config else "," + config.text
            yield _Base(key + other, path, config.text)

    # ---- random layers

    def add_random(self, item: Item) -> None:
        assert item.random
        for config in (word.text for word in item.config):
            for engines in item.random.engines:
                self.check_engines(config, engines)
                self.add(item, self.layers(item, config, engines.text))

    def check_engines(self, config: str, engines: Word) -> None:
        """An engine that is asked for by name must exist in the configuration."""
        wanted, has = facts.engines(engines.text), facts.configurations()[config].generators
        lacks = [engine for engine in wanted if engine not in has]
        if lacks and wanted != facts.all_engines():
            raise self.plan.fail(
                engines.place, f"engines: found '{engines.text}', but configuration {config} has "
                f"no {facts.engines_name(lacks)}; expected some of {facts.engines_name(has)}, or "
                "mix")

    def layers(self, item: Item, config: str, engines: str) -> typing.Iterator[_Base]:
        assert item.random
        name = facts.engines_name(facts.engines(engines))
        other = "" if config == "small" else "," + config
        start = f"{item.name.text}/{name}-"
        for number in range(1, item.random.count + 1):
            key = f"{start}{number:04}{other}"
            seed = plan_seed(self.night, "layer " + key)
            yield _Base(key, f"layers/{config}_{name}_{seed}.nvt.gz", config, engines, seed)
        for seeds in item.random.seeds:
            for seed in seeds:
                yield _Base(f"{start}s{seed}{other}", f"layers/{config}_{name}_{seed}.nvt.gz",
                            config, engines, seed)


# ---- the list

def _check_keys(plan: Plan, tests: list[Test]) -> None:
    if len({test.key for test in tests}) == len(tests):
        return
    ordered = sorted(tests, key=lambda test: test.key.encode("utf-8", "surrogateescape"))
    one, other = next((a, b) for a, b in zip(ordered, ordered[1:]) if a.key == b.key)
    place = next(item.name.place for item in plan.items if item.name.text == other.item)
    raise plan.fail(place, f"item {other.item}: found two tests called {other.key}: {one.trace} "
                           f"and {other.trace}; give one of them an item of its own")


def _mark(plan: Plan, known: Known, day: str, found: TestList) -> None:
    """Marks the tests of a known failure. An expired one excuses nothing, and is warned about."""
    tests = [test for test in found.tests
             if any(paths.matches(word.text, test.key) for word in known.test)]
    start = f"known failure ({known.reason}): "
    count = text.plural(len(tests), "test has", "tests have")
    if not tests:
        found.warnings.append(str(plan.fail(
            known.place, start + "no test of the plan is called like that")))
    elif day > known.until:
        found.warnings.append(str(plan.fail(
            known.place, f"{start}it was known until {known.until}; {count} to pass again")))
    else:
        for test in tests:
            if test.known is None:
                test.known, test.known_until = known.reason, known.until
